import {
  sourceRowsMax,
  sourceSnippetCharsMax,
  sourceTitleCharsMax,
  sourceUrlCharsMax,
} from './limits.ts';
import { paths } from './paths.ts';
import { brief } from './render-text.ts';
import { countTokens } from './tokens.ts';
import type { SourceRow, View } from './view.ts';

type Section = { readonly text: string; readonly tokens: number };
type Memory = Section & { readonly hidden: View['hidden'] };
const memories = new WeakMap<View['sources'], Memory>();

/** The newest rows of the pool, in short; empty for an empty pool. Not cached by a provider, so it may change from round to round. */
export function sourcesSection({ sources, hidden }: View): Section {
  const known = memories.get(sources);
  if (known?.hidden === hidden) return known;
  const text = draw(sources, hidden);
  const made = { text, tokens: countTokens(text), hidden };
  memories.set(sources, made);
  return made;
}

function draw(sources: View['sources'], hidden: View['hidden']): string {
  if (sources.length === 0) return '';
  const shown = sources.slice(-sourceRowsMax);
  const left = sources.length - shown.length;
  const rest =
    left === 0
      ? []
      : [`… ${left} earlier, from ${pathAt(sources, 0)} to ${pathAt(sources, left - 1)}`];
  const rows = shown.map((row) => hidden.get(paths.source(row.sid)) ?? rowText(row));
  return [
    'SOURCES - cite as [[S:sid]], read whole as so:sources_pool[sid]',
    ...rest,
    ...rows,
    '',
    '',
  ].join('\n');
}

function pathAt(sources: View['sources'], index: number): string {
  return paths.source(sources[index]?.sid ?? 0);
}

function rowText({ sid, title, url, text = '' }: SourceRow): string {
  const head = `[${sid}] ${brief(title, sourceTitleCharsMax)} | ${brief(url, sourceUrlCharsMax)}`;
  const snippet = brief(text, sourceSnippetCharsMax);
  return snippet === '' ? head : `${head}\n    ${snippet}`;
}
