import { expect, test } from 'vitest';
import { z } from 'zod';
import { openStage, type Stage } from '../../stage.ts';
import { allEvents } from '../events.ts';
import { answer, begin, delegate } from './delegating.ts';

const polled = z.object({
  ok: z.literal(true),
  frames: z.array(z.object({ event: z.string().optional(), data: z.json() })),
  after: z.string(),
  over: z.boolean(),
});
type Polled = z.infer<typeof polled>;

function path(as: string, query: string) {
  return `/api/chat/dev/dev/conversations/conv_parent/${query}as=${as}`;
}

async function poll(stage: Stage, as: string, query = ''): Promise<Polled> {
  const response = await fetch(new URL(path(as, 'frames?') + query, stage.gateway.url));
  return polled.parse(await response.json());
}

/** Every frame of a turn, one poll after the other. */
async function pollAll(stage: Stage, as: string): Promise<Polled['frames']> {
  const frames: Polled['frames'][number][] = [];
  let after = '';
  for (;;) {
    const next = await poll(stage, as, `&after=${encodeURIComponent(after)}`);
    frames.push(...next.frames);
    if (next.over) return frames;
    after = next.after;
  }
}

async function streamed(stage: Stage, as: string) {
  const events = await allEvents(await fetch(new URL(path(as, 'stream?'), stage.gateway.url)));
  return events.map(({ event, data }) => ({
    ...(event === 'message' ? {} : { event }),
    data: z.json().parse(JSON.parse(data)),
  }));
}

// proves: endpoints.poll
test.each([['agentscope'], ['fim'], ['ag-ui'], ['langgraph']])(
  'a client that polls gets the frames of %s that a stream sends',
  async (as) => {
    await using stage = await openStage();
    const player = await begin(stage, 'conv_parent');
    const all = pollAll(stage, as);
    await answer(player, 'Here it is.');
    expect(JSON.stringify(await all)).toContain('Here it is.');
    expect(await pollAll(stage, as)).toEqual(await streamed(stage, as));
  },
);

// proves: endpoints.poll
test('an agent that works on a call is polled once, and ends before the result of the call', async () => {
  await using stage = await openStage();
  const parent = await begin(stage, 'conv_parent');
  const all = pollAll(stage, 'agentscope');
  await delegate(stage, parent);
  const frames = await all;
  const ends = frames.flatMap(({ event }, at) => (event === 'end' ? [at] : []));
  expect(ends).toHaveLength(2);
  const result = frames.findIndex(({ data }) => JSON.stringify(data).includes('tool_result'));
  expect(result).toBeGreaterThan(ends[0] ?? Number.NaN);
  const shown = frames.map((frame) => JSON.stringify(frame));
  expect(new Set(shown).size).toBe(shown.length);
});

// proves: endpoints.poll
test('a poll that nothing happens in is empty and keeps its place', async () => {
  await using stage = await openStage();
  await begin(stage, 'conv_parent');
  const first = await poll(stage, 'agentscope', '&wait=0');
  expect(first.frames).toMatchObject([{ data: { message: { content: [] }, last: false } }]);
  const again = await poll(stage, 'agentscope', `&wait=0&after=${encodeURIComponent(first.after)}`);
  expect(again).toEqual({ ok: true, frames: [], after: first.after, over: false });
});

test.each([
  ['as=ai', 'invalid_input'],
  ['as=fim&after=nonsense', 'cursor_invalid'],
  ['as=fim&after=%7Cno', 'cursor_invalid'],
  ['as=fim&wait=61', 'invalid_input'],
])('a poll with %s is %s', async (query, code) => {
  await using stage = await openStage();
  await begin(stage, 'conv_parent');
  const url = new URL(path('', 'frames?').replace('as=', query), stage.gateway.url);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
});
