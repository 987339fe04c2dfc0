import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openDesk, outline } from '../kit/harness.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;
const done = { answer: 'Done.' };

/** Takes the event back that was accepted at `seq`. */
async function recall(desk: Desk, seq: number) {
  const event = (await desk.blocks()).find((block) => block.seq === seq) as Block;
  const { path = '', event: event_id = '' } = event;
  return desk.write(
    { type: 'external.recall', path, text: '(taken back)', data: { event_id } },
    { reactive: false },
  );
}

const told = (desk: Desk) => desk.model.requests.map(({ text }) => text).join('\n');

// proves: recall.unseen
test('a followup that was taken back is never read, earns no round and keeps no turn open', async () => {
  await using desk = await openDesk([{ thinking: 'Hm', hold: 'here', ...done }]);
  await desk.say('First');
  await desk.model.held('here');
  const { seq } = await desk.say('The secret word', { kind: 'followup' });
  await recall(desk, seq);
  desk.model.release('here');
  const blocks = await desk.closed();
  expect(outline(blocks, 'round.open')).toHaveLength(1);
  expect(told(desk)).not.toContain('secret');
  expect(verify(blocks)).toEqual([]);
});

test('what is said after it is answered, without it', async () => {
  await using desk = await openDesk([{ thinking: 'Hm', hold: 'here', ...done }, done]);
  await desk.say('First');
  await desk.model.held('here');
  const { seq } = await desk.say('The secret word', { kind: 'followup' });
  await recall(desk, seq);
  await desk.say('Something else', { kind: 'followup' });
  desk.model.release('here');
  const blocks = await desk.closed();
  expect(outline(blocks, 'round.open')).toHaveLength(2);
  expect(told(desk)).toContain('Something else');
  expect(told(desk)).not.toContain('secret');
  expect(told(desk)).not.toContain('taken back');
  const opens = blocks.filter(({ type }) => type === 'round.open');
  expect(JSON.stringify(opens.at(-1)?.data)).not.toContain(`"seq":${seq}`);
});

test('a turn whose only prompt was taken back ends without a question to the model', async () => {
  await using desk = await openDesk([done]);
  await desk.pause();
  const { seq } = await desk.say('The secret word');
  await recall(desk, seq);
  await desk.restart();
  const blocks = await desk.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'interrupted', text: '' });
  expect(desk.model.requests).toEqual([]);
  await desk.say('Hello');
  await desk.closed(2);
  expect(told(desk)).not.toContain('secret');
});

// proves: recall.true
test('a recall that comes after the round has begun changes nothing', async () => {
  await using desk = await openDesk([{ thinking: 'Hm', hold: 'here', ...done }, done]);
  const { seq } = await desk.say('The word');
  await desk.model.held('here');
  await recall(desk, seq);
  desk.model.release('here');
  const blocks = await desk.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed' });
  await desk.say('Again');
  await desk.closed(2);
  expect(desk.model.requests.at(-1)?.text).toContain('The word');
});

test('a steer with words in a turn that a stop ended is not read once it was taken back', async () => {
  await using desk = await openDesk([done]);
  await desk.pause();
  await desk.say('Review the whole year');
  await desk.say('', { kind: 'steer' });
  const { seq } = await desk.say('The secret word', { kind: 'steer' });
  const { store } = desk.engine;
  const append = store.append.bind(store);
  store.append = async (key, request, waits) => {
    const appended = await append(key, request, waits);
    if (request.blocks.some(({ type }) => type === 'turn.open')) await recall(desk, seq);
    return appended;
  };
  await desk.restart();
  const blocks = await desk.closed(2);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'interrupted' });
  expect(told(desk)).not.toContain('secret');
});
