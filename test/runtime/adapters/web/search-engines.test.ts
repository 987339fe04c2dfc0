import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSearch, type EngineName } from '../../../../runtime/adapters/web/search-engines.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { startSite } from './web-server.ts';

const { signal } = new AbortController();
let scope: Scope;
beforeEach(() => {
  scope = new Scope();
});
afterEach(() => scope[Symbol.asyncDispose]());

const url = 'https://example.org/tides';
type Service = {
  readonly answer: unknown;
  readonly request: RegExp;
  readonly key?: RegExp;
  readonly facts?: object;
};
/** An answer of each service, as its documentation shows it, and the request that it must get. */
const services: Readonly<Record<EngineName, Service>> = {
  searxng: {
    answer: {
      query: 'tides',
      results: [
        {
          url,
          title: 'Tides',
          content: 'The moon…',
          publishedDate: '2026-03-04T00:00:00',
          engine: 'x',
        },
        { url: 'javascript:alert(1)', title: 'Bad' },
      ],
    },
    request: /^GET \/search\?q=tides&format=json&time_range=week $/,
  },
  brave: {
    answer: {
      type: 'search',
      web: {
        results: [
          {
            ...{ url, title: 'Tides', description: 'The moon…', page_age: '2026-03-04T00:00:00' },
            meta_url: { favicon: 'https://icons.example/1' },
            profile: { name: 'Sea  Notes' },
          },
        ],
      },
    },
    request: /^GET \/res\/v1\/web\/search\?q=tides&count=5&text_decorations=false&freshness=pw $/,
    key: /^secret$/,
    facts: { favicon: 'https://icons.example/1', site: 'Sea Notes' },
  },
  tavily: {
    answer: {
      results: [
        { url, title: 'Tides', content: 'The moon…', published_date: '2026-03-04', score: 0.9 },
      ],
    },
    request:
      /^POST \/search {"query":"tides","max_results":5,"include_favicon":true,"topic":"news","days":7}$/,
    key: /^Bearer secret$/,
    facts: { relevance: 0.9 },
  },
};

// proves: web.search-engines
test.each(Object.keys(services) as EngineName[])(
  '%s is asked on its wire and gives dated hits',
  async (engine) => {
    const { answer, request, key, facts = {} } = services[engine];
    const seen: string[] = [];
    const keys: unknown[] = [];
    const site = scope.own(
      await startSite(({ method, url: path, headers }, response, body) => {
        seen.push(`${method} ${path} ${body}`);
        keys.push(headers['x-subscription-token'] ?? headers.authorization);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      }),
    );
    const search = createSearch({ engine, url: site.url, key: 'secret' });
    const hits = await search.search({ text: 'tides', limit: 5, days: 7 }, { signal });
    expect(hits).toEqual([
      { ...facts, url, title: 'Tides', snippet: 'The moon…', published: '2026-03-04' },
    ]);
    expect(seen).toEqual([expect.stringMatching(request)]);
    if (key) expect(keys).toEqual([expect.stringMatching(key)]);
  },
);

test('a search engine that refuses or answers nonsense is a refusal that may be retried', async () => {
  const site = scope.own(
    await startSite(({ url: path = '' }, response) => {
      response.writeHead(path.includes('bad') ? 200 : 429).end('{"results":5}');
    }),
  );
  const search = createSearch({ engine: 'searxng', url: site.url });
  for (const text of ['good', 'bad'])
    await expect(search.search({ text, limit: 5 }, { signal })).rejects.toMatchObject({
      code: 'search_failed',
    });
});

const scopes: Readonly<Record<EngineName, { readonly request: RegExp; readonly headers: object }>> =
  {
    searxng: {
      request: /^GET \/search\?q=tides\+%28site%3Aa.org\+OR\+site%3Ab.org%29&/,
      headers: {},
    },
    brave: {
      request: /q=tides\+%28site%3Aa.org\+OR\+site%3Ab.org%29&.*&country=DE $/,
      headers: { 'x-loc-country': 'DE', 'x-loc-timezone': 'Europe/Berlin' },
    },
    tavily: { request: /"country":"germany","include_domains":\["a.org","b.org"\]}$/, headers: {} },
  };

// proves: web.scope
test.each(Object.keys(scopes) as EngineName[])(
  '%s gets the place and the domains of a query in its own words',
  async (engine) => {
    const seen: { request: string; headers: object }[] = [];
    const site = scope.own(
      await startSite(({ method, url: path, headers }, response, body) => {
        seen.push({ request: `${method} ${path} ${body}`, headers });
        response.end('{"results":[]}');
      }),
    );
    const location = { country: 'DE', city: '東京', timezone: 'Europe/Berlin' };
    const query = { text: 'tides', limit: 5, location, domains: ['a.org', 'b.org'] };
    const search = createSearch({ engine, url: site.url, key: 'secret' });
    expect(await search.search(query, { signal })).toEqual([]);
    const { request, headers } = scopes[engine];
    expect(seen).toMatchObject([{ headers }]);
    expect(seen[0]?.request).toMatch(request);
    expect(JSON.stringify(seen)).not.toContain('x-loc-city');
  },
);
