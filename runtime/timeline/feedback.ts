import { feedbackCharsShown } from './limits.ts';
import type { ShortNames } from './short-names.ts';
import type { FeedbackRow, Reaction } from './view.ts';

export const reactions = ['ok', 'not_ok', 'neutral'] as const satisfies readonly Reaction[];

/** One line in ANNOUNCE. */
export function feedbackLine({ turn, reaction, text }: FeedbackRow, names: ShortNames): string {
  const said = text.replace(/\s+/g, ' ').trim();
  const short = said.length > feedbackCharsShown ? `${said.slice(0, feedbackCharsShown)}…` : said;
  return `the user says ${reaction} of ${names.turn(turn)}${short && `: ${short.toWellFormed()}`}`;
}
