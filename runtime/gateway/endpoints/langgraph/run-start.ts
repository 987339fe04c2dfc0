import { Refusal } from '../../../base/refusal.ts';
import { toSeq, toTurnId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { afterBlock } from '../../feed/cursor.ts';
import type { HttpParts } from '../../http/context.ts';
import { type ResumePoint, sentUpTo } from '../../projections/resume-point.ts';
import { extentOfTurn } from '../turn-lookup.ts';
import { resumePointOf } from '../turn-stream.ts';

/** Where the stream of a run begins: after an event, or at the start of its turn. Refusal `not_found`. */
export async function startOfRun(
  row: ConversationRow,
  { run, last }: { run: string; last: string | undefined },
  parts: HttpParts,
): Promise<ResumePoint> {
  if (last !== undefined || row.openTurn === run) return resumePointOf(row, last, parts);
  const { deps, closing: signal } = parts;
  const prompt = await deps.store.atPath(row.key, paths.prompt(toTurnId(run)), { signal });
  const opened = prompt
    ? // The prompt follows the opening of its turn, or the transcript that came with it.
      await openingBefore(row, prompt.seq, parts)
    : // A turn that answers a message which the turn before has not read has no prompt.
      (await extentOfTurn(row, toTurnId(run), { store: deps.store, signal }))?.first;
  if (opened === undefined) throw new Refusal('not_found', `run ${run} not found`);
  return sentUpTo(afterBlock(toSeq(opened - 1), opened));
}

async function openingBefore(
  { key }: ConversationRow,
  prompt: number,
  { deps, closing: signal }: HttpParts,
): Promise<number> {
  const after = toSeq(Math.max(0, prompt - 3));
  const blocks = await deps.store.read(key, { after, limit: 3, signal });
  return blocks.find(({ type }) => type === 'turn.open')?.seq ?? prompt;
}
