/** At most `chars` UTF-16 units, never ending inside a surrogate pair. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  const half = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, half ? chars - 1 : chars));
}

/** With thousands separators; the same on every machine, unlike `toLocaleString`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
