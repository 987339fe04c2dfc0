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
  if (tool !== 'web_tools.search' || !isObject(result)) return undefined;
  const rows: unknown = Reflect.get(result, 'ret');
  const hits = Array.isArray(rows) ? rows.flatMap(toHit) : [];
  return hits.length > 0 ? hits : undefined;
}

/** A web page that was read. Undefined: the call is something else, or failed. */
export function pageOf({ tool, state, input, result }: ToolPart): Hit | undefined {
  if (tool !== 'web_tools.fetch' || state !== 'done') return undefined;
  const whole: unknown = isObject(result) ? Reflect.get(result, 'ret') : undefined;
  // Of a result that is too large to be sent, only the address is known.
  const [page] = toHit(whole ?? input);
  if (!page || !isObject(whole)) return page;
  return { ...page, snippet: beginningOf(textIn(whole, 'text')) };
}

/** Characters of a page that are shown. */
const beginningChars = 400;

function beginningOf(text: string): string {
  const line = text
    .slice(0, beginningChars * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= beginningChars) return line;
  return `${line.slice(0, beginningChars).toWellFormed().trimEnd()}…`;
}

function toHit(row: unknown): readonly Hit[] {
  if (!isObject(row)) return [];
  const url = textIn(row, 'url');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const rest = { snippet: textIn(row, 'snippet'), published: textIn(row, 'published') };
  return [{ url, title: textIn(row, 'title') || url, ...rest }];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textIn(row: object, name: string): string {
  const value: unknown = Reflect.get(row, name);
  return typeof value === 'string' ? value : '';
}

/** A search or a page that was read, as links. Undefined: the call is something else. */
export function webResult(part: ToolPart): ReactNode {
  const hits = hitsOf(part);
  if (hits) return <SearchResults hits={hits} />;
  const page = pageOf(part);
  return page && <PageResult page={page} />;
}

export function SearchResults({ hits }: { hits: readonly Hit[] }): ReactNode {
  return (
    <ol className="hits" aria-label="Search results">
      {[...hits.entries()].map(([at, hit]) => (
        <li key={at}>
          <HitView hit={hit} />
        </li>
      ))}
    </ol>
  );
}

export function PageResult({ page }: { page: Hit }): ReactNode {
  return (
    <div className="hits">
      <div>
        <HitView hit={page} />
      </div>
    </div>
  );
}

function HitView({ hit: { url, title, snippet, published } }: { hit: Hit }): ReactNode {
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {title}
      </a>
      <span className="place">
        {new URL(url).host}
        {published !== '' && <time dateTime={published}> · {published}</time>}
      </span>
      {snippet !== '' && <p>{snippet}</p>}
    </>
  );
}
