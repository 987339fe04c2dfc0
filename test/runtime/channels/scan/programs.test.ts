import { expect, test } from 'vitest';
import { readingDecisions } from '../../../../runtime/channels/readers/read-decisions.ts';
import { readReply } from '../../../../runtime/channels/reply/read-reply.ts';
import { createReplyCollector } from '../../../../runtime/channels/reply/reply.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';

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

test('a program in a fence outside channels is one violation that shows the correct form', () => {
  const { violations, notices } = read(`${call('exec.python')}\n\`\`\`python\nx = 1\n\`\`\``);
  expect(notices).toEqual([]);
  expect(violations.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /text outside of channels is not run.*"tool_id":"exec\.python".*<channel:code id="c1">/,
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
