import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeControl } from '../../../../runtime/cli/terminal/escape-control.ts';
import { Screen } from '../../../../runtime/cli/terminal/screen.ts';
import type { ChatEvent } from '../../../../runtime/client/api/types.ts';

// proves: cli.harmless
test('a program that prints what a terminal obeys only prints it', () => {
  const said: string[] = [];
  const screen = new Screen({ colour: false, write: (text) => void said.push(text) });
  screen.line('file', 'a\u001b]0;mine\u0007.txt');
  screen.line('output', 'half\rwhole\r\nnext\u009b2J');
  expect(said.join('')).toBe(
    '      file  a␛]0;mine␇.txt\n    output  half␍whole\n            next<9b>2J\n',
  );
});

test('nor does what comes in pieces do anything to a terminal', () => {
  const said: string[] = [];
  const screen = new Screen({ colour: false, write: (text) => void said.push(text) });
  const event = { agent: 'a', step: 'chat.exec.output', status: 'running' };
  const data = { stream: 'stdout', call: 'c', text: 'a\u001b[2Jb' };
  screen.show({ type: 'chat.step', event, data } as unknown as ChatEvent);
  expect(said.join('')).toBe('    output  a␛[2Jb');
});

test('line ends, tabs and letters stay as they are', () => {
  expect(escapeControl('a\tb\r\nc\n表 👩‍🔬')).toBe('a\tb\nc\n表 👩‍🔬');
});

test('whatever is said, no control character reaches a terminal', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 40 }),
      (text) => !/[^\P{Cc}\n\t]/u.test(escapeControl(text)),
    ),
  );
});
