import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createScriptedModel } from '../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import { ask, defineTool } from '../../../runtime/sdk/index.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import { openStage, signal } from '../../runtime/gateway/stage.ts';
import { compiledTool } from '../../runtime/sdk/kit.ts';
import { shot, showMsMax } from '../browser.ts';
import { onStagedPage } from '../open-page.ts';

const runs: string[] = [];
afterEach(() => {
  runs.length = 0;
});
const restart = defineTool({
  id: 'service.restart',
  description: 'Restarts one service.',
  input: z.object({ service: z.string() }),
  approval: ({ service }) => ask(`Restart ${service}?`, { timeoutMs: 600_000 }),
  run: ({ service }) => {
    runs.push(service);
    return { restarted: service };
  },
});
const call = (service: string) => ({ call: { tool: 'service.restart', input: { service } } });
const long = Array.from({ length: 80 }, (_, n) => `Paragraph ${n} of a long answer.`).join('\n\n');

let page: Page;
let url = '';
onStagedPage(
  (staged) => {
    page = staged.page;
    url = staged.stage.gateway.url;
  },
  { open: openServer },
);

/** A gateway and a worker over the same memory; the tool asks before each call. */
async function openServer() {
  const owned = new Scope();
  const stage = owned.own(await openStage());
  const model = createScriptedModel(
    [{ answer: long }, call('checkout'), call('checkout'), call('search'), { answer: 'All done.' }],
    { id: 'scripted:test' },
  );
  const agent = agentWith({ id: 'main', tools: [await compiledTool(restart)] });
  const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
  owned.own(new Worker(engine, { signal }));
  return { ...stage, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

async function say(text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

const bar = (name: string) => page.locator('#dock').getByRole('region', { name });

// proves: page.approval-bar
test('an open approval stays in view with its countdown, and takes an edited input', async () => {
  await page.goto(url);
  await say('Tell me everything');
  await page.getByText('Paragraph 79').waitFor();
  await say('Restart everything');
  await bar('Restart checkout?').waitFor();
  await page.locator('#scroll').evaluate((scroll) => scroll.scrollTo({ top: 0 }));
  await page.getByText('Paragraph 0 of').waitFor();
  expect(await bar('Restart checkout?').isVisible()).toBe(true);
  const box = await bar('Restart checkout?').boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(900);
  await bar('Restart checkout?')
    .getByText(/^(10|\d):\d\d left$/)
    .waitFor();
  await shot(page, 'approval-bar');
  await bar('Restart checkout?').getByRole('button', { name: 'Change input' }).click();
  const input = page.getByLabel('Input of service.restart');
  await input.fill('{ "service": ');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('The input is not valid JSON.').waitFor();
  await input.fill('{ "service": "payments" }');
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(() => runs).toEqual(['payments']);
  await bar('Restart checkout?').getByRole('button', { name: 'Deny' }).click();
  await bar('Restart search?').getByRole('button', { name: 'Deny' }).click();
  await page.getByText('All done.').waitFor();
  expect(await page.locator('#dock').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('text');
  expect(runs).toEqual(['payments']);
});

// proves: page.approval-bar
test('an approval for the conversation is not asked for again', async () => {
  await page.goto(url);
  await say('Tell me everything');
  await page.getByText('Paragraph 79').waitFor();
  await say('Restart everything');
  await page.getByLabel('How long the approval is valid').selectOption('in this conversation');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('All done.').waitFor();
  expect(runs).toEqual(['checkout', 'checkout', 'search']);
});

// proves: page.list-live
// proves: page.list-search
test('the list of another tab shows a new conversation, that it waits for the user, and finds its words', async () => {
  await page.goto(url);
  const other = await page.context().browser()?.newPage();
  if (!other) throw new Error('no browser');
  other.setDefaultTimeout(showMsMax);
  await other.goto(url);
  await other.getByText('connected', { exact: true }).waitFor();
  const asked: string[] = [];
  other.on('request', (request) => asked.push(request.url()));
  await say('Tell me everything');
  const row = other.locator('#list .row');
  await row.getByText('Tell me everything').waitFor();
  await page.getByText('Paragraph 79').waitFor();
  await say('Restart everything');
  await row.getByText('Waits for you').waitFor();
  await other.getByLabel('Search conversations').fill('paragr answer');
  await row.getByText('Tell me everything').waitFor();
  await other.getByLabel('Search conversations').fill('paragraph zeppelin');
  await other.getByText('No conversation matches').waitFor();
  await other.getByLabel('Search conversations').fill('');
  for (const name of ['Restart checkout?', 'Restart checkout?', 'Restart search?']) {
    await bar(name).getByRole('button', { name: 'Deny' }).click();
  }
  await page.getByText('All done.').waitFor();
  await row.getByText('Waits for you').waitFor({ state: 'detached' });
  await other.getByRole('img', { name: 'At work' }).waitFor({ state: 'detached' });
  const lists = asked.filter((address) => /\/conversations\/dev\/dev/.test(address)).length;
  // A change is one request; a page that polls would make many more.
  expect(lists).toBeLessThan(30);
  await other.close();
});

// proves: page.keyboard
test('a message is sent and an approval is decided with the keyboard alone', async () => {
  await page.goto(url);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.keyboard.type('Tell me everything');
  await page.keyboard.press('Enter');
  await page.getByText('Paragraph 79').waitFor();
  await page.keyboard.type('Restart everything');
  await page.keyboard.press('Enter');
  await bar('Restart checkout?').waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  // The open approval comes before the message field.
  for (let n = 0; n < 4 && (await focused()) !== 'Deny'; n += 1) {
    await page.keyboard.press('Shift+Tab');
  }
  await page.keyboard.press('Shift+Tab');
  expect(await focused()).toBe('Allow');
  await page.keyboard.press('Enter');
  await expect.poll(() => runs).toEqual(['checkout']);
});

// proves: page.narrow
test('nothing is cut off at 390 pixels, at 200 % zoom, in the dark, or from right to left', async () => {
  await page.goto(url);
  await say('أخبرني بكل شيء عن الطقس في سياتل خلال أربع سنوات');
  await page.getByText('Paragraph 79').waitFor();
  await say('Restart everything');
  await bar('Restart checkout?').waitFor();
  const sizes = [
    ['phone', { width: 390, height: 844 }, 'light'],
    ['phone-dark', { width: 390, height: 844 }, 'dark'],
    ['zoom-200', { width: 640, height: 450 }, 'light'],
    ['desktop-dark', { width: 1280, height: 900 }, 'dark'],
  ] as const;
  for (const [name, size, colorScheme] of sizes) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await shot(page, `approval-${name}`);
    const { right, page: width } = await page.evaluate(() => ({
      right: Math.max(
        ...[...document.querySelectorAll('#dock *, #composer *, .said')].map(
          (each) => each.getBoundingClientRect().right,
        ),
      ),
      page: document.documentElement.clientWidth,
    }));
    expect(right).toBeLessThanOrEqual(width + 1);
    const field = await page.getByLabel('Message').boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(size.height);
  }
});
