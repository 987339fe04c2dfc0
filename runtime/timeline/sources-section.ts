import {
  sourceRowsMax,
  sourceSnippetCharsMax,
  sourceTitleCharsMax,
  sourceUrlCharsMax,
} from './limits.ts';
import { formatPath, paths } from './paths.ts';
import { brief } from './render-text.ts';
import type { SourceRow, View } from './view.ts';

/** The newest rows of the pool, in short; empty for an empty pool. Not cached, so it may change from round to round. */
export function sourcesSection({ sources, hidden }: View): string {
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
  ].join('\n');
}

function rowText({ sid, title, url, text = '' }: SourceRow): string {
  const head = `[${sid}] ${brief(title, sourceTitleCharsMax)} | ${brief(url, sourceUrlCharsMax)}`;
  const snippet = brief(text, sourceSnippetCharsMax);
  return snippet === '' ? head : `${head}\n    ${snippet}`;
}
