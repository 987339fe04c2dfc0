import { expect, test } from 'vitest';
import { missingDecision } from '../../../../runtime/channels/reply/missing-decision.ts';
import { answer, call, code, read, thinking, toPacket } from './replies.ts';

// proves: channels.decision

test('a parsed reply contains every channel, without the line breaks at the tags', () => {
  const packet = toPacket(
    '<channel:thinking>\nhm\n</channel:thinking><channel:canvas name="a.md" mime="text/markdown"># A</channel:canvas>' +
      '<channel:timeline_text>t</channel:timeline_text><channel:internal>i</channel:internal><channel:code> </channel:code>' +
      '<channel:summary>old</channel:summary><channel:summary>s</channel:summary>',
  );
  expect(packet).toMatchObject({
    thinking: [{ text: 'hm', order: 0, how: 'tag' }],
    canvases: [{ text: '# A', attributes: { name: 'a.md', mime: 'text/markdown' } }],
    timelineTexts: [{ text: 't' }],
    internals: [{ text: 'i' }],
    codes: [],
    decisions: [],
    summary: 's',
  });
});

test('code belongs to the exec action directly before it', () => {
  const output = call('exec.python') + thinking + code('x = 1');
  expect(read(output)).toMatchObject({
    actions: [{ instance: 0, code: { instance: 0, text: 'x = 1' } }],
    violations: [],
  });
  const twice = call('exec.python') + code('1') + call('exec.python') + code('2');
  expect(read(twice).actions.map((action) => action.code?.text)).toEqual(['1', '2']);
});

// proves: bad.code-without-exec
test.each([
  ['missing_code', [], call('exec.python')],
  ['missing_code', [], call('exec.python') + call('react.plan') + code('1')],
  ['code_channel_without_single_exec', ['web.search'], call('web.search') + code('1')],
  [
    'code_channel_without_single_exec',
    ['exec.python'],
    call('exec.python') + code('1') + code('2'),
  ],
  [
    'code_channel_with_multi_action',
    ['react.plan', 'react.plan'],
    call('react.plan') + call('react.plan') + code('1'),
  ],
  [
    'multi_action_bundle_too_many_actions',
    ['react.plan', 'react.plan', 'react.plan'],
    call('react.plan').repeat(4),
  ],
  [
    'multi_action_bundle_strategy_incompatible',
    ['web.search'],
    call('web.search') + call('react.write'),
  ],
  [
    'multi_action_bundle_strategy_incompatible',
    ['web.search'],
    call('web.search') + call('crm.sync'),
  ],
  [
    'multi_action_bundle_strategy_incompatible',
    ['crm.sync'],
    call('crm.sync') + call('react.write'),
  ],
  ['multi_action_bundle_unsafe_tool', ['odd.tool'], call('odd.tool') + call('web.search')],
  ['multi_action_bundle_unsafe_tool', ['web.search'], call('web.search') + call('no.such')],
  [
    'multi_action_bundle_final_answer_after_non_neutral',
    ['web.search'],
    call('web.search') + answer('A'),
  ],
  [
    'multi_action_bundle_non_neutral_after_final_answer',
    ['complete'],
    answer('A') + call('web.search'),
  ],
  ['multi_action_bundle_final_answer_not_allowed', ['complete'], answer('A') + answer('B')],
  [
    'multi_action_bundle_same_file_collision',
    ['react.write'],
    call('react.write', { path: 'outputs/a' }) +
      call('react.write', { path: 'fi:turn_x.outputs/a' }),
  ],
  [
    'multi_action_bundle_same_file_collision',
    ['react.write'],
    call('react.write', { path: './files/a' }) +
      call('exec.python', { contract: [{ filepath: 'files/a' }] }) +
      code('1'),
  ],
  ['decision_missing_protocol_channels', [], thinking],
  ['decision_missing_protocol_channels', [], 'just text'],
  [
    'action_schema_error',
    ['web.search'],
    `${call('web.search')}<channel:action>{"action":"x" 1}</channel:action>`,
  ],
  ['truncated_action', [], '<channel:action>{"action":"complete","final_answer":"A"'],
])('%s leaves %j to run', (violation, accepted, output) => {
  const { actions, violations } = read(output);
  expect(violations.map(({ code: each }) => each)).toEqual([violation]);
  expect(actions.map(({ decision }) => decision.tool_call?.tool_id ?? decision.action)).toEqual(
    accepted,
  );
});

