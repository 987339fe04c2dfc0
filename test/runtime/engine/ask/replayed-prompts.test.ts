import { expect, test } from 'vitest';
import { z } from 'zod';
import { hashPrompt } from '../../../../runtime/engine/agent/prompt-hash.ts';
import { replay } from '../../../../runtime/engine/reply/replay.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import {
  type PastRound,
  pastRounds,
  renderPastRound,
  roundAt,
} from '../../../../runtime/timeline/render/past-rounds.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { add, openHarness } from '../kit/harness.ts';

const look = createTool({
  id: 'math.look',
  description: 'Says a lot.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: 'a long look, '.repeat(200) } }),
});

const replies = [
  {
    thinking: 'A plan first.',
    call: { tool: 'react.plan', input: { mode: 'new', steps: ['add', 'answer'] } },
  },
  { thinking: 'Now add.', call: { tool: 'math.add', input: { a: 2, b: 3 } }, hold: 'adding' },
  { raw: 'no channel at all' },
  { answer: 'It is 5, and 5.', summary: 'Goal: add. Outcome: 5.' },
  { answer: 'It was 5.' },
];

/** Everything is old as soon as it is over: the provider's cache expires at once. */
const cold = { maxTokens: 80_000, recentTurns: 1, intactTurns: 1, ttlMs: 10_000 };

// proves: i1.prompt-again
test('every past prompt can be rebuilt from the log and the stored bytes later', async () => {
  await using harness = await openHarness(replies, { tools: [add, ...controlTools] });
  await harness.say('What is 2 + 3?');
  await harness.model.held('adding');
  await harness.say('and 3 + 2?', { kind: 'followup' });
  harness.model.release('adding');
  await harness.closed(1);
  await harness.say('What was it?');
  const blocks = await harness.closed(2);
  expect(await promptsOf(blocks, harness.engine.blobs)).toEqual(
    harness.model.requests.map(({ text }) => text),
  );
});

// proves: timeline.render-at
test('pruning changes no earlier prompt, and prompts sent after it can be rebuilt too', async () => {
  const turn = [{ call: { tool: 'math.look', input: {} } }, { answer: 'Seen. '.repeat(80) }];
  await using harness = await openHarness([...turn, ...turn, ...turn], {
    tools: [look],
    agent: { context: cold },
  });
  for (const count of [1, 2, 3]) {
    await harness.say(`Look, for the ${count}th time.`);
    await harness.closed(count);
  }
  const blocks = await harness.closed(3);
  expect(blocks.filter(({ type }) => type === 'view.prune').length).toBeGreaterThanOrEqual(1);
  const sent = harness.model.requests.map(({ text }) => text);
  expect(sent.at(-1)).toContain('PRUNED TURNS');
  expect(await promptsOf(blocks, harness.engine.blobs)).toEqual(sent);
  const first = roundAt(blocks, toSeq(blocks.find(({ type }) => type === 'round.close')?.seq ?? 0));
  expect(first && (await textOf(first, harness.engine.blobs))).toBe(sent[0]);
});

// proves: timeline.replay
test('a replay of a log gives the same blocks from its replies and the same bytes for its prompts', async () => {
  await using harness = await openHarness(replies, { tools: [add, ...controlTools] });
  await harness.say('What is 2 + 3?');
  await harness.model.held('adding');
  await harness.say('and 3 + 2?', { kind: 'followup' });
  harness.model.release('adding');
  await harness.closed(1);
  await harness.say('What was it?');
  const blocks = await harness.closed(2);
  const text = (hash: string) => kept(harness.engine.blobs, hash);
  expect(await replay(blocks, { text })).toEqual({ prompts: 5, replies: 5, unrecorded: 0 });
  const edited = blocks.map((block) =>
    block.type === 'react.thinking' && block.text === 'Now add.'
      ? { ...block, text: 'Now.' }
      : block,
  );
  expect((await replay(edited, { text })).divergence).toMatchObject({
    type: 'react.thinking',
    field: 'text',
    recorded: 'Now.',
    now: 'Now add.',
  });
  const renamed = blocks.map((block) =>
    block.type === 'user.prompt' ? { ...block, text: `${block.text} Please.` } : block,
  );
  expect((await replay(renamed, { text })).divergence).toMatchObject({
    type: 'round.open',
    field: 'data.prompt',
  });
});

async function promptsOf(blocks: readonly Block[], blobs: BlobStore): Promise<readonly string[]> {
  return Promise.all([...pastRounds(blocks)].map((past) => textOf(past, blobs)));
}

/** The text that the model was sent in a round, from what is stored today. */
async function textOf(past: PastRound, blobs: BlobStore): Promise<string> {
  const system = await kept(blobs, past.opened.hashes.system);
  const { parts } = renderPastRound(past, await kept(blobs, past.opened.hashes.announce));
  expect(hashPrompt({ system, parts })).toBe(past.opened.prompt);
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : ''));
  return [system, ...texts].join('\n');
}

async function kept(blobs: BlobStore, hash: string): Promise<string> {
  const { signal } = new AbortController();
  return Buffer.from(await blobs.get('dev', hash, { signal })).toString();
}
