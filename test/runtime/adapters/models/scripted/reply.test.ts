import { expect, test } from 'vitest';
import { parseScript } from '../../../../../runtime/adapters/models/scripted/reply.ts';

const code = { tool: 'exec_tools.execute_code_python' };

test.each([
  ['an unknown key', [{ answr: 'x' }], 'reply 1: Unrecognized key: "answr"'],
  ['a nameless call', [{ answer: 'x' }, { call: { input: {} } }], 'reply 2, call.tool: '],
  ['a call in a list', [{ call: [code, { tool: 3 }] }], 'reply 1, call.1.tool: '],
  [
    'a program without its call',
    [{ code: 'x', call: { tool: 'a.b' } }],
    'reply 1, code: belongs to',
  ],
  ['something beside raw', [{ raw: 'x', answer: 'y' }], 'reply 1, answer: raw is the whole reply'],
  ['nothing said', [{ hold: 'x' }], 'reply 1: says nothing'],
  [
    'channels for another role',
    [{ role: 'small', thinking: 'x' }],
    'reply 1, thinking: a reply for',
  ],
  ['an unknown fault', [{ fault: { code: 'NOPE' } }], 'reply 1, fault.code: not a fault code'],
  ['a broken pattern', [{ when: '/(/', answer: 'x' }], 'reply 1, when: SyntaxError'],
  [
    'one hold twice',
    [
      { raw: 'x', hold: 'h' },
      { raw: 'y', hold: 'h' },
    ],
    'two replies hold "h"',
  ],
  ['a quoted name', [{ canvas: { text: 'x', title: 'a"b' } }], 'reply 1, canvas.title: may not'],
  ['notes alone', [{ notes: 'x', answer: 'y' }], 'reply 1, notes: belongs to a call'],
  ['followups alone', [{ followups: ['x'], raw: 'y' }], 'reply 1, followups: needs an answer'],
  ['no script at all', 'hello', 'script: '],
])('%s is refused by reply number and key', (_what, script, text) => {
  expect(() => parseScript(script)).toThrow(`SCRIPT_INVALID`);
  expect(() => parseScript(script)).toThrow(text);
});
