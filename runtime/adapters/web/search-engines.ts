import { z } from 'zod';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { parseJson } from '../../base/json.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import { Work } from '../../base/signal.ts';
import { factsOf } from '../../timeline/source-facts.ts';
import type { SearchHit, WebQuery, WebSearch } from '../../tools/ports/web.ts';
import { requestDeadlineMs, searchBytesMax } from './limits.ts';
import { countryName, locationHeaders, withSites } from './search-scope.ts';

export type EngineName = 'searxng' | 'brave' | 'tavily';
export type EngineSettings = {
  readonly engine: EngineName;
  /** Base address of the service. */
  readonly url: string;
  readonly key?: string | undefined;
};

type Engine = {
  request(
    settings: EngineSettings,
    query: WebQuery,
  ): { readonly url: URL; readonly init: RequestInit };
  /** Undefined: the answer has another form. */
  read(answer: unknown): readonly SearchHit[] | undefined;
};

const optional = z.string().nullish();
const searxngAnswer = z.object({
  results: z.array(
    z.object({ url: z.string(), title: z.string(), content: optional, publishedDate: optional }),
  ),
});
const braveAnswer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          ...{ url: z.string(), title: z.string(), description: optional, page_age: optional },
          meta_url: z.object({ favicon: optional }).nullish(),
          profile: z.object({ name: optional }).nullish(),
        }),
      ),
    })
    .default({ results: [] }),
});
const tavilyAnswer = z.object({
  results: z.array(
    z.object({
      ...{ url: z.string(), title: z.string(), content: optional, published_date: optional },
      ...{ score: z.number().nullish(), favicon: optional },
    }),
  ),
});

/** https://docs.searxng.org/dev/search_api.html */
const searxng: Engine = {
  request: ({ url }, { days, ...query }) => {
    const target = new URL('search', withSlash(url));
    const q = withSites(query);
    target.search = new URLSearchParams({ q, format: 'json', ...rangeOf(days) }).toString();
    return { url: target, init: {} };
  },
  read: (answer) =>
    searxngAnswer
      .safeParse(answer)
      .data?.results.map(({ url, title, content, publishedDate: at }) =>
        toHit({ url, title, content, at }),
      ),
};

/** SearXNG knows only these ranges: the smallest that covers the days. */
function rangeOf(days: number | undefined): Record<string, string> {
  if (days === undefined || days > 366) return {};
  const range = days === 1 ? 'day' : days <= 7 ? 'week' : days <= 31 ? 'month' : 'year';
  return { time_range: range };
}

/** https://api-dashboard.search.brave.com/app/documentation/web-search */
const brave: Engine = {
  request: ({ url, key = '' }, { limit, days, ...query }) => {
    const { location = {} } = query;
    const target = new URL('res/v1/web/search', withSlash(url));
    const fresh = days === undefined ? {} : { freshness: freshness(days) };
    const { country } = location;
    const near = country === undefined ? {} : { country };
    const count = String(limit);
    const fields = { q: withSites(query), count, text_decorations: 'false', ...fresh, ...near };
    target.search = new URLSearchParams(fields).toString();
    const headers = { 'x-subscription-token': key, ...locationHeaders(location) };
    return { url: target, init: { headers } };
  },
  read: (answer) =>
    braveAnswer
      .safeParse(answer)
      .data?.web.results.map(({ url, title, description: content, page_age: at, ...row }) =>
        toHit({
          ...{ url, title, content, at },
          facts: { favicon: row.meta_url?.favicon, site: row.profile?.name },
        }),
      ),
};

function freshness(days: number): string {
  if (days <= 1) return 'pd';
  if (days <= 7) return 'pw';
  return days <= 31 ? 'pm' : 'py';
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
const tavily: Engine = {
  request: ({ url, key = '' }, { text, limit, days, location, domains }) => {
    const country = countryName(location?.country);
    // A country is known only to the topic `general`.
    const near = country === undefined ? {} : { country };
    const fresh = days === undefined ? near : { topic: 'news', days };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({
      query: text,
      max_results: limit,
      include_favicon: true,
      ...fresh,
      ...(domains ? { include_domains: domains } : {}),
    });
    return { url: new URL('search', withSlash(url)), init: { method: 'POST', headers, body } };
  },
  read: (answer) =>
    tavilyAnswer
      .safeParse(answer)
      .data?.results.map(({ url, title, content, published_date: at, score, favicon }) =>
        toHit({ url, title, content, at, facts: { relevance: score, favicon } }),
      ),
};

const engines: Readonly<Record<EngineName, Engine>> = { searxng, brave, tavily };

/** A search engine over HTTP. */
export function createSearch(settings: EngineSettings): WebSearch {
  const engine = engines[settings.engine];
  return {
    search: async (query, { signal }) => {
      const { url, init } = engine.request(settings, query);
      const answer = await ask(url, init, { signal, engine: settings.engine });
      const hits = engine.read(answer);
      if (hits === undefined) throw failed(settings.engine, 'the answer is not what it documents');
      return hits.filter(isWebAddress).slice(0, query.limit);
    },
  };
}

async function ask(
  url: URL,
  init: RequestInit,
  { signal, engine }: { signal: AbortSignal; engine: EngineName },
): Promise<unknown> {
  using work = new Work(signal, { deadlineMs: requestDeadlineMs });
  try {
    const answer = await fetch(url, { ...init, redirect: 'error', signal: work.signal });
    if (!answer.ok || !answer.body) throw failed(engine, `status ${answer.status}`);
    const bytes = await readBytes(answer.body, { bytesMax: searchBytesMax, what: 'the answer' });
    return parseJson(bytes.toString());
  } catch (error) {
    signal.throwIfAborted();
    if (isRefusal(error)) throw error;
    const cause = error instanceof Error ? error.cause : undefined;
    throw failed(engine, cause instanceof Error ? cause.message : 'no answer');
  }
}

function failed(engine: EngineName, why: string): Refusal {
  return new Refusal('search_failed', `${engine}: ${why}`, { retryable: true });
}

type Found = {
  readonly url: string;
  readonly title: string;
  readonly content: string | null | undefined;
  readonly at: string | null | undefined;
  readonly facts?: Readonly<Record<string, string | number | null | undefined>>;
};

function toHit({ url, title, content, at, facts = {} }: Found): SearchHit {
  const ms = Date.parse(at ?? '');
  const published = Number.isNaN(ms) ? {} : { published: new Date(ms).toISOString().slice(0, 10) };
  return {
    ...factsOf(facts),
    ...{ url, title: title.trim() || url, snippet: content ?? '' },
    ...published,
  };
}

function isWebAddress({ url }: SearchHit): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
