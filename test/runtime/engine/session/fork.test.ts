import { expect, test } from 'vitest';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import {
  type ConversationKey,
  toConversationKey,
  toSeq,
} from '../../../../runtime/timeline/ids.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const sender = { tenant: 'dev', project: 'dev', user: 'ann' };
const { signal } = new AbortController();
type Harness = Awaited<ReturnType<typeof openHarness>>;

async function forkAt({ engine }: Harness, at: number, newConversation: string) {
  const asked = { conversation: 'conv_test', at: toSeq(at), newConversation };
  const answer = await engine.store.fork(sender, asked, { signal });
  if (answer.status !== 'forked') throw new Error(answer.status);
  return answer.row.key;
}

async function logOf({ engine }: Harness, key: ConversationKey): Promise<readonly Block[]> {
  return await engine.store.read(key, { after: toSeq(0), limit: 10_000, signal });
}

const ends = (blocks: readonly Block[]) =>
  blocks.filter(({ type }) => type === 'turn.close').map(({ data }) => data);

// proves: fork.open-turn
test('a fork of a running turn closes it as interrupted, and both conversations continue independently', async () => {
  await using harness = await openHarness([
    { call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { thinking: 'Slowly', hold: 'busy', answer: 'Three.' },
    { answer: 'Another way.' },
  ]);
  const { key = toConversationKey(0) } = await harness.say('How much is it?');
  await harness.model.held('busy');
  const before = await logOf(harness, key);
  const asked = before.find(({ type }) => type === 'react.tool.call');
  if (!asked) throw new Error('there is no call');
  // Between a call and its result, and at the end of the log: in the middle of a generation.
  const forks = [
    await forkAt(harness, asked.seq, 'conv_in_call'),
    await forkAt(harness, before.length, 'conv_in_answer'),
  ];
  for (const fork of forks) {
    harness.engine.bus.wake(fork);
    const blocks = await harness.until((all) => ends(all).length === 1, fork);
    expect(ends(blocks)[0]).toMatchObject({ reason: 'interrupted' });
    expect(verify(blocks)).toEqual([]);
    expect(foldAll(emptyView, blocks).openTurn).toBeUndefined();
  }
  await harness.say('And otherwise?', { conversation: 'conv_in_answer' });
  const child = await harness.closed(2);
  harness.model.release('busy');
  const parent = await harness.until((all) => ends(all).length === 1, key);
  await harness.idle();
  expect(ends(child)[1]).toMatchObject({ reason: 'completed', text: 'Another way.' });
  expect(ends(parent)).toEqual([expect.objectContaining({ reason: 'completed', text: 'Three.' })]);
  expect(verify(child)).toEqual([]);
  expect(verify(parent)).toEqual([]);
  expect(parent.slice(0, before.length)).toEqual(before);
  expect(parent.some(({ text }) => text === 'And otherwise?')).toBe(false);
});

test('a message in a fork before its open turn is closed gets a turn of its own', async () => {
  await using harness = await openHarness([
    { thinking: 'Slowly', hold: 'busy', answer: 'One.' },
    { answer: 'Two.' },
  ]);
  await harness.say('First');
  await harness.model.held('busy');
  await forkAt(harness, 2, 'conv_fork');
  await harness.say('Second', { conversation: 'conv_fork' });
  const blocks = await harness.closed(2);
  expect(ends(blocks)).toMatchObject([
    { reason: 'interrupted', text: '' },
    { reason: 'completed', text: 'Two.' },
  ]);
  expect(verify(blocks)).toEqual([]);
  harness.model.release('busy');
  await harness.idle();
});

test('wherever a log is forked, the fork becomes a valid log between turns', async () => {
  await using harness = await openHarness([
    { thinking: 'Add', notes: 'adding', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { thinking: 'Slowly', hold: 'busy', answer: 'Three.' },
    { answer: 'Four.' },
  ]);
  await harness.say('First');
  await harness.model.held('busy');
  await harness.say('And one more?', { kind: 'followup' });
  harness.model.release('busy');
  await harness.closed();
  await harness.idle();
  const whole = await harness.blocks();
  for (const { seq } of whole) {
    const key = await forkAt(harness, seq, `conv_${seq}`);
    harness.engine.bus.wake(key);
    const blocks = await harness.until((all) => ends(all).length === 1, key);
    expect(blocks.slice(0, seq)).toEqual(
      whole.slice(0, seq).map((block) => ({ ...block, conversation: `conv_${seq}` })),
    );
    expect(verify(blocks)).toEqual([]);
  }
  await harness.idle();
  expect(whole.length).toBeGreaterThan(15);
});
