import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPages } from '../../../../runtime/adapters/web/pages.ts';
import { isPublicAddress } from '../../../../runtime/base/network/public-address.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { startSite } from './web-server.ts';

const { signal } = new AbortController();
const article = `<!doctype html><html><head><title>Tides - Sea Notes</title>
<link rel="shortcut icon" href="/icon.svg"><meta name="author" content="Ada Reef">
<meta property="article:published_time" content="2026-03-04T05:06:07Z">
</head><body><nav><a href="/">Home</a></nav>
<article><h1>Tides</h1><p>The <b>moon</b> pulls the sea, and twice a day the water rises at most coasts.
It takes about twelve hours and twenty-five minutes from one high water to the next one.</p>
<p>Read <a href="/moon">about the moon</a>, which explains how its distance changes over a month and why
spring tides are larger than neap tides in most places of the world.</p>
<script>document.title = 'changed'</script></article><footer>Imprint</footer></body></html>`;

let scope: Scope;
let asked: string[];
beforeEach(() => {
  scope = new Scope();
  asked = [];
});
afterEach(() => scope[Symbol.asyncDispose]());

const paths: Readonly<Record<string, { type: string; body: string | Buffer }>> = {
  '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' },
  '/tides': { type: 'text/html; charset=utf-8', body: article },
  '/umlaut': {
    type: 'text/html',
    body: Buffer.from('<meta charset="iso-8859-1"><p>Küste</p>', 'latin1'),
  },
  '/private/page': { type: 'text/html', body: article },
  '/data.json': { type: 'application/json', body: '{"a":1}' },
  '/paper.pdf': { type: 'application/pdf', body: '%PDF-1.7' },
  '/text.pdf': { type: 'application/octet-stream', body: pdfOf('Spring tides', 'Neap tides') },
  '/empty': { type: 'text/html', body: '' },
};

/** A PDF of pages with one line each, with the title Tides by Ada Reef. */
function pdfOf(...lines: readonly string[]): Buffer {
  const kids = lines.map((_, n) => `${n * 2 + 5} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Tides) /Author (Ada  Reef) >>',
    ...lines.flatMap((line, n) => {
      const stream = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
      const resources = '/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 612 792]';
      return [
        `<< /Type /Page /Parent 2 0 R ${resources} /Contents ${n * 2 + 6} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.7\n';
  const places = objects.map((object, n) => {
    const at = text.length;
    text += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(`${text}${table}${end}`);
}

async function open(privateHosts: readonly string[] = ['localhost']) {
  const site = scope.own(
    await startSite(({ url = '' }, response) => {
      asked.push(url);
      if (url === '/away')
        return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      if (url === '/moved') return void response.writeHead(301, { location: '/tides' }).end();
      if (url === '/round') return void response.writeHead(302, { location: '/round' }).end();
      if (url === '/file')
        return void response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      const found = paths[url];
      if (!found) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': found.type }).end(found.body);
    }),
  );
  const pages = createPages({ clock: manualClock(), privateHosts });
  return { site, read: (path: string) => pages.read(`${site.url}${path}`, { signal }) };
}

// proves: web.page-text
test('the article of a page is read as Markdown, with title, date and whole links', async () => {
  const { site, read } = await open();
  const page = await read('/tides');
  expect(page).toMatchObject({ kind: 'text', url: `${site.url}/tides`, published: '2026-03-04' });
  expect(page.title).toContain('Tides');
  expect(page).toMatchObject({ author: 'Ada Reef', favicon: `${site.url}/icon.svg` });
  const text = page.kind === 'text' ? page.text : '';
  expect(text).toContain('The **moon** pulls the sea');
  expect(text).toContain(`[about the moon](${site.url}/moon)`);
  for (const noise of ['Home', 'Imprint', 'document.title']) expect(text).not.toContain(noise);
});

test('redirects are followed, other charsets are read, and other texts stay as they are', async () => {
  const { site, read } = await open();
  expect((await read('/moved')).url).toBe(`${site.url}/tides`);
  expect(await read('/umlaut')).toMatchObject({ text: 'Küste' });
  expect(await read('/data.json')).toMatchObject({ kind: 'text', text: '{"a":1}' });
  expect(await read('/empty')).toMatchObject({ kind: 'text', text: '' });
});

// proves: web.pdf-text
test('a PDF is a file with the text of its pages, whatever type the server says', async () => {
  const { read } = await open();
  expect(await read('/text.pdf')).toMatchObject({
    ...{ kind: 'file', name: 'text.pdf', mime: 'application/pdf' },
    ...{ title: 'Tides', author: 'Ada Reef', text: 'Spring tides\n\nNeap tides' },
  });
});

// proves: web.pdf-text
test('a PDF without readable text is a file', async () => {
  const { read } = await open();
  expect(await read('/paper.pdf')).toMatchObject({
    kind: 'file',
    name: 'paper.pdf',
    mime: 'application/pdf',
  });
});

// proves: web.private-addresses
test('a private address is not read, neither by name, nor by number, nor by a redirect', async () => {
  const closed = await open([]);
  await expect(closed.read('/tides')).rejects.toMatchObject({ code: 'address_refused' });
  expect(asked).toEqual([]);
  const { read } = await open();
  for (const path of ['/away', '/file'])
    await expect(read(path)).rejects.toMatchObject({ code: 'address_refused' });
  const pages = createPages({ clock: manualClock(), privateHosts: [] });
  for (const host of ['127.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254'])
    await expect(pages.read(`http://${host}/`, { signal })).rejects.toMatchObject({
      code: 'address_refused',
    });
});

test.each([
  ['93.184.215.14', true],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

// proves: web.robots
test('what robots.txt forbids is not read, and the file is read once', async () => {
  const { read } = await open();
  await expect(read('/private/page')).rejects.toMatchObject({ code: 'robots_refused' });
  await read('/tides');
  expect(asked).toEqual(['/robots.txt', '/tides']);
});

// proves: web.limits
test('endless redirects, missing pages and pages that are too large are refused', async () => {
  const { read } = await open();
  await expect(read('/round')).rejects.toThrow('more than 5 redirects');
  await expect(read('/nowhere')).rejects.toThrow('status 404');
  const site = scope.own(
    await startSite(({ url }, response) => {
      if (url === '/robots.txt') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/html' }).end('a'.repeat(3_000_000));
    }),
  );
  const pages = createPages({ clock: manualClock(), privateHosts: ['localhost'] });
  await expect(pages.read(site.url, { signal })).rejects.toMatchObject({ code: 'too_large' });
});
