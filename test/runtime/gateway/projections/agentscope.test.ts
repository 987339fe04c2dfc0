import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentScope } from '../../../../runtime/gateway/projections/agentscope/agentscope.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

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
