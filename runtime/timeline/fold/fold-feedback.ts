import type { Block } from '../block.ts';
import { dataOf, understands } from '../catalogue/catalogue.ts';
import { feedbackKeptMax } from '../limits.ts';
import type { TurnView } from '../view.ts';
import { type MutableView, mutableTurn } from './mutable-view.ts';

/**
 * Feedback belongs to the turn that it names, whatever turn was at work when it came; one that has left the view does not
 * come back for it. The newest word under a path counts, and `null` takes back what stood there.
 */
export function foldFeedback(work: MutableView, block: Block): void {
  const data = understands(block) ? dataOf('feedback', block) : undefined;
  if (!data) return;
  const { path = '', seq, text = '' } = block;
  const { turn_id: turn, reaction } = data;
  const others = work.feedback.filter((row) => row.path !== path);
  const row = reaction === null ? [] : [{ path, seq, turn, reaction, text }];
  work.feedback = [...others, ...row].slice(-feedbackKeptMax);
  if (!work.turns.some(({ id }) => id === turn)) return;
  mutableTurn(work, { ...block, turn }).turn.blocks.push(block);
}

/** A turn that is over was told what came before the last round that got a reply; what came later is for the next. */
export function dropDeliveredFeedback(work: MutableView, turn: TurnView): void {
  const told = turn.rounds.findLast(({ modelCall }) => modelCall !== undefined)?.asOf ?? 0;
  if (work.feedback.some(({ seq }) => seq <= told)) {
    work.feedback = work.feedback.filter(({ seq }) => seq > told);
  }
}
