import { keptHintChars, summaryCharsMin, summaryCharsPerToken } from '../limits.ts';
import { remarksIn } from '../render/said.ts';
import { brief } from '../render/text.ts';
import type { ShortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { RoundView, TurnView, View } from '../view.ts';

type Extracting = {
  /** The summary to continue; empty for none. */
  readonly before: string;
  readonly tokensMax: number;
};

/** A summary without a model: the previous summary, then extracts from the newest turns. */
export function extractHistory(
  turns: readonly TurnView[],
  { names, ...extracting }: Extracting & { readonly names: ShortNames },
): string {
  const said = turns.map(
    (turn) =>
      `${names.turn(turn.id)}, ${turn.openedAt.slice(11, 16)}:\n${turn.summary?.text ?? asked(turn)}`,
  );
  return continued(said, { ...extracting, row: /^(?=\S+, \d\d:\d\d:$)/m });
}

function asked(turn: TurnView): string {
  return `Asked: ${brief(turn.events[0]?.text ?? '', 2 * keptHintChars)}\nAnswered: ${brief(turn.completions.at(-1)?.text ?? '(not yet, so this may be open)', 3 * keptHintChars)}`;
}

/** The summary of the rounds that are covered already, and the rounds that are new to it. */
export function progressSoFar(
  { covered }: Pick<View, 'covered'>,
  turn: TurnView,
  rounds: number,
): { readonly before: string; readonly fresh: readonly RoundView[] } {
  const { progress: before, rounds: known = 0 } = covered.get(turn.id) ?? {};
  return before === undefined
    ? { before: '', fresh: turn.rounds.slice(0, rounds) }
    : { before, fresh: turn.rounds.slice(known, rounds) };
}

/** The same for rounds. */
export function extractProgress(rounds: readonly RoundView[], extracting: Extracting): string {
  const said = rounds.flatMap((round) => {
    const text = remarksIn(round);
    return text === '' ? [] : [`Round ${round.number} said: ${brief(text, 2 * keptHintChars)}`];
  });
  return continued(said, { ...extracting, row: /^(?=Round \d+ said: )/m });
}

/** The rounds whose words are in such an extract. */
export function roundsSaid(progress: string): ReadonlySet<number> {
  const rows = progress.matchAll(/^Round (\d+) said: /gm);
  return new Set([...rows].map(([, number]) => Number(number)));
}

/**
 * Adds rows to the previous summary; `row` matches where one of its own begins. If they do not fit, the oldest rows go
 * first, then the end of what a model wrote: it begins with what is open and what the user wants.
 */
function continued(
  rows: readonly string[],
  { before, tokensMax, row }: Extracting & { readonly row: RegExp },
): string {
  const parts = before.split(row);
  const written = parts
    .filter((part) => !row.test(part))
    .join('')
    .trim();
  const earlier = parts.filter((part) => row.test(part)).map((part) => part.trimEnd());
  const reserved = Math.min(countTokens(written), Math.floor(tokensMax / 2));
  const kept = newestWithin([...earlier, ...rows], tokensMax - reserved);
  const left = kept.reduce((tokens, text) => tokens - countTokens(text), tokensMax);
  return [beginning(written, (text) => countTokens(text) <= left), ...kept].join('\n').trim();
}

function newestWithin(texts: readonly string[], tokensMax: number): readonly string[] {
  const kept: string[] = [];
  let left = tokensMax;
  for (const text of texts.toReversed()) {
    left -= countTokens(text);
    if (left < 0) break;
    kept.unshift(text);
  }
  return kept;
}

/** The part of a summary that fits, up to the end of a line or sentence. Undefined: it is too short. */
export function trimSummary(summary: string, tokensMax: number): string | undefined {
  // In characters, as the summary prompt demands, and in tokens.
  const kept = beginning(
    summary.trim(),
    (text) => text.length <= tokensMax * summaryCharsPerToken && countTokens(text) <= tokensMax,
  );
  return kept.length < summaryCharsMin ? undefined : kept;
}

function beginning(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text;
  let kept = '';
  for (const piece of text.split(/(?<=\n|[.;!?] )/)) {
    if (!fits(`${kept}${piece}\n…`)) break;
    kept += piece;
  }
  return kept === '' ? '' : `${kept.trimEnd()}\n…`;
}
