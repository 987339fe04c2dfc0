import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { reportSlowPages } from './slow-page-report.ts';

const html = `<!doctype html><body>Loading<script type="module">
console.log('begins');
import('/assets/never.js');
</script></body>`;

let server: Server;
let url = '';
let browser: Browser;
beforeAll(async () => {
  server = createServer((request, response) => {
    // One script is never sent.
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

test('a page that shows the same for long is reported once, with the request that it waits for', async () => {
  const reports: string[] = [];
  reportSlowPages(browser, { afterMs: 1_000, print: (report) => reports.push(report) });
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: 'commit' });
  await expect.poll(() => reports.length).toBe(1);
  const [report] = reports;
  expect(report).toContain(`a page shows the same for long: ${url}`);
  expect(report).toMatch(/open requests:\n {4}script \S+\/assets\/never\.js for \d+ ms/);
  expect(report).toContain('begins');
  expect(report).toContain('animation frame: settled');
  expect(report).toContain('text: Loading');
  await page.close();
});
