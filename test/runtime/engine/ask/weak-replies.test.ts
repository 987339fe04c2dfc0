import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { toOutputSchema } from '../../../../runtime/sdk/compile/validate/zod-schema.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { add, openHarness } from '../kit/harness.ts';

// proves: reply.bare-decision, reply.think, reply.prose, reply.no-machinery, reply.one-notice, reply.stopped

const tag = (name: string, text: string) => `<channel:${name}>${text}</channel:${name}>`;
const act = (fields: object) => JSON.stringify(fields);
const thinking = tag('thinking', 'The user wants a sum.');
const call = act({
  action: 'call_tool',
  notes: 'Adding',
  tool_call: { tool_id: 'math.add', params: { a: 1, b: 2 } },
});
const complete = act({ action: 'complete', final_answer: 'It is **3**.' });
const longProse =
  `The sum of one and two is three. ${'That follows from counting. '.repeat(12)}`.trim();
const forms =
  /<channel:ReactDecisionOutV2>\{"action":"complete".*<channel:summary>.*\n.*\{"action":"call_tool"/;

type Case = {
  readonly raw: string;
  /** Codes of the notices. */
  readonly keeps: readonly string[];
  /** The notices that the model reads. */
  readonly says?: readonly RegExp[];
  /** The answer, if no second reply is needed; otherwise the second, correct reply answers. */
  readonly text?: string;
  readonly finish?: string;
};

const missing = 'protocol_violation.decision_missing_protocol_channels';
const accepted: Record<string, Case> = {
  'a bare decision': { raw: complete, keeps: ['bare_decision'], text: 'It is **3**.' },
  'a fenced decision behind thinking': {
    raw: `${thinking}\n\`\`\`json\n${complete}\n\`\`\``,
    keeps: ['bare_decision'],
    text: 'It is **3**.',
  },
  'a decision in a tag without its prefix': {
    raw: `<thinking>Easy.</thinking>\n<decision>\n${complete}\n</decision>`,
    keeps: ['bare_decision'],
    text: 'It is **3**.',
  },
  'a bare call behind a sentence': {
    raw: `I will add them.\n${call}`,
    keeps: ['text_outside', 'bare_decision'],
    says: [/was carried out\. Next time write the tags/],
  },
  'a decision in a fence in its channel': {
    raw: thinking + tag('action', `\n\`\`\`json\n${complete}\n\`\`\`\n`),
    keeps: [],
    text: 'It is **3**.',
  },
  'a think block before the channels': {
    raw: `<think>I could write <channel:decision>{"action":"exit"}</channel:decision>.</think>${tag('decision', complete)}`,
    keeps: [],
    text: 'It is **3**.',
  },
  'quotes in the answer that are not escaped': {
    raw: thinking + tag('decision', '{"action":"complete","final_answer":"It is "3", of course."}'),
    keeps: ['unescaped_quote'],
    text: 'It is "3", of course.',
  },
  'a decision that is not closed': {
    raw: `${thinking}<channel:decision>${complete}`,
    keeps: ['unclosed_channel'],
    text: 'It is **3**.',
  },
};

const refused: Record<string, Case> = {
  'the look of the log': {
    raw: '[THINKING]\nThe user wants a sum.\n\n[TOOL CALL] math.add {"a":1,"b":2}',
    keeps: ['protocol_violation.log_imitation'],
    says: [/Your reply held “\[THINKING\] The user wants a sum/, /never|only the runtime writes/],
  },
  'an invented result, and an answer made of it': {
    raw: `${thinking}\n[TOOL RESULT tc_1] ok\n${'3 '.repeat(99)}\n${tag('decision', complete)}`,
    keeps: ['protocol_violation.log_imitation'],
    says: [/“\[TOOL RESULT tc_1\] ok 3/],
    finish: 'violation',
  },
  'native tool calls behind a think block': {
    raw: `<think>Add.</think>\n<tool_call>\n{"name": "math.add", "arguments": {"a": 1}}\n</tool_call>`,
    keeps: ['protocol_violation.native_tool_call'],
    says: [/“<tool_call> \{"name": "math.add".*”\. That is not how .*"tool_id":"math\.add"/],
  },
  'a function call in JSON': {
    raw: '{"name": "math.add", "arguments": {"a": 1, "b": 2}}',
    keeps: ['protocol_violation.native_tool_call'],
    says: [/Write instead: .*"action":"call_tool"/],
  },
  'plain text': {
    raw: longProse,
    keeps: [missing],
    says: [/was plain text without <channel:…> tags \(“The sum of one and two is three\./, forms],
  },
  'thinking only': {
    raw: thinking,
    keeps: [missing],
    says: [/held thinking only \(“The user wants a sum\.”\)/, forms],
  },
  'a think block that is not closed': {
    raw: `<think>Add them.\n${tag('decision', complete)}`,
    keeps: [missing],
    says: [/never closed <think>/],
  },
  'an invented channel': {
    raw: `${thinking}${tag('final_answer', 'It is 3.')}`,
    keeps: [missing],
    says: [/used <channel:final_answer>, which does not exist/, forms],
  },
  'an empty reply': { raw: ' ', keeps: [missing], says: [/Your reply was empty/] },
  'quotes that are not escaped': {
    raw:
      thinking +
      tag(
        'decision',
        '{"action":"call_tool","notes":"Adding","tool_call":{"tool_id":"math.add","params":{"a":"Services grew "most": +4.4"}}}',
      ),
    keeps: ['protocol_violation.action_schema_error'],
    says: [/near “….*Services grew "m.*”; escape a quote inside a string as \\"/],
    finish: 'violation',
  },
  'a decision that breaks off': {
    raw: `${thinking}<channel:decision>{"action":"call_tool","notes":"Adding","tool_call":{"tool_id":"math.a`,
    keeps: ['protocol_violation.truncated_action'],
    says: [/ended in the middle of its JSON, after “….*"math\.a”/],
  },
};

// proves: engine.violations
test.each(Object.entries(accepted))('is accepted at the first attempt: %s', async (_, each) => {
  await check(each);
});

test.each(Object.entries(refused))('is refused once, with one notice: %s', async (_, each) => {
  await check(each);
});

async function check({ raw, keeps, says = [], text, finish }: Case): Promise<void> {
  for (const chunk of [3, 10_000]) {
    await using harness = await openHarness([{ raw, chunk }, { answer: 'Right.' }]);
    await harness.say('What is 1 + 2?');
    const blocks = await harness.closed();
    expect(codes(blocks)).toEqual(keeps);
    expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: text ?? 'Right.' });
    const texts = notices(blocks).map((each) => each.text);
    for (const each of says) expect(texts.join('\n')).toMatch(each);
    if (text === undefined) expect(harness.model.requests[1]?.text).toContain(texts[0]);
    const made = blocks.find(({ type }) => type === 'model.call');
    expect(dataOf(made)['finish']).toBe(finish ?? 'stop');
  }
}

test('the content of a think block is shown as thinking and nowhere else', async () => {
  await using harness = await openHarness([
    { raw: `<think>Add <b>.</think>${complete}`, chunk: 4 },
  ]);
  await harness.say('1 + 2?');
  const blocks = await harness.closed();
  expect(await shown(harness)).toEqual({ thinking: 'Add <b>.', answer: 'It is **3**.' });
  expect(blocks.find(({ type }) => type === 'react.thinking')?.text).toBe('Add <b>.');
});

test('plain text is the answer at the second attempt, is streamed, and stays marked as degraded', async () => {
  const raw = `${longProse}\n\n- one\n- two`;
  await using harness = await openHarness([{ raw }, { raw: `${raw}\n`, chunk: 7 }]);
  await harness.say('Why?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ degraded: true, text: raw });
  expect(await shown(harness)).toEqual({ answer: raw });
  const frames = (await harness.frames()).filter(({ kind }) => kind === 'delta');
  expect(frames.length).toBeGreaterThan(0);
});

test.each([
  ['first', 1],
  ['never', 3],
] as const)('with prose: %s plain text is the answer of reply %i', async (prose, replies) => {
  const policies = { ...agentDefaults.policies, prose };
  await using harness = await openHarness(Array(3).fill({ raw: longProse }), {
    agent: { policies },
  });
  await harness.say('Why?');
  expect(await endOf(harness)).toMatchObject({ degraded: true, text: longProse });
  expect(harness.model.requests).toHaveLength(replies);
});

test('if no round is left, plain text is the answer', async () => {
  const look = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
  const budgets = { ...agentDefaults.budgets, rounds: 1 };
  await using harness = await openHarness([look, { raw: 'It is 3.' }], { agent: { budgets } });
  await harness.say('1 + 2?');
  expect(await endOf(harness)).toMatchObject({ degraded: true, text: 'It is 3.' });
});

test('after three unusable replies the answer of the last readable decision is used', async () => {
  const tool_call = { tool_id: 'math.add' };
  const wrong = act({ action: 'complete', tool_call, final_answer: 'It is 3.' });
  const policies = { ...agentDefaults.policies, prose: 'never' as const };
  const raw = `<think>hm</think>${tag('decision', wrong)}`;
  await using harness = await openHarness([{ raw: thinking }, { raw: thinking }, { raw }], {
    agent: { policies },
  });
  await harness.say('1 + 2?');
  expect(await endOf(harness)).toMatchObject({ text: 'It is 3.' });
});

test.each([
  '<think>It is 3.</think>',
  '<tool_call>{"name":"math.add"}</tool_call>',
  '[TOOL CALL tc_1] math.add',
  '<channel:decision>{"action":"dance"}</channel:decision>',
])('protocol fragments are never the answer: %s', async (raw) => {
  await using harness = await openHarness(Array(3).fill({ raw }));
  await harness.say('1 + 2?');
  expect(await endOf(harness)).toMatchObject({
    degraded: true,
    text: 'The model did not give a usable answer. Please ask again.',
  });
});

test.each([
  '{"action":"complete","final_answer":"Services grew and gr',
  '{"action":"complete","final_answer":"Services grew and grew","notes" x}',
])('an answer that was shown and breaks off is kept, marked as degraded: %s', async (decision) => {
  await using harness = await openHarness([
    { raw: `${thinking}<channel:decision>${decision}`, chunk: 4 },
  ]);
  await harness.say('Why?');
  const end = await endOf(harness);
  expect(end).toMatchObject({ reason: 'completed', degraded: true });
  expect(end['text']).toMatch(/^Services grew/);
});

// proves: reply.output-held
test('an answer whose output does not match its schema is not shown, and plain text never replaces it', async () => {
  const output = toOutputSchema(z.strictObject({ n: z.number() }));
  const unfit = { answer: 'Three, I say.', output: { n: 'three' }, chunk: 5 };
  const fit = { answer: 'It is 3.', output: { n: 3 }, chunk: 5 };
  const replies = [{ raw: longProse }, unfit, fit];
  await using harness = await openHarness(replies, { agent: { output } });
  await harness.say('1 + 2?');
  const blocks = await harness.closed();
  expect(codes(blocks)).toEqual([missing, 'protocol_violation.output_invalid']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ text: 'It is 3.', output: { n: 3 } });
  expect((await shown(harness))['answer'] ?? '').not.toContain('Three');
});

test('a refused action stops the generation, and the notice names the action', async () => {
  const traits = ['exploitation'] as const;
  const write = { ...add, spec: { ...add.spec, id: 'math.keep', traits } };
  const change = call.replace('math.add', 'math.keep');
  const raw = `${thinking}${[call, change, complete].map((each) => tag('decision', each)).join('\n')}`;
  const policies = { ...agentDefaults.policies, multiAction: 'safe_fanout' as const };
  const tools = [add, write];
  await using harness = await openHarness([{ raw, chunk: 9 }, { answer: 'Right.' }], {
    tools,
    agent: { policies },
  });
  await harness.say('1 + 2?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.find(({ type }) => type === 'model.call'))['finish']).toBe('violation');
  expect(blocks.filter(({ type }) => type === 'react.tool.call')).toHaveLength(1);
  expect(notices(blocks)[0]?.text).toMatch(
    /math\.keep makes or changes something .* was not called/,
  );
});

type Harness = Awaited<ReturnType<typeof openHarness>>;

async function endOf(harness: Harness) {
  return dataOf((await harness.closed()).at(-1));
}

async function shown(harness: Harness) {
  const texts: Record<string, string> = {};
  for (const frame of await harness.frames()) {
    if (frame.kind === 'delta') texts[frame.marker] = (texts[frame.marker] ?? '') + frame.text;
  }
  return texts;
}

function notices(blocks: readonly Block[]) {
  return blocks.filter(({ type }) => type === 'react.notice');
}

function codes(blocks: readonly Block[]) {
  return notices(blocks).map((each) => dataOf(each)['code']);
}

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
