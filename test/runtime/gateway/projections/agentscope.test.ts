import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentScope } from '../../../../runtime/gateway/projections/agentscope/agentscope.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';
import { Scene } from './scene.ts';

const frame = z.strictObject({
  message: z.strictObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(['assistant', 'system']),
    content: z.array(z.looseObject({ type: z.string() })),
  }),
  last: z.boolean(),
});

function printed(name: string) {
  const frames = framesOf(agentScope.open, name);
  const messages = frames.filter(({ event }) => event === undefined);
  const ends = frames.flatMap(({ event, data }) => (event === 'end' ? [JSON.parse(data)] : []));
  return { frames, messages: messages.map(({ data }) => frame.parse(JSON.parse(data))), ends };
}

// proves: endpoints.agentscope
test('every turn of the corpus has its recorded frames', () =>
  expectGolden('agentscope', agentScope.open));

// proves: endpoints.agentscope
test.each(Object.keys(corpus))(
  '%s: each message ends complete, and one event ends the agent',
  (name) => {
    const { frames, messages, ends } = printed(name);
    const latest = new Map(messages.map((one) => [one.message.id, one]));
    const incomplete = [...latest.values()].filter(
      ({ last, message }) => !last && message.content.length > 0,
    );
    // A program that is cut off leaves its progress.
    expect(incomplete).toEqual([]);
    expect(ends).toEqual([expect.objectContaining({ name: 'main' })]);
    expect(frames.at(-1)?.event).toBe('end');
  },
);

test.each([
  ['plain answer', 'It is 3.'],
  ['a retried generation', 'It is 3.'],
  ['a followup and a steer', '21'],
])('%s: the last message has the answer and nothing that was discarded', (name, answer) => {
  const last = printed(name).messages.at(-1)?.message.content ?? [];
  expect(last.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: answer }]);
});

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
const block = z.union([
  text,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    ...{ id: z.string(), name: z.string(), input: z.record(z.string(), z.json()) },
    ...{ state: z.literal('awaiting_approval').optional(), request: z.string().optional() },
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    ...{ id: z.string(), name: z.string(), output: z.union([z.string(), z.array(text)]) },
  }),
  z.strictObject({ type: z.literal('image'), source: z.looseObject({ type: z.literal('url') }) }),
]);

// proves: endpoints.agentscope
test.each(Object.keys(corpus))('%s: every block has the fields of its kind', (name) => {
  for (const { message } of printed(name).messages) {
    expect(z.array(block).safeParse(message.content).error).toBeUndefined();
    const isResult = message.content.some(({ type }) => type === 'tool_result');
    expect([message.role, isResult]).toEqual(isResult ? ['system', true] : ['assistant', false]);
  }
});

/** A block without its end: a longer block of the same kind begins with it. */
function beginning(each: object): string {
  return JSON.stringify(each).slice(0, -2);
}

// proves: endpoints.agentscope
test.each(['plain answer', 'a tool', 'a canvas and sources'])(
  '%s: each frame has the whole message so far, so that nothing has to be joined',
  (name) => {
    const latest = new Map<string, readonly object[]>();
    for (const { message } of printed(name).messages) {
      for (const [at, before] of (latest.get(message.id) ?? []).entries()) {
        expect(JSON.stringify(message.content[at])).toContain(beginning(before));
      }
      latest.set(message.id, message.content);
    }
  },
);

// proves: endpoints.agentscope
test('the last frame of reasoning, of a result and of the answer each are the last of their message', () => {
  const last = printed('a tool').messages.flatMap(({ message, last: isLast }) => {
    return isLast ? [message.content.at(-1)?.type] : [];
  });
  expect(last).toEqual(['tool_use', 'tool_result', 'text']);
});

// proves: endpoints.agentscope
test('a failed call is a result that begins with Error, and the agent goes on', () => {
  const { messages } = printed('a tool that fails');
  const results = messages.flatMap(({ message }) =>
    message.content.flatMap((each) => (each['type'] === 'tool_result' ? [each['output']] : [])),
  );
  expect(results).toEqual(['Error: no such city']);
  expect(messages.at(-1)?.message.content).toMatchObject([{ text: 'I do not know.' }]);
});

// proves: endpoints.resume
test.each([
  { said: 'It is 3.', more: [] },
  { said: 'It is 3. Or so.', more: [true] },
])(
  'after the end of a text its block “$said” brings only what the client does not have',
  ({ said, more }) => {
    const scene = new Scene();
    scene.block('turn.open', { data: { agent: 'main' } });
    const opened = scene.envelopes.length;
    scene.delta('answer', 'It is 3.', { completed: true });
    const shown = scene.envelopes.length;
    const data = { stream: scene.stream('answer'), raw: said };
    scene.block('assistant.completion', { text: said, data });
    const names = { conversation: 'conv_a', turn: 'turn_1' };
    const [first, second] = [agentScope.open(names), agentScope.open(names)];
    for (const envelope of scene.envelopes.slice(0, shown)) first.take(envelope);
    for (const envelope of scene.envelopes.slice(0, opened)) second.take(envelope);
    second.resume?.(first.streams?.() ?? new Map());
    const rest = scene.envelopes.slice(shown).flatMap((envelope) => second.take(envelope));
    expect(rest.map(({ data }) => frame.parse(JSON.parse(data)).last)).toEqual(more);
  },
);
