import { expect, test } from 'vitest';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { resolve } from '../../../../runtime/timeline/resolve/resolve.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

type Harness = Awaited<ReturnType<typeof openHarness>>;
const done = { answer: 'Done.' };

/** An event that does not make the agent act. */
function tell(harness: Harness, message: string, text: string) {
  const path = paths.external(turnToChoose, 'note', message);
  const draft = { type: 'external.note' as const, path, text, data: { credit: 0 } };
  return harness.write(draft, { reactive: false, message });
}

// proves: i3.between-turns
test('an event that arrives between two turns is read in the next turn, under a path of that turn', async () => {
  await using harness = await openHarness([done, done, done]);
  await harness.say('First');
  await harness.closed();
  await harness.idle();
  const { seq } = await tell(harness, 'm1', 'The window is open');
  expect(harness.model.requests).toHaveLength(1);
  await harness.say('Second');
  await harness.closed(2);
  await harness.idle();
  await harness.say('Third');
  const blocks = await harness.closed(3);
  const [first, ...later] = harness.model.requests.map(({ text }) => text);
  expect(first).not.toContain('The window is open');
  for (const text of later) {
    expect(text).toMatch(/TURN t2\s+\[EXTERNAL EVENT\] note \| .* \| ar:t2\.external\.note\.m1\n/);
    expect(text.split('[LIVE TURN EVENTS]')[0]).toContain('\nThe window is open\n');
  }
  const landed = blocks.filter(({ type }) => type === 'round.open').map(({ data }) => data);
  expect(landed[1]).toMatchObject({ landed: [{ event_id: 'm1', seq }, {}] });
  const view = foldAll(emptyView, blocks);
  expect(resolve(view, 'ar:t2.external.note.m1')?.text).toBe('The window is open');
  expect(verify(blocks)).toEqual([]);
});

// proves: i3.between-turns, recall.unseen
test('an event between two turns that was taken back is never read', async () => {
  await using harness = await openHarness([done]);
  const { key } = await tell(harness, 'm1', 'The secret word');
  expect(key).toBeDefined();
  const path = toBlockPath('ar:none.external.note.m1');
  const recall = { type: 'external.recall' as const, path, text: '(taken back)' };
  await harness.write({ ...recall, data: { event_id: 'm1' } }, { reactive: false });
  await harness.say('First');
  const blocks = await harness.closed();
  expect(harness.model.requests.map(({ text }) => text).join('')).not.toContain('secret');
  expect(verify(blocks)).toEqual([]);
});
