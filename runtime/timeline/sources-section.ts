import {
  sourceRowsMax,
  sourceSnippetCharsMax,
  sourceTitleCharsMax,
  sourceUrlCharsMax,
} from './limits.ts';
import { formatPath, paths } from './paths.ts';
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
  const earlier = sources.slice(0, -sourceRowsMax).map(({ sid }) => sid);
  const rest =
    earlier.length === 0
      ? []
      : [`… ${earlier.length} earlier: ${formatPath({ family: 'so', sids: earlier })}`];
  const rows = shown.map((row) => hidden.get(paths.source(row.sid)) ?? rowText(row));
  return [
    'SOURCES - cite as [[S:sid]], read whole as so:sources_pool[sid]',
    ...rest,
    ...rows,
    '',
    '',
  ].join('\n');
}

function rowText({ sid, title, url, text = '' }: SourceRow): string {
  const head = `[${sid}] ${brief(title, sourceTitleCharsMax)} | ${brief(url, sourceUrlCharsMax)}`;
  const snippet = brief(text, sourceSnippetCharsMax);
  return snippet === '' ? head : `${head}\n    ${snippet}`;
}
