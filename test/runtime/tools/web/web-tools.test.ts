import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import type { Page, WebPages } from '../../../../runtime/tools/ports/web.ts';
import { createWebTools } from '../../../../runtime/tools/web/web-tools.ts';
import { openHarness } from '../../engine/kit/harness.ts';

const url = 'https://example.org/tides';
const hit = { url, title: 'Tides', snippet: 'The moon…', published: '2026-03-04' };
const other = { url: 'https://example.org/moon', title: 'Moon', snippet: '' };
const long = 'water '.repeat(3_000).trim();
const search = { search: async () => [hit, other, hit] };
const page: Page = { kind: 'text', url, title: 'Tides', text: long };
const pages: WebPages = { read: async () => page };

const dataOf = ({ data }: Block) => (data !== undefined && isJsonObject(data) ? data : {});
const resultsOf = (blocks: readonly Block[]) =>
  blocks.filter(({ type }) => type === 'react.tool.result').map(dataOf);

// proves: web.sources
test('hits and pages are sources of one pool, each address once, and the text replaces the snippet', async () => {
  const calls = [
    { call: { tool: 'web_tools.search', input: { query: 'tides' } } },
    { call: { tool: 'web_tools.fetch', input: { url, size: 'small' } } },
    { answer: 'The moon [[S:1]].' },
  ];
  await using harness = await openHarness(calls, { tools: createWebTools({ pages, search }) });
  await harness.say('Why tides?');
  const blocks = await harness.closed();
  const [found, read] = resultsOf(blocks);
  expect(found?.['ret']).toEqual([
    { sid: 1, ...hit },
    { sid: 2, ...other },
  ]);
  expect(read?.['ret']).toMatchObject({ sid: 1, chars: long.length, next: 4_000 });
  const pool = blocks.filter(({ type }) => type.includes('source'));
  expect(JSON.stringify(pool[0])).toContain('2026-03-04: The moon…');
  expect(JSON.stringify(pool.at(-1))).toContain('water water');
});

// proves: web.sources
test('an engine that lists one page under several addresses gives one hit', async () => {
  const spellings = [url, `${url}/`, `${url}#low`, 'https://EXAMPLE.org/tides?utm_source=x'];
  const engine = {
    search: async () => spellings.map((each, n) => ({ ...hit, url: each, snippet: `Hit ${n}` })),
  };
  const calls = [
    { call: { tool: 'web_tools.search', input: { query: 'tides' } } },
    { answer: 'The moon [[S:1]].' },
  ];
  await using harness = await openHarness(calls, {
    tools: createWebTools({ pages, search: engine }),
  });
  await harness.say('Why tides?');
  const blocks = await harness.closed();
  expect(resultsOf(blocks)[0]?.['ret']).toEqual([{ sid: 1, ...hit, snippet: 'Hit 0' }]);
  expect(blocks.filter(({ type }) => type === 'source.row')).toHaveLength(1);
});

// proves: web.sources
test('a hit that an earlier search found under another address keeps its number', async () => {
  let searches = 0;
  const engine = {
    search: async () => {
      searches += 1;
      return [searches === 1 ? hit : { ...hit, url: `${url}#low` }];
    },
  };
  const again = { call: { tool: 'web_tools.search', input: { query: 'tides' } } };
  const calls = [again, again, { answer: 'The moon [[S:1]].' }];
  await using harness = await openHarness(calls, {
    tools: createWebTools({ pages, search: engine }),
  });
  await harness.say('Why tides?');
  const [first, second] = resultsOf(await harness.closed());
  expect(first?.['ret']).toMatchObject([{ sid: 1 }]);
  expect(second?.['ret']).toMatchObject([{ sid: 1 }]);
});

test('a long page is read on from where it stopped, and a refusal of a page is a result', async () => {
  const closed: WebPages = {
    read: async (address) => {
      if (address === url) return page;
      throw new Refusal('address_refused', '10.0.0.1 is not a public address');
    },
  };
  const calls = [
    { call: { tool: 'web_tools.fetch', input: { url, size: 'large', from: 17_000 } } },
    { call: { tool: 'web_tools.fetch', input: { url: 'http://10.0.0.1/' } } },
    { call: { tool: 'web_tools.fetch', input: { url: 'file:///etc/passwd' } } },
    { answer: 'Done.' },
  ];
  await using harness = await openHarness(calls, {
    tools: createWebTools({ pages: closed, search }),
  });
  await harness.say('Read on');
  const [rest, refused, invalid] = resultsOf(await harness.closed());
  expect(rest?.['ret']).toMatchObject({ text: long.slice(17_000) });
  expect(rest?.['ret']).not.toHaveProperty('next');
  expect(refused).toMatchObject({ ok: false, error: { code: 'address_refused' } });
  expect(invalid).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
});

test('a file becomes an internal file of the turn', async () => {
  const bytes = Buffer.from('%PDF-1.7');
  const paper: Page = {
    kind: 'file',
    url,
    title: 'p.pdf',
    name: 'p.pdf',
    mime: 'application/pdf',
    bytes,
  };
  const calls = [{ call: { tool: 'web_tools.fetch', input: { url } } }, { answer: 'Done.' }];
  await using harness = await openHarness(calls, {
    tools: createWebTools({ pages: { read: async () => paper } }),
  });
  await harness.say('Get the paper');
  const [kept] = resultsOf(await harness.closed());
  expect(JSON.stringify(kept)).toContain('p.pdf');
  expect(kept?.['ret']).toMatchObject({
    mime: 'application/pdf',
  });
});

test('without a search engine, a search says what to configure', async () => {
  const calls = [
    { call: { tool: 'web_tools.search', input: { query: 'tides' } } },
    { answer: 'No.' },
  ];
  await using harness = await openHarness(calls, { tools: createWebTools({ pages }) });
  await harness.say('Why tides?');
  const [refused] = resultsOf(await harness.closed());
  expect(JSON.stringify(refused)).toContain('set web.search in assembly.yaml');
});
