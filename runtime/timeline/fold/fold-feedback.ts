import type { Block } from '../block.ts';
import { dataOf, understands } from '../catalogue/catalogue.ts';
import { feedbackKeptMax } from '../limits.ts';
import type { TurnView } from '../view.ts';
import { type MutableView, mutableTurn } from './mutable-view.ts';

/**
 * Feedback belongs to the turn that it names, not to the turn that was open when it arrived; it does not bring a removed
 * turn back into the view. The newest block of a path counts, and `null` withdraws earlier feedback.
 */
export function foldFeedback(work: MutableView, block: Block): void {
  const data = understands(block) ? dataOf('feedback', block) : undefined;
  if (!data) return;
  const { path = '', seq, text = '' } = block;
  const { turn_id: turn, reaction, origin, confidence = 1 } = data;
  const machine = origin === 'machine' ? { machine: { confidence } } : {};
  const others = work.feedback.filter((row) => row.path !== path);
  const row = reaction === null ? [] : [{ path, seq, turn, reaction, text, ...machine }];
  work.feedback = [...others, ...row].slice(-feedbackKeptMax);
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
