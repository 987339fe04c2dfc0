import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';

type Harness = Awaited<ReturnType<typeof openHarness>>;
const done = { answer: 'Done.' };

/** Takes back the event that was accepted at `seq`. */
async function recall(harness: Harness, seq: number) {
  const event = (await harness.blocks()).find((block) => block.seq === seq) as Block;
  const { path = '', event: event_id = '' } = event;
  return harness.write(
    { type: 'external.recall', path: toBlockPath(path), text: '(taken back)', data: { event_id } },
    { reactive: false },
  );
}

const prompts = (harness: Harness) => harness.model.requests.map(({ text }) => text).join('\n');

// proves: recall.unseen
test('a followup that was taken back is never read, earns no round and keeps no turn open', async () => {
  await using harness = await openHarness([{ thinking: 'Hm', hold: 'here', ...done }]);
  await harness.say('First');
  await harness.model.held('here');
  const { seq } = await harness.say('The secret word', { kind: 'followup' });
  await recall(harness, seq);
  harness.model.release('here');
  const blocks = await harness.closed();
  expect(outline(blocks, 'round.open')).toHaveLength(1);
  expect(prompts(harness)).not.toContain('secret');
  expect(verify(blocks)).toEqual([]);
});

test('a later message is answered without the withdrawn one', async () => {
  await using harness = await openHarness([{ thinking: 'Hm', hold: 'here', ...done }, done]);
  await harness.say('First');
  await harness.model.held('here');
  const { seq } = await harness.say('The secret word', { kind: 'followup' });
  await recall(harness, seq);
  await harness.say('Something else', { kind: 'followup' });
  harness.model.release('here');
  const blocks = await harness.closed();
  expect(outline(blocks, 'round.open')).toHaveLength(2);
  expect(prompts(harness)).toContain('Something else');
  expect(prompts(harness)).not.toContain('secret');
  expect(prompts(harness)).not.toContain('taken back');
  const opens = blocks.filter(({ type }) => type === 'round.open');
  expect(JSON.stringify(opens.at(-1)?.data)).not.toContain(`"seq":${seq}`);
});

test('a turn whose only prompt was taken back ends without a model call', async () => {
  await using harness = await openHarness([done]);
  await harness.pause();
  const { seq } = await harness.say('The secret word');
  await recall(harness, seq);
  await harness.restart();
  const blocks = await harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'interrupted', text: '' });
  expect(harness.model.requests).toEqual([]);
  await harness.say('Hello');
  await harness.closed(2);
  expect(prompts(harness)).not.toContain('secret');
});

// proves: recall.true
test('a recall after the start of the round changes nothing', async () => {
  await using harness = await openHarness([{ thinking: 'Hm', hold: 'here', ...done }, done]);
  const { seq } = await harness.say('The word');
  await harness.model.held('here');
  await recall(harness, seq);
  harness.model.release('here');
  const blocks = await harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed' });
  await harness.say('Again');
  await harness.closed(2);
  expect(harness.model.requests.at(-1)?.text).toContain('The word');
});

test('a steer with text in a stopped turn is not read once it was taken back', async () => {
  await using harness = await openHarness([done]);
  await harness.pause();
  await harness.say('Review the whole year');
  await harness.say('', { kind: 'steer' });
  const { seq } = await harness.say('The secret word', { kind: 'steer' });
  const { store } = harness.engine;
  const append = store.append.bind(store);
  store.append = async (key, request, waits) => {
    const appended = await append(key, request, waits);
    if (request.blocks.some(({ type }) => type === 'turn.open')) await recall(harness, seq);
    return appended;
  };
  await harness.restart();
  const blocks = await harness.closed(2);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'interrupted' });
  expect(prompts(harness)).not.toContain('secret');
});
