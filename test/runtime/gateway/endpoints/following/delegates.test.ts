import { expect, test } from 'vitest';
import { z } from 'zod';
import { openStage, type Stage } from '../../stage.ts';
import { allEvents, type ServerEvent } from '../events.ts';
import { begin, delegate, runPlan } from './delegating.ts';

const printed = z.object({
  message: z.object({ name: z.string() }).optional(),
  name: z.string().optional(),
});

/** Who speaks and who ends, in order, each once in a row. */
function speakers(events: readonly ServerEvent[]): readonly string[] {
  const names = events.map(({ event, data }) => {
    const { message, name = '' } = printed.parse(JSON.parse(data));
    return event === 'end' ? `end of ${name}` : (message?.name ?? '');
  });
  return names.filter((name, at) => name !== names[at - 1]);
}

function watch(stage: Stage, headers: Record<string, string> = {}): Promise<Response> {
  const path = '/api/chat/dev/dev/conversations/conv_parent/stream?as=agentscope';
  return fetch(new URL(path, stage.gateway.url), { headers });
}

// proves: endpoints.delegates
test('an agent that works on a call appears on the stream of its caller, and ends before the result is shown', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const live = watch(stage);
  await delegate(stage, parent);
  const events = await allEvents(await live);
  expect(speakers(events)).toEqual(['main', 'end of main', 'system', 'main', 'end of main']);
  const texts = events.map(({ data }) => data).join('\n');
  expect([texts.includes('Found it.'), texts.includes('Here it is.')]).toEqual([true, true]);
  const later = await allEvents(await watch(stage));
  expect(speakers(later)).toEqual(speakers(events));
});

// proves: endpoints.delegates
test('a watcher that comes back after the result of the call is not shown its agent again', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const live = watch(stage);
  await delegate(stage, parent);
  const events = await allEvents(await live);
  const result = events.find(({ data }) => data.includes('tool_result'));
  const rest = await allEvents(await watch(stage, { 'last-event-id': result?.id ?? '' }));
  expect(speakers(rest)).toEqual(['main', 'end of main']);
});

// proves: endpoints.delegates
test('the agents of all steps of a plan appear on the stream of its caller before the result', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const live = watch(stage);
  await runPlan(stage, parent, ['a', 'b']);
  const texts = (await allEvents(await live)).map(({ data }) => data).join('\n');
  const places = ['Did a.', 'Did b.', 'Here it is.'].map((text) => texts.indexOf(text));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(Math.max(...places)).toBe(places.at(-1));
  expect(texts.indexOf('tool_result')).toBeGreaterThan(Math.max(...places.slice(0, 2)));
});
