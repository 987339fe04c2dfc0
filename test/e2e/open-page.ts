import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openStage, Player, type Stage, scope, signal } from '../runtime/gateway/stage.ts';
import { complaints, openBrowser, showMsMax } from './browser.ts';

export type Staged = {
  readonly stage: Stage;
  readonly page: Page;
  /** What the page complains about. */
  readonly heard: readonly string[];
};

/** For each test of a file: a server, and a page of a browser that has not yet gone there. */
export function onStagedPage(
  use: (staged: Staged) => void,
  { open = openStage }: { open?: () => Promise<Stage> } = {},
): void {
  let browser: Browser;
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    stage = await open();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(showMsMax);
    use({ stage, page, heard: complaints(page) });
  });
  afterEach(async () => {
    await page.close();
    await stage[Symbol.asyncDispose]();
  });
}

/** Sends the first message of a conversation; its turn is left to the player. */
export async function openConversation({ stage, page }: Staged, text: string): Promise<Player> {
  await page.goto(stage.gateway.url);
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.said[data-state=accepted]').waitFor();
  return Player.take(stage.deps, await newest(stage));
}

/** The id of the conversation that was used last. */
export async function newest({ deps }: Stage): Promise<string> {
  const [row] = await deps.store.list({ ...scope, user: 'dev' }, { limit: 1, signal });
  return row?.id ?? '';
}
