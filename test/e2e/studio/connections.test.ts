import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { showMsMax } from '../browser.ts';
import { onStudioStory } from './on-studio-story.ts';
import type { StudioStory } from './studio-story.ts';

let browser: Browser;
let story: StudioStory;
onStudioStory((opened) => {
  ({ browser, story } = opened);
});

async function openPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  return page;
}

/** As the browser does for a tab that another one covers. */
function show(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

// proves: workbench.connections
test('a hidden tab closes its event streams, and follows again once it is seen', async () => {
  const page = await openPage();
  const open = new Set<string>();
  const isStream = (url: string) => /\/(live|heads)$/.test(url);
  page.on('request', (request) => isStream(request.url()) && open.add(request.url()));
  page.on('requestfailed', (request) => open.delete(request.url()));
  await page.goto(story.studio);
  await expect.poll(() => open.size).toBe(2);
  await show(page, 'hidden');
  await expect.poll(() => open.size).toBe(0);
  const conversation = story.runtime.connect('dev').conversation(story.conversation);
  await (await conversation.send('Was it rebuilt?')).done();
  await show(page, 'visible');
  await expect.poll(() => open.size).toBe(2);
  await page.locator('.turn-head').getByText('Was it rebuilt?').waitFor();
  await page.close();
});

// proves: workbench.connections
test('a view whose file cannot be loaded leaves the page as it is, and comes later', async () => {
  const page = await openPage();
  await page.goto(story.studio);
  await page.locator('.part').first().waitFor();
  await page.route('**/assets/cache-tab-*.js', (route) => route.abort(), { times: 1 });
  const tabs = page.getByRole('navigation', { name: 'Inspector' });
  await tabs.getByRole('link', { name: 'Cache' }).click();
  await page.locator('.bars a').first().waitFor();
  expect(await page.locator('.round').count()).toBeGreaterThan(0);
  await page.close();
});

// proves: workbench.family
test('a fork after an answer ends with its turn', async () => {
  const page = await openPage();
  await page.goto(`${story.studio}?at=20`);
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.locator('.place').getByRole('link', { name: 'fork of block 22' }).waitFor();
  await page.locator('.turn-head').getByText('history/main · usual').waitFor();
  expect(await page.locator('.failed').count()).toBe(0);
  await page.close();
});
