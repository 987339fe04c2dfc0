import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineTool,
} from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';
import { bundleWith, compile } from '../../sdk/kit.ts';

const look = defineTool({ id: 'site.look', description: 'x', input: z.object({}), run: () => 1 });
const payload = z.object({});
const text = () => 'it happened';
const bundle = defineBundle({
  id: 'acme',
  version: '1',
  agents: [defineAgent({ id: 'main', instruction: 'x', tools: [look], budgets: { rounds: 5 } })],
  events: [
    defineEvent({ kind: 'note', payload, text }),
    defineEvent({ kind: 'tick', payload, text, reactive: true }),
    defineEvent({ kind: 'order', payload, text, reactive: true, credit: 1 }),
  ],
});

// proves: events.credit
test.each([
  ['note', 'Round 2/5'],
  ['tick', 'Round 2/5'],
  ['order', 'Round 2/6 (1 more for what came in)'],
])('an event of kind %s leaves the turn at %s', async (kind, bar) => {
  const model = [{ hold: 'first', call: { tool: 'site.look', input: {} } }, { answer: 'Done.' }];
  await using runtime = await openRuntime({ bundle, model });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Look');
  await runtime.model.held('first');
  await conversation.event(kind, {});
  runtime.model.release('first');
  await turn.done();
  expect(runtime.model.requests[1]?.text).toContain(bar);
  expect(runtime.model.requests[1]?.text.includes('more for what came in')).toBe(kind === 'order');
});

// proves: events.credit
test('a credit on a kind that is not reactive makes loading fail', async () => {
  const events = [defineEvent({ kind: 'note', payload, text, credit: 1 })];
  await expect(compile(bundleWith([], { events }))).rejects.toThrow(
    /“note” has a credit, but only a reactive event can have one/,
  );
});