test.each([
  ['web.search', 'web.search'],
  ['react.write', 'web.search'],
  ['react.write', 'react.write'],
  ['react.plan', 'crm.sync'],
])('%s and %s may be in one reply', (first, second) => {
  expect(read(call(first) + call(second)).actions).toHaveLength(2);
});

test('with multi-action off only the first action runs', () => {
  const reading = read(call('react.plan') + answer('A'), { multiAction: 'off' });
  expect(reading.actions).toHaveLength(1);
  expect(reading.violations).toMatchObject([
    { code: 'multi_action_bundle_too_many_actions', detail: { limit: 1, instance: 1 } },
  ]);
});

test('actions after a refused one are counted, not evaluated', () => {
  const reading = read(call('web.search') + answer('A') + call('react.plan'));
  expect(reading.violations).toMatchObject([{ detail: { instance: 1, dropped_actions: 1 } }]);
});

test('neutral calls with an answer run before it, in any written order', () => {
  const reading = read(answer('A') + call('react.plan'));
  expect(reading.actions.map(({ instance }) => instance)).toEqual([1, 0]);
});

test('text outside channels is a notice, not a reason to stop', () => {
  const reading = read(`Sure! ${answer('A')} Done.`);
  expect(reading).toMatchObject({ violations: [], notices: [{ code: 'text_outside' }] });
});

test('a summary is kept only with an answer', () => {
  const summary = '<channel:summary>Goal: x</channel:summary>';
  expect(read(answer('A') + summary).summary).toBe('Goal: x');
  expect(read(call('web.search') + summary)).toEqual({
    ...read(call('web.search')),
    notices: [expect.objectContaining({ code: 'summary_without_answer' })],
  });
});

test('an answer that the user has seen is kept, even if its decision is invalid', () => {
  const output =
    '<channel:action>{"action":"complete","final_answer":"Seen","output" oops</channel:action>';
  const reading = read(output, { answers: new Map([[0, 'Seen']]) });
  expect(reading.actions).toMatchObject([{ kept: true, decision: { final_answer: 'Seen' } }]);
  expect(reading.violations).toMatchObject([{ code: 'action_schema_error' }]);
});

test('at the output limit an open program does not run, but a complete decision does', () => {
  const open = `${call('exec.python')}<channel:code id="a">x = 1`;
  expect(read(open, { finish: 'stop' }).actions).toHaveLength(1);
  expect(read(open, { finish: 'length' })).toMatchObject({
    actions: [],
    violations: [{ code: 'truncated_action', detail: { tool_id: 'exec.python' } }],
  });
  expect(
    read(call('web.search').replace('</channel:action>', ''), { finish: 'length' }).actions,
  ).toHaveLength(1);
});

test('an unknown tool behind another call is named once', () => {
  const [violation] = read(call('web.search') + call('no.such')).violations;
  expect(violation?.message).toBe('The tool no.such does not exist. Use an id of # Tools.');
});

// proves: reply.one-notice
test('a call of an exec tool in foreign syntax is answered by a form with its program', () => {
  const kinds = { traits: ['exploitation'], kind: 'exec' } as const;
  const traitsOf = (tool: string) => (tool === 'exec.python' ? kinds : undefined);
  const packets = [
    { ...toPacket(''), outsideText: 'Thought: Hm.\nAction: exec.python\nAction Input: {}' },
    {
      ...toPacket(''),
      foreign: { what: 'log', ends: false, text: '[TOOL CALL c1] exec.python' },
    } as const,
  ];
  for (const packet of packets) {
    const { message } = missingDecision(packet, { traitsOf });
    expect(message).toMatch(/(write|instead:) <channel:thinking>I run a program/);
    expect(message).toContain('"tool_id":"exec.python"');
    expect(message).toContain('<channel:code id="c1">PROGRAM</channel:code id="c1">');
  }
});

// proves: reply.one-notice
test('single quotes around keys are named as the fault of a reply', () => {
  const packet = { ...toPacket(''), outsideText: "{'thinking': 'Easy.', 'action': 'complete'}" };
  const { message } = missingDecision(packet, { protocol: 'plain' });
  expect(message).toContain("has single quotes where JSON has double quotes (“{'thinking");
});
