import { expect, test } from 'vitest';
import { call, eventsOf, packetOf, readPieces, text } from './pieces.ts';

// proves: reply.object

test.each(['json', 'plain'] as const)('%s: the reply is the decision object alone', (protocol) => {
  const reading = readPieces(protocol, [text('{"action":"complete","final_answer":"3"}')]);
  expect(reading).toMatchObject({ actions: [{ decision: { final_answer: '3' } }], notices: [] });
});

test('what other protocols write in channels are fields of the object', () => {
  const said = {
    thinking: 'Easy.',
    timeline_text: 'A moment.',
    action: 'complete',
    final_answer: '3',
    canvas: { name: 'sum.md', title: 'Sum', text: '1 + 2' },
    internal: 'note',
    summary: 'Goal: a sum.',
  };
  const packet = packetOf('json', [text(JSON.stringify(said))]);
  expect(packet).toMatchObject({
    thinking: [{ text: 'Easy.' }],
    timelineTexts: [{ text: 'A moment.' }],
    canvases: [{ text: '1 + 2', attributes: { name: 'sum.md', title: 'Sum' } }],
    internals: [{ text: 'note' }],
    summary: 'Goal: a sum.',
  });
});

test('a long text that arrives in one piece stays in a few events', () => {
  const answer = 'It is 3 < 4, as `a > b` shows.\n'.repeat(2_000);
  const reply = JSON.stringify({ action: 'complete', final_answer: answer });
  const pieces = [text(reply.slice(0, 30_000)), text(reply.slice(30_000))];
  const texts = eventsOf('json', pieces).filter(({ kind }) => kind === 'text');
  // One for each `>`, which may end a tag, and for each escape.
  expect(texts.length).toBeLessThan(reply.length / 4);
  expect(packetOf('json', pieces).decisions).toMatchObject([{ text: reply }]);
});

test('a program stands in the parameters, before or behind the name of its tool', () => {
  for (const fields of [
    { tool_id: 'exec.python', params: { code: 'print(1)', contract: [] } },
    { params: { code: 'print(1)', contract: [] }, tool_id: 'exec.python' },
  ]) {
    const reading = readPieces('json', [
      text(JSON.stringify({ action: 'call_tool', tool_call: fields })),
    ]);
    expect(reading.actions).toMatchObject([{ code: { instance: 0, text: 'print(1)' } }]);
    expect(reading.actions[0]?.decision.tool_call?.params).toEqual({ contract: [] });
    expect(reading.notices).toEqual([]);
  }
});

test('several objects are several actions', () => {
  const one = (tool: string) =>
    JSON.stringify({ action: 'call_tool', tool_call: { tool_id: tool, params: {} } });
  const reading = readPieces('plain', [text(`${one('react.plan')}\n${one('web.search')}`)]);
  expect(reading.actions).toMatchObject([{ instance: 0 }, { instance: 1 }]);
});

test('a parameter named code of another tool is not a program', () => {
  const body = { action: 'call_tool', tool_call: { tool_id: 'web.search', params: { code: 'x' } } };
  const reading = readPieces('json', [text(JSON.stringify(body))]);
  expect(reading.actions[0]?.decision.tool_call?.params).toEqual({ code: 'x' });
  expect(reading.violations).toEqual([]);
});

test('a reply that is not an object gets a violation that shows the object', () => {
  const [missing] = readPieces('json', [text('Three.')]).violations;
  expect(missing?.message).toMatch(
    /plain text without a JSON object.*\{"thinking".*"action":"complete","final_answer"/s,
  );
});

test('a call of the provider is carried out in every protocol', () => {
  for (const protocol of ['channels', 'json', 'plain'] as const) {
    const reading = readPieces(protocol, call('exec__python', '{"code":"print(1)"}'));
    expect(reading.actions).toMatchObject([{ code: { text: 'print(1)' } }]);
    expect(reading.violations).toEqual([]);
  }
});

const exec = (params: object) =>
  JSON.stringify({ action: 'call_tool', tool_call: { tool_id: 'exec.python', params } });
const fence = '```python\nprint(1)\n```';

// proves: reply.object
test.each(['json', 'plain'] as const)(
  '%s: a fenced program behind its object runs, and a notice says where it belongs',
  (protocol) => {
    for (const params of [{ contract: [] }, { code: '', contract: [] }]) {
      const reading = readPieces(protocol, [text(`${exec(params)}\n${fence}\n`)]);
      expect(reading.actions).toMatchObject([{ code: { text: 'print(1)' } }]);
      expect(reading.actions[0]?.decision.tool_call?.params).toEqual({ contract: [] });
      expect(reading.violations).toEqual([]);
      expect(reading.notices.map(({ code }) => code)).toEqual(['code_behind_object']);
    }
  },
);

test('a fence beside a program in its place, beside other text or behind other tools is not run', () => {
  const search = JSON.stringify({
    action: 'call_tool',
    tool_call: { tool_id: 'web.search', params: {} },
  });
  const replies = [
    `${exec({ code: 'print(2)' })}\n${fence}`,
    `${exec({})}\nThis adds:\n${fence}`,
    `${search}\n${fence}`,
    `${exec({})}\n${exec({})}\n${fence}`,
  ];
  for (const reply of replies) {
    const { actions, violations, notices } = readPieces('json', [text(reply)]);
    expect(actions.map(({ code }) => code?.text)).not.toContain('print(1)');
    expect([...violations, ...notices].map(({ code }) => code)).toContainEqual(
      expect.stringMatching(/^(text_outside|missing_code)$/),
    );
  }
});

// proves: reply.object
test.each(['json', 'plain', 'channels'] as const)(
  '%s: a decision whose action does not exist is refused with its name, wherever it stands',
  (protocol) => {
    const call = { tool_id: 'web.search', params: { name: 'x' } };
    for (const said of [
      { action: 'search', tool_call: call },
      { notes: 'Looking', action: 'search', tool_call: call },
      { tool_call: call, action: 'search' },
    ]) {
      const { actions, violations } = readPieces(protocol, [text(JSON.stringify(said))]);
      expect(actions).toEqual([]);
      expect(violations).toMatchObject([{ code: 'invalid_action' }]);
      expect(violations[0]?.message).toContain('There is no action "search"');
    }
  },
);
