import { placeOf } from '../data/format.ts';
import type { Absence, Origin, Prompt, Rounds } from '../data/wire.ts';

const reasons: Readonly<Record<string, string>> = {
  hidden: 'hidden',
  pruned: 'pruned',
  compacted: 'compacted',
  open_round: 'not there: its round had not ended',
  recalled: 'not there: the user recalled it',
  named: 'not there: the result of its call names the file',
  record: 'not there: this prompt is the record of one turn',
  empty: 'not there: it has no text to show',
};

/** `hidden in turn 2, round 5 by block 44` */
export function causeText({ because, by }: Pick<Absence, 'because' | 'by'>, log: Rounds): string {
  const what = reasons[because] ?? because;
  return by === undefined ? what : `${what} in ${placeOf(log.turns, by)}, by block ${by}`;
}

/** How a prompt shows a block, in a sentence. */
export function standing(prompt: Prompt, seq: number, log: Rounds): string {
  if (seq > prompt.as_of) return `later than this prompt, which saw blocks 1 to ${prompt.as_of}`;
  const origins = prompt.parts.flatMap((part) => part.origins).filter(({ block }) => block === seq);
  const absence = prompt.absent.find(({ block }) => block === seq);
  if (absence) return causeText(absence, log);
  const shown = origins.find(({ as }) => as === 'whole') ?? origins[0];
  return shown ? shownAs(shown) : 'models never see blocks of this type';
}

function shownAs({ as }: Origin): string {
  if (as === 'whole') return 'in this prompt';
  if (as === 'summary') return 'in this prompt, as a summary of earlier turns';
  return as === 'heading' ? 'named by a heading of this prompt' : 'in this prompt';
}
