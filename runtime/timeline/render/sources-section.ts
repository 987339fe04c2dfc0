import type { Block } from '../block.ts';
import { sourceRowsMax, sourceTitleCharsMax, sourceUrlCharsMax } from '../limits.ts';
import { paths } from '../paths.ts';
import { countTokens } from '../tokens.ts';
import type { SourceRow, TurnView, View } from '../view.ts';
import { shownBlocks } from './shown-rounds.ts';
import { brief } from './text.ts';

type Section = { readonly text: string; readonly tokens: number };

/**
 * Sources that may be cited but are no longer in the timeline. A source is shown once, as [SOURCE sid] where it was found,
 * and here again when that part was pruned or compacted, with its link, because files cite by links. Empty for an empty
 * pool. Never cached.
 */
export function sourcesSection(view: View): Section {
  const text = draw(view);
  return { text, tokens: countTokens(text) };
}

function draw(view: View): string {
  const { sources, hidden } = view;
  const last = sources.at(-1);
  if (!last) return '';
  const lost = lostIn(view);
  const rows = lost.slice(-sourceRowsMax);
  const left = lost.length - rows.length;
  return [
    `SOURCES: ${last.sid === 1 ? 'number 1' : `numbers 1 to ${last.sid}`}. Cite as [[S:n]]; title and link stand at [SOURCE n] or below. Text: react.read so:sources_pool[n]`,
    ...(left === 0 ? [] : [`… ${left} earlier, up to ${paths.source(lost[left - 1]?.sid ?? 0)}`]),
    ...rows.map((row) => sourceText(row, hidden)),
    '',
    '',
  ].join('\n');
}

/** If nothing was removed from the prompt, every source is still shown where it was found. */
function lostIn(view: View): readonly SourceRow[] {
  const { sources, turns, pruned, memory, covered } = view;
  if (pruned.size + covered.size === 0 && !memory) return [];
  const unpruned = turns.filter(({ id }) => !pruned.has(id));
  const shown = new Set(
    unpruned.flatMap((turn) =>
      covered.has(turn.id) ? sidsIn(shownBlocks(view, turn)) : sidsOf(turn),
    ),
  );
  return sources.filter(({ sid }) => !shown.has(sid));
}

const sids = new WeakMap<TurnView, readonly number[]>();

function sidsOf(turn: TurnView): readonly number[] {
  const known = sids.get(turn);
  if (known) return known;
  const found = sidsIn(turn.blocks);
  sids.set(turn, found);
  return found;
}

function sidsIn(blocks: readonly Block[]): readonly number[] {
  return blocks
    .filter(({ type }) => type === 'source.row')
    .map(({ path = '' }) => Number(/\d+/.exec(path)?.[0]));
}

/** The row of a source, or what replaces it. */
export function sourceText(row: SourceRow, hidden: View['hidden']): string {
  return hidden.get(paths.source(row.sid)) ?? rowText(row);
}

function rowText({ sid, title, url }: SourceRow): string {
  return `[${sid}] ${brief(title, sourceTitleCharsMax)} | ${brief(url, sourceUrlCharsMax)}`;
}
