/** Lines that Node and Python print around an error. */
const noise = /^(Node\.js v|\(Use `node |[\]})]+$)/;
const named = /^\[?[\w.]*(Error|Exception|Rejection)(Group)?\b/;

/** The line of a traceback that names the error: Python ends with it, Node prints the stack below it. Empty if there is none. */
export function errorLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    // Python prefixes each line of an exception group's members with a bar.
    .map((line) => line.replace(/^\s+\| /, ''))
    .filter((line) => /^\S/.test(line) && !noise.test(line));
  return lines.findLast((line) => named.test(line)) ?? lines.at(-1) ?? '';
}
