import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Model, ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { pastRounds, renderPastRound } from '../../../../runtime/timeline/render/past-rounds.ts';
import { faultsInMessages } from '../../../tools/provider-rules/message-rules.ts';
import { openHarness } from '../kit/harness.ts';

// proves: prompt.form-choice, prompt.own-replies

const replies = [
  { thinking: 'Add them.', call: { tool: 'math.add', input: { a: 2, b: 3 } } },
  { thinking: 'Done.', answer: 'It is 5.', summary: 'Goal: add.' },
  { raw: 'no channel at all' },
  { answer: 'Still 5.' },
];

type Form = 'text' | 'messages';

/** A model of a profile that may change, and what it was sent. */
function profiled(profile: { form?: Form }, sent: ModelRequest[]) {
  return (model: Model): Model => ({
    id: model.id,
    contextTokens: model.contextTokens,
    costUsd: () => 0,
    ...(profile.form ? { promptForm: profile.form } : {}),
    stream: (request, options) => {
      sent.push(request);
      return model.stream(request, options);
    },
  });
}

function rounds(blocks: readonly Block[]) {
  return blocks.filter(({ type }) => type === 'round.open').map(({ data }) => data);
}

function breaks(blocks: readonly Block[]): readonly unknown[] {
  return blocks
    .filter(({ type }) => type === 'cache.break')
    .map(({ data }) => isJsonObject(data) && data['cause']);
}

test('an agent may choose the message form: its model reads its own replies as messages, and SOURCES and ANNOUNCE last', async () => {
  const sent: ModelRequest[] = [];
  await using harness = await openHarness(replies, {
    agent: { promptForm: 'messages' },
    through: profiled({}, sent),
  });
  await harness.say('What is 2 + 3?');
  await harness.closed(1);
  await harness.say('Sure?');
  const blocks = await harness.closed(2);
  expect(sent.map(({ parts }) => parts)).toEqual([[], [], [], []]);
  const [first, second, third, last] = sent.map(({ messages = [] }) => messages);
  for (const messages of [first, second, third, last])
    expect(faultsInMessages(messages ?? [])).toEqual([]);
  expect(first?.map(({ role }) => role)).toEqual(['user']);
  expect(second?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  const requests = harness.model.requests.map(({ messages }) => messages);
  expect(requests[1]?.[1]?.text).toBe(
    '<channel:thinking>Add them.</channel:thinking>\n' +
      '<channel:ReactDecisionOutV2>{"action":"call_tool","tool_call":{"tool_id":"math.add","params":{"a":2,"b":3}}}</channel:ReactDecisionOutV2>',
  );
  expect(requests[1]?.[2]?.text).toMatch(
    /^\[ROUND 1\]\n\n\[TOOL RESULT c1\] ok .*\n5\n[\s\S]*\[BUDGET\]/,
  );
  expect(requests[3]?.at(-1)?.text).toContain('[PROTOCOL VIOLATION]');
  expect(rounds(blocks)).toMatchObject(
    Array.from({ length: 4 }, () => ({ form: 'messages', renderer: 'timeloom-messages-6' })),
  );
  expect(breaks(blocks)).toEqual([]);
});

test('without a choice of the agent, the model decides, and a change of its form is a declared break', async () => {
  const profile: { form?: Form } = {};
  const sent: ModelRequest[] = [];
  await using harness = await openHarness(replies, { through: profiled(profile, sent) });
  await harness.say('What is 2 + 3?');
  await harness.closed(1);
  await harness.idle();
  profile.form = 'messages';
  await harness.say('Sure?');
  const blocks = await harness.closed(2);
  expect(sent.map(({ messages }) => messages !== undefined)).toEqual([false, false, true, true]);
  expect(rounds(blocks)[0]).not.toHaveProperty('form');
  expect(breaks(blocks)).toEqual(['form']);
});

// proves: prompt.carry
test('native tools: calls go back as calls, in pairs with their results, behind the reasoning that their provider signed', async () => {
  const sent: ModelRequest[] = [];
  const item = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const thinks = (model: Model): Model => ({
    ...profiled({ form: 'messages' }, sent)(model),
    abilities: { tools: true, forcedChoice: true, json: true },
    async *stream(request, options) {
      sent.push(request);
      yield { kind: 'carry', provider: 'anthropic', item };
      yield* model.stream(request, options);
    },
  });
  await using harness = await openHarness(replies.slice(0, 2), { through: thinks });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed(1);
  const [, second] = sent;
  expect(faultsInMessages(second?.messages ?? [])).toEqual([]);
  const [, reply, after] = second?.messages ?? [];
  const call = blocks.find(({ type }) => type === 'react.tool.call')?.call;
  expect(reply).toEqual({
    role: 'assistant',
    parts: [
      { kind: 'carry', provider: 'anthropic', item },
      { kind: 'text', text: '<channel:thinking>Add them.</channel:thinking>' },
      { kind: 'call', call, name: 'math__add', input: { a: 2, b: 3 } },
    ],
  });
  expect(after?.parts[0]).toMatchObject({ kind: 'result', call, ok: true });
  expect(blocks.find(({ type }) => type === 'model.call')?.data).toMatchObject({
    carry: { family: 'scripted:test', blob: {} },
  });
});

test.each(protocols)(
  'in %s, every prompt of a conversation with calls, a followup and a steer is legal, and a replay gives it again',
  async (protocol) => {
    const sent: ModelRequest[] = [];
    const script = [
      { thinking: 'Add.', notes: 'Adding', call: { tool: 'math.add', input: { a: 2, b: 3 } } },
      { thinking: 'Once more.', call: { tool: 'math.add', input: { a: 1, b: 1 } }, hold: 'more' },
      { thinking: 'Stop.', hold: 'end', answer: 'It is 5.', summary: 'Goal: add.' },
      { answer: 'Stopped.', followups: ['And 3 + 3?'], summary: 'Goal: add.' },
      { answer: 'Yes.' },
    ];
    await using harness = await openHarness(script, {
      agent: { promptForm: 'messages', protocol },
      through: (model) => ({
        ...profiled({}, sent)(model),
        abilities: { tools: true, forcedChoice: true, json: true },
      }),
    });
    await harness.say('What is 2 + 3?');
    await harness.model.held('more');
    await harness.say('and 1 + 1?', { kind: 'followup' });
    harness.model.release('more');
    await harness.model.held('end');
    await harness.say('stop', { kind: 'steer' });
    await harness.closed(1);
    await harness.say('Sure?');
    await harness.closed(2);
    expect(sent).toHaveLength(5);
    for (const { messages = [] } of sent) expect(faultsInMessages(messages)).toEqual([]);
  },
);

test('a past prompt in message form is rebuilt as it was sent, part for part', async () => {
  const sent: ModelRequest[] = [];
  await using harness = await openHarness(replies, {
    agent: { promptForm: 'messages' },
    through: profiled({}, sent),
  });
  await harness.say('What is 2 + 3?');
  await harness.closed(1);
  const { signal } = new AbortController();
  const [, past] = [...pastRounds(await harness.blocks())];
  const announce = past?.opened.hashes.announce ?? '';
  const text = Buffer.from(await harness.engine.blobs.get('dev', announce, { signal })).toString();
  const parts = past ? renderPastRound(past, text).parts : [];
  const texts = (sent[1]?.messages ?? []).flatMap(({ parts: content }) =>
    content.flatMap((part: { kind: string; text?: string }) => part.text ?? part.kind),
  );
  expect(parts.map((part) => (part.kind === 'text' ? part.text : ''))).toEqual(texts);
});
