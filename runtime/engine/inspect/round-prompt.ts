import { Refusal } from '../../base/refusal.ts';
import type { Seq } from '../../timeline/ids.ts';
import { type Absence, absentBlocks } from '../../timeline/origins/absent.ts';
import { type Origin, originsOf } from '../../timeline/origins/origins.ts';
import { viewChanges } from '../../timeline/origins/view-changes.ts';
import type { RenderPart } from '../../timeline/render/parts.ts';
import { type PastRound, renderPastRound, roundAt } from '../../timeline/render/past-rounds.ts';
import { type Beside, besideOf, hashPrompt } from '../agent/prompt-hash.ts';
import { type OpenLog, textOf } from './open-log.ts';

/** The prompt of a past round, rendered again. */
export type RoundPrompt = {
  readonly past: PastRound;
  readonly system: string;
  /** Everything after the system text. */
  readonly parts: readonly RenderPart[];
  readonly beside: Beside;
  /** By our own count, without the system text. */
  readonly tokens: number;
  /** Whether these are the bytes that were sent; undefined: an early version did not record their hash. */
  readonly same: boolean | undefined;
};

/** The prompt of the latest round opened at or before a block. Refusal `not_found`. */
export async function promptAt(log: OpenLog, seq: Seq): Promise<RoundPrompt> {
  const past = roundAt(log.blocks, seq);
  if (!past) throw new Refusal('not_found', `no round was opened at or before block ${seq}`);
  return await promptOf(log, past);
}

export async function promptOf(
  log: Pick<OpenLog, 'row' | 'blobs' | 'signal'>,
  past: PastRound,
): Promise<RoundPrompt> {
  const { hashes, prompt } = past.opened;
  const system = await textOf(log, hashes.system);
  const { parts, tokens } = renderPastRound(past, await textOf(log, hashes.announce));
  const offer = hashes.offer === undefined ? undefined : await textOf(log, hashes.offer);
  const beside = besideOf(past.opened, offer);
  const same = prompt === undefined ? undefined : prompt === hashPrompt({ system, parts, beside });
  return { past, system, parts, beside, tokens, same };
}

/** Where each passage of a prompt comes from, and why other blocks are not in it. */
export type PromptSources = {
  /** Of each part. */
  readonly origins: readonly (readonly Origin[])[];
  readonly absent: readonly Absence[];
};

export function sourcesOf(
  { blocks: all }: Pick<OpenLog, 'blocks'>,
  { past, parts }: Pick<RoundPrompt, 'past' | 'parts'>,
): PromptSources {
  const blocks = all.filter(({ seq }) => seq <= past.opened.as_of);
  const changes = viewChanges(blocks);
  const origins = originsOf(past, { parts, blocks, changes });
  return { origins, absent: absentBlocks(past, { origins, blocks, changes }) };
}
