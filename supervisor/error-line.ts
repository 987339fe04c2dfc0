/** What Node and Python print around an error, and is none. */
const noise = /^(Node\.js v|\(Use `node |[\]})]+$)/;
const named = /^\[?[\w.]*(Error|Exception|Rejection)(Group)?\b/;

/** The line of a traceback that names the error: Python ends with it, Node puts the stack below. Empty: there is none. */
export function errorLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    // Of a group's parts Python prints each line behind a bar.
    .map((line) => line.replace(/^\s+\| /, ''))
    .filter((line) => /^\S/.test(line) && !noise.test(line));
  return lines.findLast((line) => named.test(line)) ?? lines.at(-1) ?? '';
}
