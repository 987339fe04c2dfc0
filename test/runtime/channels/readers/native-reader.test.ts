import { expect, test } from 'vitest';
import { call, eventsOf, packetOf, readPieces, reasoning, text } from './pieces.ts';

// proves: reply.native-answer, reply.native-calls

const long = `The sum is three. ${'That follows from counting. '.repeat(12)}`.trim();
const native = (...pieces: Parameters<typeof readPieces>[1]) => readPieces('native-tools', pieces);

test('text without a call is the answer, with what its channels say beside it', () => {
  const said = `It is "3".\n<channel:canvas name="sum.md">1 + 2</channel:canvas>\nSure.<channel:followups>- And 4?\n2. And 5?</channel:followups><channel:summary>Goal: a sum.</channel:summary>`;
  const reading = native(text(said));
  expect(reading.actions).toMatchObject([
    {
      decision: {
        action: 'complete',
        final_answer: 'It is "3".\n\nSure.',
        suggested_followups: ['And 4?', 'And 5?'],
      },
    },
  ]);
  expect(reading.violations).toEqual([]);
  expect(reading.notices).toEqual([]);
  expect(reading.summary).toBe('Goal: a sum.');
  expect(packetOf('native-tools', [text(said)]).canvases).toMatchObject([{ text: '1 + 2' }]);
});

