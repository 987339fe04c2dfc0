import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Block } from '../../runtime/timeline/block.ts';
import { toSeq } from '../../runtime/timeline/ids.ts';
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
  return ask({ stage, page }, text);
}

/** Sends a message from the open page. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByLabel('Message').press('Enter');
  await page.locator('.said[data-state=accepted]', { hasText: text }).waitFor();
}

/** Sends a message that opens a turn; the turn is left to the player. */
export async function ask(
  { stage, page }: Pick<Staged, 'stage' | 'page'>,
  text: string,
): Promise<Player> {
  await say(page, text);
  return playNewest(stage);
}

/** Answers and ends a turn, and waits until the page shows its end. */
export async function finish(page: Page, player: Player, text: string): Promise<void> {
  await player.answer(text);
  await player.close(text);
  await player.release();
  await page.locator('.turn:not(.over)').waitFor({ state: 'detached' });
}

/** Plays the open turn of the conversation that was used last. */
export async function playNewest(stage: Stage): Promise<Player> {
  return Player.take(stage.deps, await newest(stage));
}

/** The first hundred blocks of the conversation that was used last. */
export async function blocksOfNewest(stage: Stage): Promise<readonly Block[]> {
  const row = await stage.deps.store.find(scope, await newest(stage), { signal });
  return row ? stage.deps.store.read(row.key, { after: toSeq(0), limit: 100, signal }) : [];
}

/** The id of the conversation that was used last. */
export async function newest({ deps }: Stage): Promise<string> {
  const [row] = await deps.store.list({ ...scope, user: 'dev' }, { limit: 1, signal });
  return row?.id ?? '';
}
