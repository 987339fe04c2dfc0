import type { Block } from '../block.ts';
import { dataOf, understands } from '../catalogue/catalogue.ts';
import type { TurnId } from '../ids.ts';
import { feedbackKeptMax } from '../limits.ts';
import type { FeedbackRow, TurnView } from '../view.ts';
import { type MutableView, mutableTurn } from './mutable-view.ts';

/** What a block says of a turn; without a row it withdraws what its path said before. */
export function feedbackOf(
  block: Block,
): { readonly turn: TurnId; readonly row: FeedbackRow | undefined } | undefined {
  const data = understands(block) ? dataOf('feedback', block) : undefined;
  if (!data) return undefined;
  const { path = '', seq, text = '' } = block;
  const { turn_id: turn, reaction, origin, confidence = 1 } = data;
  const machine = origin === 'machine' ? { machine: { confidence } } : {};
  const row = reaction === null ? undefined : { path, seq, turn, reaction, text, ...machine };
  return { turn, row };
}

/**
 * Feedback belongs to the turn that it names, not to the turn that was open when it arrived; it does not bring a removed
 * turn back into the view. The newest block of a path counts, and `null` withdraws earlier feedback.
 */
export function foldFeedback(work: MutableView, block: Block): void {
  const found = feedbackOf(block);
  if (!found) return;
  const { turn, row } = found;
  const others = work.feedback.filter(({ path }) => path !== block.path);
  work.feedback = [...others, ...(row ? [row] : [])].slice(-feedbackKeptMax);
  if (!work.turns.some(({ id }) => id === turn)) return;
  mutableTurn(work, { ...block, turn }).turn.blocks.push(block);
}

/** A closed turn has seen the feedback that arrived before its last round with a reply; later feedback is for the next turn. */
export function dropDeliveredFeedback(work: MutableView, turn: TurnView): void {
  const seenSeq = turn.rounds.findLast(({ modelCall }) => modelCall !== undefined)?.asOf ?? 0;
  if (work.feedback.some(({ seq }) => seq <= seenSeq)) {
    work.feedback = work.feedback.filter(({ seq }) => seq > seenSeq);
  }
}
