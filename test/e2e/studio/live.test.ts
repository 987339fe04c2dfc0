import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../runtime/sdk/index.ts';
import { openRuntime, type TestRuntime } from '../../../runtime/testing/index.ts';
import { complaints, openBrowser, shot, showMsMax } from '../browser.ts';

const broken = defineTool({
  id: 'desk.broken',
  description: 'Fails.',
  input: z.object({}),
  effects: 'none',
  run: () => {
    throw new Error('the archive is closed');
  },
});
const slow = defineTool({
  id: 'desk.slow',
  description: 'Works until it is stopped.',
  input: z.object({}),
  effects: 'none',
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});
const bundle = defineBundle({
  id: 'desk',
  version: '1',
  agents: [defineAgent({ id: 'main', instruction: 'Look things up.', tools: [broken, slow] })],
});
const script = [
  { call: { tool: 'desk.broken', input: {} } },
  { call: { tool: 'desk.slow', input: {} } },
  { answer: 'I stopped.' },
] as const;

let browser: Browser;
let page: Page;
let runtime: TestRuntime;
let heard: readonly string[];
beforeAll(async () => {
  [browser, runtime] = await Promise.all([openBrowser(), openRuntime({ bundle, model: script })]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  heard = complaints(page);
});
afterAll(async () => {
  await browser.close();
  await runtime[Symbol.asyncDispose]();
});

// proves: workbench.live
test('a turn appears while it works, with what failed in it, and is stopped from there', async () => {
  await page.goto(`${runtime.url}/studio/#live`);
  await page.getByText('Nothing is at work.').waitFor();
  await page.getByText('No limits are set.').waitFor();
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Look the bridge up.');
  const failed = page.getByRole('region', { name: 'Failed in the last hour' });
  await failed.getByRole('link', { name: 'desk.broken: tool_failed' }).waitFor();
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list.getByRole('img', { name: 'working' }).waitFor();
  await shot(page, 'studio-Live-working');
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    'axe.run(document).then(({ violations }) => violations.map(({ id }) => id))',
  );
  expect(found).toEqual([]);
  await page.getByRole('button', { name: 'Stop Look the bridge up.' }).click();
  await turn.done();
  await page.getByText('Nothing is at work.').waitFor();
  await failed.getByRole('link', { name: 'desk.broken: tool_failed' }).click();
  await page
    .getByRole('region', { name: /^Block/ })
    .getByText('the archive is closed')
    .first()
    .waitFor();
  expect(heard).toEqual([]);
});

// proves: workbench.filters
// proves: workbench.search
test('conversations are searched and filtered on the server', async () => {
  const list = page.getByRole('navigation', { name: 'Conversations' });
  const rows = list.getByRole('listitem');
  await list.getByRole('searchbox').fill('bridge');
  await expect.poll(() => rows.count()).toBe(1);
  // What the agent said, not the title: the passage leads to its block.
  await list.getByRole('searchbox').fill('stopp');
  await list
    .locator('mark')
    .filter({ hasText: /^stopped$/i })
    .click();
  const block = page.getByRole('region', { name: /^Block/ });
  await block.getByText('assistant.completion').first().waitFor();
  await list.getByRole('searchbox').fill('tunnel');
  await list.getByText('No conversation matches.').waitFor();
  await list.getByRole('searchbox').fill('');
  await list.getByText('Filters').click();
  await list.getByRole('combobox', { name: 'State' }).selectOption('working');
  await list.getByText('No conversation matches.').waitFor();
  await list.getByRole('combobox', { name: 'State' }).selectOption('');
  await list.getByRole('combobox', { name: 'Agent' }).selectOption('desk/main');
  await expect.poll(() => rows.count()).toBe(1);
});

// proves: workbench.failures
test('one sees which tool fails most', async () => {
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('link', { name: 'tool', exact: true }).click();
  const rows = page.locator('.usage tbody tr');
  await rows.first().waitFor();
  expect(await rows.first().innerText()).toMatch(/^desk\.(broken|slow)\s+1\s+1\s+100 %/);
});
