import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Served, startServe } from '../tools/serve.ts';
import { complaints, openBrowser, showMsMax } from './browser.ts';

const root = join(import.meta.dirname, '../..');
const table = join(root, 'node_modules/vega-datasets/data/seattle-weather.csv');
const question = 'Here is the weather of Seattle, day by day. How did the four years differ?';
const shots = process.env['TIMELOOM_SHOTS'];

let dir = '';
let server: Served;
let browser: Browser;
let page: Page;
let heard: readonly string[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-page-'));
  server = await startServe({
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(root, 'bundles/analyst/demo.yaml')}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'process',
  });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  page.setDefaultTimeout(showMsMax);
  heard = complaints(page);
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

async function shot(name: string): Promise<void> {
  if (shots === undefined) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: `${shots}/${name}.png` });
}

async function say(text: string, button: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: button, exact: true }).click();
}

/** Shows a step, also if its turn is over by now and its steps are folded. */
async function step(name: string, text: string): Promise<void> {
  const wanted = page.locator(name, { hasText: text });
  const folded = page.locator('.steps:not([open]) > summary');
  await wanted.or(folded).first().waitFor();
  if (await folded.isVisible()) await folded.click();
  await wanted.first().waitFor();
}

// proves: web.page
test('the page shows a whole conversation: file upload, thinking, code, a growing board and the report', async () => {
  await page.goto(server.url);
  await page.locator('#picker').setInputFiles(table);
  await say(question, 'Send');
  await page.getByText('I plan first and read the skill').waitFor({ state: 'attached' });
  await say('And are the summers getting warmer?', 'Add');
  await page.locator('.said[data-event=followup]').waitFor();
  await step('.tool', 'weather.profile');
  await shot('full-working');
  const board = page.locator('.canvas').first();
  await board.waitFor();
  await step('.code', 'asyncio.gather');
  await step('.output', 'wettest of all');
  await shot('full-program');
  await page.locator('.answer', { hasText: 'Each year was warmer' }).waitFor();
  await page.locator('.file', { hasText: 'report.html' }).waitFor();
  await page.locator('.end').getByText('tokens').waitFor();
  await shot('full-done');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download report.html' }).click();
  const saved = await (await download).path();
  expect(await readFile(saved, 'utf8')).toContain('Each year was warmer than the one before');
  await page.locator('.file img').first().waitFor();
  expect(heard.filter((text) => !/sandboxed/.test(text))).toEqual([]);
});

test('a reopened page shows the same conversation', async () => {
  await page.reload();
  await page.locator('nav a, nav button').first().click();
  await page.locator('.answer', { hasText: 'Each year was warmer' }).waitFor();
  await page.locator('.file', { hasText: 'temperature.svg' }).waitFor();
  await shot('full-again');
});

test('the stop button stops a model that is still thinking', async () => {
  const script = join(dir, 'endless.yaml');
  await writeFile(script, '- { thinking: "A very long plan", hold: forever }\n');
  await using slow = await startServe({
    TIMELOOM_DATA_DIR: join(dir, 'slow'),
    TIMELOOM_MODEL: `scripted:${script}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'off',
  });
  await page.goto(slow.url);
  await say('Review everything', 'Send');
  await page.getByText('A very long plan').first().waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped.').waitFor();
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).isVisible()).toBe(false);
});
