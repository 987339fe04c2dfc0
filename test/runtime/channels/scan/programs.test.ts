import { expect, test } from 'vitest';
import { readingDecisions } from '../../../../runtime/channels/readers/read-decisions.ts';
import { readReply } from '../../../../runtime/channels/reply/read-reply.ts';
import { createReplyCollector } from '../../../../runtime/channels/reply/reply.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';
import { readPieces, text } from '../readers/pieces.ts';

// proves: reply.code-in-params
test('a program in params.code runs if no code channel follows, with a notice', () => {
  const inParams = call('exec.python', { code: 'x = 1\n', timeout_s: 5 });
  const [action] = read(inParams).actions;
  expect(action).toMatchObject({ code: { instance: 0, text: 'x = 1\n' } });
  expect(action?.decision.tool_call?.params).toEqual({ timeout_s: 5 });
  expect(read(inParams).notices).toMatchObject([{ code: 'code_in_params' }]);
  const both = read(inParams + code('y = 2'));
  expect(both.actions[0]?.code?.text).toBe('y = 2');
  expect(read(call('exec.python', { code: '```python\nx\n```' })).actions[0]?.code?.text).toBe('x');
});

test('a closing tag without the id closes a program at the end of a reply', () => {
  const open = `${call('exec.python')}<channel:code id="c1">\nx = 1\n`;
  const { actions, notices } = read(`${open}</channel:code>\n`);
  expect(actions[0]?.code?.text.trim()).toBe('x = 1');
  expect(notices).toMatchObject([{ code: 'unclosed_channel' }]);
  const inside = read(`${open}</channel:code>\ny = 2\n</channel:code id="c1">`);
  expect(inside.actions[0]?.code?.text).toContain('</channel:code>');
});

const fenced = '\n```python\nx = 1\n```\n';
const summary = '<channel:internal>Trying.</channel:internal>';

// proves: reply.code-in-params
test('a program in one fence directly behind the last decision runs, with a notice', () => {
  for (const output of [call('exec.python') + fenced, call('exec.python') + fenced + summary]) {
    const { actions, violations, notices } = readPieces('channels', [text(output)]);
    expect(actions).toMatchObject([{ code: { instance: 0, text: 'x = 1' } }]);
    expect(violations).toEqual([]);
    expect(notices).toMatchObject([{ code: 'code_outside' }]);
  }
});

test.each([
  ['before the decision', fenced + call('exec.python')],
  ['behind another channel', call('exec.python') + summary + fenced],
  ['beside prose', `${call('exec.python')}\nI run this:${fenced}`],
  ['twice', call('exec.python') + fenced + fenced],
])('a fence %s is one violation that quotes it and shows the correct form', (_, output) => {
  const { violations, notices } = readPieces('channels', [text(output)]);
  expect(notices).toEqual([]);
  expect(violations.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /“.*x = 1 ```.*” stood outside.*"tool_id":"exec\.python","params":\{\}.*<channel:code id="c1">/,
    ),
  ]);
});

function call(tool: string, params: object = {}): string {
  const body = { action: 'call_tool', notes: 'n', tool_call: { tool_id: tool, params } };
  return `<channel:action>${JSON.stringify(body)}</channel:action>`;
}

function code(text: string): string {
  return `<channel:code>\n${text}\n</channel:code>`;
}

function read(output: string) {
  const scanner = createScanner();
  const collector = createReplyCollector();
  collector.push(readingDecisions()([...scanner.push(output), ...scanner.end()]));
  return readReply(collector.reply(), {
    multiAction: 'off',
    traitsOf: () => ({ traits: ['exploitation'], kind: 'exec', language: 'python' }),
  });
}
