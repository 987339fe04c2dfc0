import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeControl } from '../../../../runtime/cli/terminal/escape-control.ts';
import { Screen } from '../../../../runtime/cli/terminal/screen.ts';
import type { ChatEvent } from '../../../../runtime/client/api/types.ts';

// proves: cli.harmless
test('control sequences in the output of a program have no effect on the terminal', () => {
  const said: string[] = [];
  const screen = new Screen({ colour: false, write: (text) => void said.push(text) });
  screen.line('file', 'a\u001b]0;mine\u0007.txt');
  screen.line('output', 'half\rwhole\r\nnext\u009b2J');
  expect(said.join('')).toBe(
    '      file  a␛]0;mine␇.txt\n    output  half␍whole\n            next<9b>2J\n',
  );
});

test('control sequences that arrive in pieces have no effect on the terminal', () => {
  const said: string[] = [];
  const screen = new Screen({ colour: false, write: (text) => void said.push(text) });
  const event = { agent: 'a', step: 'chat.exec.output', status: 'running' };
  const data = { stream: 'stdout', call: 'c', text: 'a\u001b[2Jb' };
  screen.show({ type: 'chat.step', event, data } as unknown as ChatEvent);
  expect(said.join('')).toBe('    output  a␛[2Jb');
});

test('line breaks, tabs and letters are unchanged', () => {
  expect(escapeControl('a\tb\r\nc\n表 👩‍🔬')).toBe('a\tb\nc\n表 👩‍🔬');
});

test('no control character of any text reaches the terminal', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 40 }),
      (text) => !/[^\P{Cc}\n\t]/u.test(escapeControl(text)),
    ),
  );
});
