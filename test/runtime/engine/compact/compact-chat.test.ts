import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { hashPrompt } from '../../../../runtime/engine/agent/prompt-hash.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import type { BlobStore } from '../../../../runtime/timeline/ports/blobs.ts';
import {
  type PastRound,
  pastRounds,
  renderPastRound,
} from '../../../../runtime/timeline/render/past-rounds.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const small = { context: { ...agentDefaults.context, maxTokens: 17_000 } };
const long = 'The harbour was quiet and the lamps were lit one by one. '.repeat(24);
const summary = {
  role: 'summary' as const,
  raw: 'Active work: the harbour. Decisions: lamps are lit one by one, as the town asked. Next: wait.',
};
const answers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ answer: `${n} ${long}` }));

// proves: compact.for-ever, i1.prompt-again
test('a chat of sixty turns stays within its limit through repeated compaction', async () => {
  const replies = [...answers(60), ...Array.from({ length: 30 }, () => summary)];
  await using harness = await openHarness(replies, { agent: small });
  for (let turn = 1; turn <= 60; turn += 1) {
    await harness.say(`${turn} ${long}`);
    await harness.closed(turn);
  }
  const blocks = await harness.blocks();
  expect(of(blocks, 'compact.close').length).toBeGreaterThan(5);
  for (const { tokens_before, tokens_after, status, how } of of(blocks, 'compact.close')) {
    expect({ status, how }).toEqual({ status: 'completed', how: 'model' });
    expect(Number(tokens_after)).toBeLessThan(Number(tokens_before));
  }
  expect(of(blocks, 'turn.close').every(({ reason }) => reason === 'completed')).toBe(true);
  expect(verify(blocks)).toEqual([]);
  const again = [...pastRounds(blocks)];
  expect(again).toHaveLength(60);
  for (const round of again) {
    expect(await hashAgain(round, harness.engine.blobs)).toBe(round.opened.prompt);
  }
  for (const { usage } of of(blocks, 'model.call')) {
    const sent = usage as Record<string, number>;
    const tokens = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens'];
    expect(tokens.reduce((sum, kind) => sum + (sent[kind] ?? 0), 0)).toBeLessThan(17_000);
  }
});

/** The hash of a past prompt, rebuilt from the log and the stored texts alone. */
async function hashAgain(round: PastRound, blobs: BlobStore): Promise<string> {
  const { signal } = new AbortController();
  const kept = async (hash: string) =>
    new TextDecoder().decode(await blobs.get('dev', hash, { signal }));
  const { system, announce } = round.opened.hashes;
  const { parts } = renderPastRound(round, await kept(announce));
  return hashPrompt({ system: await kept(system), parts });
}

function of(blocks: readonly Block[], type: string): readonly JsonObject[] {
  return blocks.flatMap((block) =>
    block.type === type && isJsonObject(block.data) ? [block.data] : [],
  );
}
