/** Whether an id matches a pattern in which `*` stands for any run of characters. Each part takes time linear in the id. */
export function matchesPattern(pattern: string, id: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === id;
  if (!id.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = id.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return id.length - last.length >= from && id.endsWith(last);
}
