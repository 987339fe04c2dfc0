import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, showMsMax } from '../browser.ts';

const patience = { timeout: showMsMax };
/** A browser opens six connections to a server: other requests wait for one. */
const connectionsMax = 6;
const requests = 10;
const run = promisify(execFile);
const ip = (line: string) => run('ip', line.split(' '));

let server: Server;
let url = '';
const held: ServerResponse[] = [];
let isOpen = false;
const browsers: Browser[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/' || isOpen) response.setHeader('content-type', 'text/html').end('page');
    else held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  for (const browser of browsers) await browser.close();
  server.closeAllConnections();
  server.close();
});

/** A page that has sent more requests than it has connections, and counts those that fail. */
async function openWaitingPage(options: { seesNetworks: boolean }): Promise<Page> {
  const browser = await openBrowser(options);
  browsers.push(browser);
  const page = await browser.newPage();
  await page.goto(url);
  const before = held.length;
  await page.evaluate((count) => {
    const facts = { failed: 0, answered: 0 };
    Object.assign(globalThis, { facts });
    for (let n = 1; n <= count; n += 1) {
      void fetch(`/${n}`).then(
        () => {
          facts.answered += 1;
        },
        () => {
          facts.failed += 1;
        },
      );
    }
  }, requests);
  await expect.poll(() => held.length, patience).toBe(before + connectionsMax);
  return page;
}

const factsOf = (page: Page) => page.evaluate('facts');

test('an interface that comes up fails waiting requests of a browser, but not of the browser of the tests', async () => {
  const other = await openWaitingPage({ seesNetworks: true });
  const page = await openWaitingPage({ seesNetworks: false });
  const name = `tl${randomBytes(4).toString('hex')}`;
  await ip(`link add ${name}0 type veth peer name ${name}1`);
  try {
    await ip(`address add 100.127.${randomInt(256)}.1/30 dev ${name}0`);
    await ip(`link set ${name}0 up`);
    await ip(`link set ${name}1 up`);
    const failed = requests - connectionsMax;
    await expect.poll(() => factsOf(other), patience).toEqual({ failed, answered: 0 });
    isOpen = true;
    for (const response of held) response.end();
    await expect.poll(() => factsOf(page), patience).toEqual({ failed: 0, answered: requests });
  } finally {
    await ip(`link del ${name}0`);
  }
});
