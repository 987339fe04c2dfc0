import type { ReactNode } from 'react';
import type { ToolPart } from '../../../../client/index.ts';

type Hit = {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly published: string;
};
/** `goesOn`: these are only the first hits. */
type Found = { readonly hits: readonly Hit[]; readonly goesOn: boolean };

/** What a web search found. Undefined: the call is something else, or found nothing. */
export function hitsOf({ tool, result }: ToolPart): Found | undefined {
  if (tool !== 'web_tools.search' || !isObject(result)) return undefined;
  const ret: unknown = Reflect.get(result, 'ret');
  const preview = previewOf(ret);
  const rows = preview === undefined ? ret : rowsIn(preview);
  const hits = Array.isArray(rows) ? rows.flatMap(toHit) : [];
  return hits.length > 0 ? { hits, goesOn: preview !== undefined } : undefined;
}

/** A web page that was read. Undefined: the call is something else, or failed. */
export function pageOf({ tool, state, input, result }: ToolPart): Hit | undefined {
  if (tool !== 'web_tools.fetch' || state !== 'done') return undefined;
  const ret: unknown = isObject(result) ? Reflect.get(result, 'ret') : undefined;
  const preview = previewOf(ret);
  const whole = preview === undefined ? ret : pageIn(preview);
  const [page] = toHit(whole ?? input);
  if (!page || !isObject(whole)) return page;
  return { ...page, snippet: beginningOf(textIn(whole, 'text')) };
}

/** Of a result that is too large to be sent, the server sends the beginning of its text. */
function previewOf(ret: unknown): string | undefined {
  if (!isObject(ret) || Reflect.get(ret, 'truncated') !== true) return undefined;
  return textIn(ret, 'preview');
}

/** The rows that are whole in the beginning of a list. */
function rowsIn(preview: string): unknown {
  for (let end = preview.lastIndexOf('}'); end > 0; end = preview.lastIndexOf('}', end - 1)) {
    const rows = parsed(`${preview.slice(0, end + 1)}]`);
    if (rows !== undefined) return rows;
  }
  return undefined;
}

/** The facts about a page are a line of JSON; its text follows after an empty line. */
function pageIn(preview: string): object | undefined {
  const at = preview.indexOf('\n\n');
  const facts = parsed(preview.slice(0, Math.max(0, at)));
  return isObject(facts) ? { ...facts, text: preview.slice(at + 2) } : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
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
  const found = hitsOf(part);
  if (found) return <SearchResults {...found} />;
  const page = pageOf(part);
  return page && <PageResult page={page} />;
}

export function SearchResults({ hits, goesOn }: Found): ReactNode {
  return (
    <>
      <ol className="hits" aria-label="Search results">
        {[...hits.entries()].map(([at, hit]) => (
          <li key={at}>
            <HitView hit={hit} />
          </li>
        ))}
      </ol>
      {goesOn && <p className="goes-on">These are the first {hits.length}; more were found.</p>}
    </>
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
