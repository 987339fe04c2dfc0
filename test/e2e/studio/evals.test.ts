import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPlace, type Place, smallBundle } from '../../integration/cli/place.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { complaints, openBrowser, shot, showMsMax } from '../browser.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const script = 'plays: per_conversation\nreplies:\n  - answer: Hello.\n';
const slow = 'plays: per_conversation\nchunk: 1\ndelay_ms: 1000\nreplies:\n  - answer: Hello.\n';
const cases = `agent: desk/main
cases:
  - { name: greets, input: Hello?, checks: { contains: Hello } }
  - { name: leaves, input: Bye?, checks: { contains: Goodbye } }
`;

let place: Place;
let server: Served;
let browser: Browser;
let page: Page;
let heard: readonly string[];
beforeAll(async () => {
  place = await openPlace();
  await place.write({
    'evals/small.yaml': cases,
    'bundle/package.json': '{ "type": "module" }',
    'script.yaml': script,
    'slow.yaml': slow,
  });
  server = await startServe({ ...place.env, TIMELOOM_EVALS: join(place.dir, 'evals') });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  heard = complaints(page);
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });

// proves: workbench.eval-run
test('a folder of cases is run from the page, and compared with the last run', async () => {
  await page.goto(`${server.url}/studio/#evals`);
  await page.getByText('never run').waitFor();
  await page.getByRole('button', { name: 'Run all 2' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.getByText('1 passed, 1 failed').waitFor();
  expect(await row('greets').innerText()).toMatch(/✓ passed\s+first run/);
  expect(await row('leaves').innerText()).toMatch(/lacks “Goodbye”[\s\S]*✗ failed\s+first run/);
  await place.write({ 'evals/small.yaml': cases.replace('Goodbye', 'Hello') });
  await page.getByRole('button', { name: 'Run leaves' }).click();
  await page.getByText('2 passed, 0 failed · 1 mended').waitFor();
  expect(await row('leaves').innerText()).toMatch(/✓ passed\s+mended/);
  await shot(page, 'studio-evals-run');
  expect(heard).toEqual([]);
});

// proves: workbench.eval-run
test('a run is stopped, also after a reload, and keeps the last results', async () => {
  const model = page.getByRole('combobox', { name: 'Model' });
  await model.fill(`scripted:${join(place.dir, 'slow.yaml')}`);
  await page.getByRole('button', { name: 'Run all 2' }).click();
  await page.getByText('now “greets”').waitFor();
  await page.reload();
  await page.getByText('now “greets”').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('2 passed, 0 failed').waitFor();
  await page.getByRole('button', { name: 'Run all 2' }).waitFor();
  const results = await readFile(join(place.dir, 'evals/results.json'), 'utf8');
  expect(results).not.toContain('slow.yaml');
  const partial = results.replace('"cases":', '"partial": { "played": 1, "of": 2 }, "cases":');
  await place.write({ 'evals/results.json': partial });
  await page.reload();
  await page.getByText('2 passed, 0 failed · 1 mended · stopped after 1 of 2').waitFor();
});

// proves: workbench.bundle-check
test('the findings of a check of a bundle are listed beside it, as its folder is now', async () => {
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Agents' }).click();
  const bundle = page.getByRole('region', { name: 'Bundle desk' });
  await bundle.getByRole('button', { name: 'Check' }).click();
  await bundle.getByText('✓ no problems found').waitFor();
  await place.write({ 'bundle/bundle.ts': smallBundle('desk', 'colour: 1,') });
  await bundle.getByRole('button', { name: 'Check' }).click();
  const findings = bundle.getByRole('list', { name: 'Findings in desk' });
  await findings
    .getByText(/^error/)
    .first()
    .waitFor();
  expect(await findings.innerText()).toContain('colour');
  await shot(page, 'studio-bundle-check');
});
