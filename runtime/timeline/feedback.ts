import { feedbackCharsShown } from './limits.ts';
import type { ShortNames } from './short-names.ts';
import type { FeedbackRow, Reaction } from './view.ts';

export const reactions = ['ok', 'not_ok', 'neutral'] as const satisfies readonly Reaction[];

/** One line in ANNOUNCE, and in the turn that it is about. */
export function feedbackLine(
  { path, turn, reaction, text, machine }: FeedbackRow,
  names: ShortNames,
): string {
  const said = text.replace(/\s+/g, ' ').trim();
  const short = said.length > feedbackCharsShown ? `${said.slice(0, feedbackCharsShown)}…` : said;
  const by = machine ? `the ${checkOf(path)} (confidence ${machine.confidence})` : 'the user';
  return `${by} says ${reaction} of ${names.turn(turn)}${short && `: ${short.toWellFormed()}`}`;
}

/** `ar:<turn>.feedback.machine-<bundle>-<check>` */
function checkOf(path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1).replace(/^machine-/, '');
  return `check ${name}`;
}
