import type { ReactNode } from 'react';
import type { ToolPart } from '../../../../client/index.ts';

type Hit = {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly published: string;
};

/** The hits of a web search. Undefined: the call is something else, or found nothing. */
export function hitsOf({ tool, result }: ToolPart): readonly Hit[] | undefined {
  if (tool !== 'web_tools.search' || typeof result !== 'object' || result === null)
    return undefined;
  const rows: unknown = Reflect.get(result, 'ret');
  const hits = Array.isArray(rows) ? rows.flatMap(toHit) : [];
  return hits.length > 0 ? hits : undefined;
}

function toHit(row: unknown): readonly Hit[] {
  if (typeof row !== 'object' || row === null) return [];
  const textOf = (name: string) => {
    const value: unknown = Reflect.get(row, name);
    return typeof value === 'string' ? value : '';
  };
  const url = textOf('url');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const rest = { snippet: textOf('snippet'), published: textOf('published') };
  return [{ url, title: textOf('title') || url, ...rest }];
}

export function SearchResults({ hits }: { hits: readonly Hit[] }): ReactNode {
  return (
    <ol className="hits" aria-label="Search results">
      {[...hits.entries()].map(([at, { url, title, snippet, published }]) => (
        <li key={at}>
          <a href={url} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
          <span className="place">
            {new URL(url).host}
            {published !== '' && <time dateTime={published}> · {published}</time>}
          </span>
          {snippet !== '' && <p>{snippet}</p>}
        </li>
      ))}
    </ol>
  );
}