test('an answer waits for its first 200 characters, then streams', () => {
  const opened = (said: string) =>
    eventsOf('native-tools', [text(said)]).findIndex(({ kind }) => kind === 'opened');
  expect(opened('short')).toBe(0);
  const reader = eventsOf('native-tools', [text(long)]);
  expect(reader[0]).toMatchObject({ kind: 'opened', channel: 'ReactDecisionOutV2' });
  expect(reader.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(2);
});

test('text before, between and behind calls is a remark each', () => {
  const pieces = [
    text('I look first. '),
    ...call('web__search', '{"q":"sum"}'),
    text('And again.'),
    ...call('web__search', '{"q":"sum 2"}'),
    text('\nDone.\n'),
  ];
  expect(packetOf('native-tools', pieces).timelineTexts).toMatchObject([
    { instance: 0, text: 'I look first.' },
    { instance: 1, text: 'And again.' },
    { instance: 2, text: 'Done.' },
  ]);
  expect(native(...pieces).actions.map(({ instance }) => instance)).toEqual([0, 1]);
});

test('an answer that streamed is withdrawn when a call comes all the same', () => {
  const events = eventsOf('native-tools', [text(long), ...call('web__search', '{}')]);
  const withdrawn = events.findIndex(({ kind }) => kind === 'withdrawn');
  expect(events[withdrawn]).toMatchObject({ channel: 'ReactDecisionOutV2', instance: 0 });
  expect(events[withdrawn + 1]).toMatchObject({ kind: 'opened', channel: 'timeline_text' });
  const packet = packetOf('native-tools', [text(long), ...call('web__search', '{}')]);
  expect(packet.timelineTexts).toMatchObject([{ text: long }]);
  expect(packet.decisions).toMatchObject([{ instance: 0, how: 'tag' }]);
});

test('a call is a decision, whatever is written in its arguments', () => {
  const params = (...parts: string[]) =>
    native(...call('web__search', ...parts)).actions[0]?.decision.tool_call?.params;
  expect(params('{"q":', '"a}}"}')).toEqual({ q: 'a}}' });
  expect(params()).toEqual({});
  expect(params(' ')).toEqual({});
  expect(params('"{\\"q\\":1}"')).toEqual({ q: 1 });
});

test('the notes channel is the progress line of the next call', () => {
  const [first, second] = native(
    text('<channel:notes>✓ [1] Adding</channel:notes>'),
    ...call('web__search', '{"q":1}'),
    ...call('web__search', '{"q":22}'),
  ).actions;
  expect(first?.decision.notes).toBe('✓ [1] Adding');
  expect(second?.decision.notes).toBe('');
});

test('a program is the argument "code": it streams as code and is not a parameter', () => {
  const pieces = call('exec__python', '{"contract":[],"co', 'de":"print(', '1)\\n"}');
  const code = eventsOf('native-tools', pieces).filter(
    (each) => 'channel' in each && each.channel === 'code',
  );
  expect(code.map((each) => (each.kind === 'text' ? each.text : each.kind))).toEqual([
    'opened',
    'print(',
    '1)\n',
    'closed',
  ]);
  const { actions, notices } = native(...pieces);
  expect(actions).toMatchObject([{ code: { instance: 0, text: 'print(1)' } }]);
  expect(actions[0]?.decision.tool_call?.params).toEqual({ contract: [] });
  expect(notices).toEqual([]);
});

test('a program that is missing is reported with how to pass it', () => {
  const [missing] = native(...call('exec__python', '{}')).violations;
  expect(missing).toMatchObject({ code: 'missing_code' });
  expect(missing?.message).toMatch(/as its argument "code"/);
});

test('calls that arrive at the same time are read one after the other', () => {
  const [a, b] = [call('exec__python', '{"code":"a()"}'), call('react__plan', '{"mode":"new"}')];
  const mixed = [a[0], b[0], a[1], b[1], b[2], a[2]].flatMap((piece) => (piece ? [piece] : []));
  expect(packetOf('native-tools', mixed)).toEqual(packetOf('native-tools', [...a, ...b]));
});

test('names are understood without their alias, with a dot or in another spelling', () => {
  for (const name of ['web__search', 'web.search', 'search', 'web_search', 'Web-Search'])
    expect(native(...call(name, '{}')).actions[0]?.decision.tool_call?.tool_id).toBe('web.search');
  expect(native(...call('weather__now', '{}')).actions[0]?.decision.tool_call?.tool_id).toBe(
    'weather.now',
  );
});

test('the call "complete" ends the turn behind all other calls and is not a tool', () => {
  const complete = call('complete', '{"output":{"sum":3},', '"final_answer":"Three."}');
  expect(native(...complete).actions).toMatchObject([
    { decision: { action: 'complete', output: { sum: 3 }, final_answer: 'Three.' } },
  ]);
  const both = native(...complete, ...call('web__search', '{}'));
  expect(both.actions).toMatchObject([{ decision: { tool_call: { tool_id: 'web.search' } } }]);
  expect(both.violations).toMatchObject([
    { code: 'multi_action_bundle_final_answer_after_non_neutral' },
  ]);
  expect(native(...call('complete', '{}')).violations).toMatchObject([
    { code: 'final_answer_required' },
  ]);
});

test('arguments that the output limit cut off are not carried out', () => {
  const cut = call('web__search', '{"q":"a').slice(0, -1);
  expect(readPieces('native-tools', cut, { finish: 'length' })).toMatchObject({
    actions: [],
    violations: [{ code: 'truncated_action' }],
  });
});

test('decisions written as channels or as a bare object are carried out', () => {
  const body = '{"action":"call_tool","tool_call":{"tool_id":"web.search","params":{}}}';
  for (const said of [`<channel:decision>${body}</channel:decision>`, `Let me see.\n${body}`]) {
    expect(native(text(said))).toMatchObject({
      actions: [{ decision: { tool_call: { tool_id: 'web.search' } } }],
      violations: [],
    });
  }
});

test('a call written as text is refused at the beginning, and is text in an answer', () => {
  const [refused] = native(
    text('Let me see.\n<tool_call>{"name":"web.search"}</tool_call>'),
  ).violations;
  expect(refused).toMatchObject({ code: 'native_tool_call' });
  expect(refused?.message).toMatch(/tool calling of this API/);
  const quoted = `${long}\n<tool_call>{"name":"web.search"}</tool_call>`;
  expect(native(text(quoted)).actions).toMatchObject([{ decision: { final_answer: quoted } }]);
});

test('reasoning is thinking, and alone it is not an answer', () => {
  const { thinking } = packetOf('native-tools', [
    reasoning('First '),
    reasoning('this.'),
    text('3'),
  ]);
  expect(thinking).toMatchObject([{ text: 'First this.', as: 'reasoning' }]);
  const alone = native(reasoning('Only this.'));
  expect(alone.actions).toEqual([]);
  expect(alone.violations[0]?.message).toMatch(/held thinking only.*write it as plain text/s);
});

test('an empty reply is a violation that says how to answer', () => {
  expect(native().violations[0]?.message).toMatch(/was empty.*plain text/s);
});
