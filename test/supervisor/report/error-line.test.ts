import { expect, test } from 'vitest';
import { errorLine } from '../../../supervisor/report/error-line.ts';

test.each([
  [
    'the last line of Python',
    'Traceback:\n  File "x", line 1\nKeyError: \'nix\'\n',
    "KeyError: 'nix'",
  ],
  [
    'the line above the stack of Node',
    'file:///program.mjs:1\nthrow x\n      ^\n\nTypeError: bad\n    at file:///x\n\nNode.js v20.20.2\n',
    'TypeError: bad',
  ],
  [
    'of a group in Python, the last of its parts',
    '  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: 1 sub-exception\n  +-+----- 1 -----\n    | Traceback (most recent call last):\n    |   File "x"\n    | ToolError: closed: no\n    +------\n',
    'ToolError: closed: no',
  ],
  [
    'of a group in Node, the group',
    'node:internal\n    ^\n\n[AggregateError: All promises were rejected] {\n  [errors]: [\n    ToolError: no\n  ]\n}\n\nNode.js v20\n',
    '[AggregateError: All promises were rejected] {',
  ],
  [
    'for a thrown value that is not an Error, the text of Node',
    'node:internal:389\n      ^\n\nUnhandledPromiseRejection: reason "a string".\n    at x {\n  code: 1\n}\n\nNode.js v20\n',
    'UnhandledPromiseRejection: reason "a string".',
  ],
  [
    'of what was thrown from a callback, the value',
    '/program.mjs:1\n\na string\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v20\n',
    'a string',
  ],
  ['nothing of nothing', '\n   \n', ''],
])('%s names the error', (_, stderr, line) => {
  expect(errorLine(stderr)).toBe(line);
});
