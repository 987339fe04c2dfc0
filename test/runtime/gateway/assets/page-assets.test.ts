import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePages } from '../../../../runtime/gateway/assets/bundle-pages.ts';
import { openStage, type Stage } from '../stage.ts';

const runtime = join(import.meta.dirname, '../../../../runtime');
/** Bundles and compresses all pages, which takes seconds of a processor that others may share. */
const buildMs = 60_000;
let out: string;
let stage: Stage;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'timeloom-pages-'));
  const sources = join(runtime, 'gateway/pages');
  const client = join(runtime, 'client/index.ts');
  await bundlePages({ sources, client, out }, { compress: true });
  stage = await openStage();
}, buildMs);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(out, { recursive: true });
});

function call(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(path, stage.gateway.url), { headers });
}

// proves: page.built-ahead
test('each page refers only to files of the build, named after their content and compressed beside', async () => {
  const names = await readdir(out);
  for (const page of ['chat', 'studio']) {
    const html = await readFile(join(out, `${page}.html`), 'utf8');
    const files = [...html.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map(([, name]) => name);
    expect(files).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^${page}-[A-Z0-9]{8}\\.js$`)),
        expect.stringMatching(new RegExp(`^${page}-[A-Z0-9]{8}\\.css$`)),
      ]),
    );
    expect(names).toEqual(expect.arrayContaining(files));
    expect(html).not.toMatch(/<script>|onclick|style="/);
  }
  for (const name of names.filter((each) => /\.(js|css)$/.test(each))) {
    const bytes = await readFile(join(out, name));
    expect(brotliDecompressSync(await readFile(join(out, `${name}.br`)))).toEqual(bytes);
    expect(gunzipSync(await readFile(join(out, `${name}.gz`)))).toEqual(bytes);
  }
});

// proves: page.built-ahead
test('a browser keeps a file whose name has its hash, and checks the others', async () => {
  const page = await call('/');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const [, script] = /src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
  const answer = await call(script ?? '');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
  expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';");
  const client = await call('/assets/client.js');
  expect(client.headers.get('cache-control')).toBe('no-cache');
  const again = await call('/assets/client.js', {
    'if-none-match': client.headers.get('etag') ?? '',
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

// proves: page.studio
test('the studio has an address of its own, with the policy of the chat page', async () => {
  const [chat, studio] = await Promise.all([call('/'), call('/studio/')]);
  expect(await studio.text()).toContain('<title>Timeloom Studio</title>');
  const policy = 'content-security-policy';
  expect(studio.headers.get(policy)).toBe(chat.headers.get(policy));
});

test.each(['/assets/chat.html', '/assets/none.js', '/assets/..%2Fchat.html'])(
  '%s is not found',
  async (path) => {
    expect((await call(path)).status).toBe(404);
  },
);

// proves: page.size
test('what a visit loads before a message can be written and sent is at most 110 kB of script', async () => {
  const html = await readFile(join(out, 'chat.html'), 'utf8');
  const scripts = [...html.matchAll(/\/assets\/([\w-]+\.js)"/g)].map(([, name = '']) => name);
  const sizes = scripts.map(async (name) => (await readFile(join(out, `${name}.gz`))).length);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(110_000);
});
