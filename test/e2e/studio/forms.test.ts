import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineProps, defineTool } from '../../../runtime/sdk/index.ts';
import { openRuntime, type TestRuntime } from '../../../runtime/testing/index.ts';
import { openBrowser, shot, showMsMax } from '../browser.ts';

const rate = defineTool({
  id: 'desk.rate',
  description: 'Rates bridges.',
  input: z.object({
    stars: z.int().min(1).max(5),
    names: z.array(z.string()),
    kind: z.enum(['rail', 'road']).default('rail'),
  }),
  effects: 'none',
  run: ({ stars, names, kind }) => ({ said: `${names.join(' and ')}: ${stars} of 5 (${kind})` }),
});
const bundle = defineBundle({
  id: 'desk',
  version: '1',
  agents: [defineAgent({ id: 'main', instruction: 'Rate bridges.', tools: [rate] })],
  props: defineProps(
    z.object({
      most: z.int().min(1).max(9).default(3),
      regions: z.array(z.string()).default(['eu']),
    }),
  ),
});

let browser: Browser;
let page: Page;
let runtime: TestRuntime;
beforeAll(async () => {
  [browser, runtime] = await Promise.all([openBrowser(), openRuntime({ bundle, model: [] })]);
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  await page.goto(`${runtime.url}/studio/#agents`);
});
afterAll(async () => {
  await browser.close();
  await runtime[Symbol.asyncDispose]();
});

/** How many fields of the form with this button the browser refuses. */
const invalid = (button: string) =>
  page
    .locator('form', { has: page.getByRole('button', { name: button }) })
    .locator(':is(input, textarea):invalid')
    .count();

// proves: workbench.forms
test('the form of the props refuses what does not fit, keeps it, and shows what is in force', async () => {
  await page.locator('summary', { hasText: 'Props' }).click();
  const most = page.getByRole('spinbutton', { name: 'most' });
  const regions = page.getByRole('textbox', { name: 'regions' });
  expect(await most.getAttribute('placeholder')).toBe('default: 3');
  const save = page.getByRole('button', { name: 'Save props' });
  await most.fill('10');
  await save.click();
  expect(await invalid('Save props')).toBe(1);
  await most.fill('4');
  await regions.fill('eu, us');
  await save.click();
  await page.getByRole('alert').getByText('regions: must be JSON').waitFor();
  await regions.fill('["eu", {}]');
  await save.click();
  await page
    .getByRole('alert')
    .getByText(/regions.*1/)
    .waitFor();
  expect(await regions.inputValue()).toBe('["eu", {}]');
  await shot(page, 'studio-props-refused');
  await regions.fill('["eu", "us"]');
  await save.click();
  await page.getByText('Saved; in force from now on.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.reload();
  await page.locator('summary', { hasText: 'Props' }).click();
  expect([await most.inputValue(), await regions.inputValue()]).toEqual(['4', '["eu","us"]']);
});

// proves: workbench.forms
test('the form of a tool refuses what does not fit, and what the tool refuses is in the conversation', async () => {
  await page.locator('summary', { hasText: 'desk.rate' }).click();
  const call = page.getByRole('button', { name: 'Call it' });
  const stars = page.getByRole('spinbutton', { name: 'stars' });
  const names = page.getByRole('textbox', { name: 'names' });
  await call.click();
  expect(await invalid('Call it')).toBe(2);
  await stars.fill('6');
  await names.fill('Tay');
  await call.click();
  expect(await invalid('Call it')).toBe(1);
  await stars.fill('5');
  await call.click();
  await page.getByRole('alert').getByText('names: must be JSON').waitFor();
  await names.fill('[{"a": 1}]');
  await call.click();
  await page.locator('.block-row', { hasText: 'react.tool.result' }).click();
  const block = page.getByRole('region', { name: /^Block/ });
  await block.getByText(/names/).first().waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator('summary', { hasText: 'desk.rate' }).click();
  await stars.fill('5');
  await names.fill('["Tay", "Forth"]');
  await page.getByRole('combobox', { name: 'kind' }).selectOption('road');
  await call.click();
  await page.locator('.block-row', { hasText: 'react.tool.result' }).click();
  await block.getByText('Tay and Forth: 5 of 5 (road)').first().waitFor();
});
