import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Stage } from '../../runtime/gateway/stage.ts';
import { shot, showMsMax } from '../browser.ts';
import { onStagedPage } from '../open-page.ts';

const patience = { timeout: showMsMax };
let page: Page;
let stage: Stage;
onStagedPage((staged) => {
  ({ page, stage } = staged);
});

/** Holds back what the page asks for; resolves with a function that lets it go. */
async function hold(pattern: RegExp): Promise<() => void> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(pattern, (route) => {
    if (isOpen) void route.continue();
    else held.push(route);
  });
  return () => {
    isOpen = true;
    for (const route of held) void route.continue();
  };
}

// proves: page.early
test('what is typed before the scripts have arrived stays in the field, with its caret, after an older draft', async () => {
  await page.goto(stage.gateway.url);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.keyboard.type('An older draft');
  const letGo = await hold(/assets\/chat-\w+\.js/);
  const going = page.reload();
  await page.getByLabel('Message').waitFor();
  await shot(page, 'early');
  await page.keyboard.type('Hello worl');
  await page.keyboard.press('ArrowLeft');
  letGo();
  await going;
  await page.getByRole('button', { name: 'New conversation' }).waitFor();
  await page.keyboard.type('d');
  expect(await page.getByLabel('Message').inputValue()).toBe('An older draft\n\nHello wordl');
});

// proves: page.early
test('a key that was pressed before the rest of the page has arrived has its effect', async () => {
  const letGo = await hold(/assets\/parts-\w+\.js/);
  await page.goto(stage.gateway.url);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByLabel('Message').blur();
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('text');
  expect(await page.getByRole('dialog', { name: 'Keys' }).count()).toBe(0);
  letGo();
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
});

// proves: page.early
test('a message that was sent before the rest of the page has arrived is shown then, though it first fails to load', async () => {
  let fails = 2;
  await page.route(/assets\/parts-\w+\.js/, (route) => {
    fails -= 1;
    return fails < 0 ? route.continue() : route.abort();
  });
  await page.goto(stage.gateway.url);
  await page.getByLabel('Message').fill('Hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => fails, patience).toBeLessThan(0);
  await page.locator('.said[data-state=accepted]', { hasText: 'Hello' }).waitFor();
});
