import { expect, test } from 'vitest';
import type { Json } from '../../../../runtime/base/json.ts';
import type { Page, WebPages, WebQuery } from '../../../../runtime/tools/ports/web.ts';
import { createWebTools } from '../../../../runtime/tools/web/web-tools.ts';
import { openHarness } from '../../engine/kit/harness.ts';

const inside = { url: 'https://sea.example.org/tides', title: 'Tides', snippet: '' };
const outside = { url: 'https://badexample.org/', title: 'Else', snippet: '' };
const search = { call: { tool: 'web_tools.search', input: { query: 'tides', size: 'large' } } };
const fetch = (url: string) => ({ call: { tool: 'web_tools.fetch', input: { url } } });

async function openWeb(web_search: Json, calls: Parameters<typeof openHarness>[0]) {
  const queries: WebQuery[] = [];
  const engine = {
    search: async (query: WebQuery) => {
      queries.push(query);
      return [inside, outside];
    },
  };
  const pages: WebPages = {
    read: async (url): Promise<Page> => ({
      ...{ kind: 'text', title: 'A page', text: 'water '.repeat(3_000) },
      url: url.endsWith('/moved') ? outside.url : url,
    }),
  };
  const tools = createWebTools({ pages, search: engine });
  const harness = await openHarness([...calls, { answer: 'Done.' }], { tools });
  await harness.say('Why tides?', { options: { web_search } });
  const blocks = await harness.closed();
  const results = blocks
    .filter(({ type }) => type === 'react.tool.result')
    .map(({ data }) => data as { ret?: unknown; error?: { code: string } });
  return { harness, queries, results };
}

// proves: web.scope
test('a message chooses the size, the place and the domains of the searches of its turn', async () => {
  const location = { country: 'DE' };
  const scope = { size: 'small', location, domains: ['example.org'] };
  const calls = [search, fetch(inside.url), fetch(outside.url), fetch(`${inside.url}/moved`)];
  const { harness, queries, results } = await openWeb(scope, calls);
  await using _ = harness;
  expect(queries).toMatchObject([{ limit: 5, location, domains: ['example.org'] }]);
  const [found, read, refused, moved] = results;
  expect(found?.ret).toMatchObject([{ url: inside.url }]);
  expect(found?.ret).toHaveLength(1);
  expect(read?.ret).toMatchObject({ url: inside.url, next: 4_000 });
  for (const each of [refused, moved]) expect(each?.error?.code).toBe('address_refused');
});

// proves: web.scope
test('web_search: false takes the web tools from the prompt of the turn and refuses their calls', async () => {
  const { harness, queries, results } = await openWeb(false, [search]);
  await using _ = harness;
  expect(results).toMatchObject([{ error: { code: 'tool_not_visible' } }]);
  expect(queries).toEqual([]);
  expect(harness.model.requests[0]?.tools).not.toContain('web_tools.search');
});
