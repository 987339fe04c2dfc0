import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { startSite } from '../../runtime/adapters/web/web-server.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax });

const bundle = `
  import { defineAgent, defineBundle } from 'timeloom/sdk';
  const main = defineAgent({ id: 'main', instruction: 'Answer with sources.', tools: ['web_tools.*'] });
  export const bundle = defineBundle({ id: 'desk', version: '1', agents: [main] });
`;
const article = `<html><head><title>Tides</title></head><body><article><h1>Tides</h1><p>${'The moon pulls the sea, twice a day. '.repeat(20)}</p></article></body></html>`;

/** A search server in the manner of SearXNG, which lists one page twice, and the page. */
async function openSite(scope: Scope) {
  const site = scope.own(
    await startSite(({ url = '' }, response) => {
      if (url === '/robots.txt') return void response.writeHead(404).end();
      if (!url.startsWith('/search?'))
        return void response.writeHead(200, { 'content-type': 'text/html' }).end(article);
      const tides = `http://localhost:${site.port}/tides`;
      const found = { title: 'Tides', content: 'The moon…', publishedDate: '2026-03-04T00:00:00' };
      const other = { url: 'https://example.org/moon', title: 'Moon', content: 'Craters.' };
      const results = [
        { ...found, url: tides },
        { ...found, url: `${tides}/?utm_source=engine`, content: 'The moon, again…' },
        { ...other, publishedDate: '2025-12-31T10:00:00' },
      ];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ query: 'tides', results }));
    }),
  );
  return { ...site, tides: `http://localhost:${site.port}/tides` };
}

// proves: web.sources, web.search-engines
test('a search of a server answers with dated sources, each once, and one of them is read', async () => {
  await using scope = new Scope();
  const site = await openSite(scope);
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-web-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const web = { search: { engine: 'searxng', url: site.url }, private_hosts: ['localhost'] };
  const replies = [
    { call: { tool: 'web_tools.search', input: { query: 'tides', days: 30 } } },
    { call: { tool: 'web_tools.fetch', input: { url: site.tides, size: 'small' } } },
    { when: 'pulls the sea', answer: 'The moon does it [[S:1]], and has craters [[S:2]].' },
  ];
  await writeFile(join(dir, 'assembly.yaml'), stringify({ web }));
  await writeFile(join(dir, 'bundle.ts'), bundle);
  await writeFile(join(dir, 'script.yaml'), stringify({ replies }));
  await using server = await startServe({
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_BUNDLES: dir,
    TIMELOOM_EXEC_MODE: 'off',
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
  });
  await using client = connect({ url: server.url, user: 'ann' });
  const turn = await client.conversation().send('Why are there tides?');
  const results: unknown[] = [];
  for await (const event of turn.events())
    if (event.type === 'chat.tool' && event.data.state === 'done') results.push(event.data.result);
  const moon = { sid: 2, url: 'https://example.org/moon', title: 'Moon', published: '2025-12-31' };
  const hit = { sid: 1, url: site.tides, title: 'Tides', published: '2026-03-04' };
  expect(results).toMatchObject([
    { ok: true, ret: [{ ...hit, snippet: 'The moon…' }, moon] },
    { ok: true, ret: { sid: 1, url: site.tides } },
  ]);
  const { reason, sources } = await turn.done();
  expect(reason).toBe('completed');
  expect(sources).toHaveLength(2);
  expect(sources).toMatchObject([
    { ...hit, type: 'web' },
    { ...moon, type: 'web' },
  ]);
});

/** In a process of its own, because a fault of a thread can end the whole process. */
const readMany = `
  const { readInThread } = await import(process.argv[2]);
  const { signal } = new AbortController();
  const page = { html: process.argv[3], url: 'https://example.org/' };
  for (let n = 0; n < 40; n += 1) await readInThread(page, signal);
  console.log((await readInThread(page, signal)).title);
`;

// proves: web.page-text
test('the built program reads many pages one after the other', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-pages-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const program = join(dir, 'read-many.mjs');
  await writeFile(program, readMany);
  const reader = resolve('dist/runtime/adapters/web/read-in-thread.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, reader, article]);
  expect(stdout).toBe('Tides\n');
});
