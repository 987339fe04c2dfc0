import { keptHintChars, summaryCharsMin, summaryCharsPerToken } from '../limits.ts';
import { brief } from '../render/text.ts';
import type { ShortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { RoundView, TurnView } from '../view.ts';

/** A summary without a model: extracts from the newest turns, and the part of the previous summary that fits. */
export function extractHistory(
  turns: readonly TurnView[],
  { before, tokensMax, names }: { before: string; tokensMax: number; names: ShortNames },
): string {
  const said = turns.map(
    (turn) =>
      `${names.turn(turn.id)}, ${turn.openedAt.slice(11, 16)}:\n${turn.summary?.text ?? asked(turn)}`,
  );
  return newestWithin([...before.split('\n'), ...said], tokensMax)
    .join('\n')
    .trim();
}

function asked(turn: TurnView): string {
  return `Asked: ${brief(turn.events[0]?.text ?? '', 2 * keptHintChars)}\nAnswered: ${brief(turn.completions.at(-1)?.text ?? '(not yet, so this may be open)', 3 * keptHintChars)}`;
}

export function extractProgress(rounds: readonly RoundView[], tokensMax: number): string {
  const said = rounds.flatMap(({ number, blocks }) => {
    const words = blocks.filter(({ type }) => type === 'react.notes' || type === 'timeline_text');
    const text = words.map((block) => block.text ?? '').join(' ');
    return text.trim() === '' ? [] : [`Round ${number}: ${brief(text, 2 * keptHintChars)}`];
  });
  return newestWithin(said, tokensMax).join('\n');
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
  const text = summary.trim();
  const kept = fits(text, tokensMax) ? text : shortened(text, tokensMax);
  return kept.length < summaryCharsMin ? undefined : kept;
}

/** In characters, as the summary prompt demands, and in tokens. */
function fits(text: string, tokensMax: number): boolean {
  return text.length <= tokensMax * summaryCharsPerToken && countTokens(text) <= tokensMax;
}

function shortened(text: string, tokensMax: number): string {
  let kept = '';
  for (const piece of text.split(/(?<=\n|[.;!?] )/)) {
    if (!fits(`${kept}${piece}\n…`, tokensMax)) break;
    kept += piece;
  }
  return kept === '' ? '' : `${kept.trimEnd()}\n…`;
}
