import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Block } from '../../../runtime/timeline/block.ts';
import { toSeq } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { Player, type Stage, scope, signal } from '../../runtime/gateway/stage.ts';
import { shot, showMsMax } from '../browser.ts';
import { newest, onStagedPage } from '../open-page.ts';
import { openAgentsStage } from './agents-stage.ts';

const patience = { timeout: showMsMax };
const desk = { id: 'desk', title: 'Help desk', version: '1', agents: ['main'], widgets: [] };
const served = [desk, { ...desk, id: 'press', title: 'Press office', agents: ['writer'] }];

let page: Page;
let stage: Stage;
onStagedPage(
  (staged) => {
    ({ page, stage } = staged);
  },
  { open: () => openAgentsStage(served) },
);

async function say(text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByLabel('Message').press('Enter');
  await page.locator('.said[data-state=accepted]', { hasText: text }).waitFor();
}

async function ask(text: string): Promise<Player> {
  await say(text);
  return Player.take(stage.deps, await newest(stage));
}

async function finish(player: Player, answer: string): Promise<void> {
  await player.close(answer);
  await stage.deps.store.release(player.key, { fence: player.fence, signal });
  await page.locator('.turn:not(.over)').waitFor({ state: 'detached' });
}

async function blocksOfNewest(): Promise<readonly Block[]> {
  const row = await stage.deps.store.find(scope, await newest(stage), { signal });
  return row ? stage.deps.store.read(row.key, { after: toSeq(0), limit: 100, signal }) : [];
}

const isTurnOpen = ({ type }: Block) => type === 'turn.open';

/** A turn that makes the report, with this text. */
async function report(player: Player, text: string): Promise<void> {
  await player.append({
    type: 'artifact.file',
    author: 'tool',
    path: toBlockPath(`fi:${player.turn}.outputs/report.md`),
    mime: 'text/markdown',
    text,
    data: { filename: 'report.md', size: text.length, visibility: 'external' },
  });
  await finish(player, 'Done.');
}

// proves: page.other-agent
test('a question is asked again of another agent, in a copy', async () => {
  await page.goto(stage.gateway.url);
  await finish(await ask('One'), 'First answer');
  await finish(await ask('Two'), 'Second answer');
  const before = await newest(stage);
  await page.getByRole('button', { name: 'Retry in a copy' }).last().click();
  await shot(page, 'retry');
  await page.getByRole('menuitem', { name: 'Press office' }).click();
  await expect.poll(() => newest(stage), patience).not.toBe(before);
  await expect
    .poll(async () => (await blocksOfNewest()).findLast(isTurnOpen), patience)
    .toMatchObject({ data: { bundle: 'press', agent: 'writer' } });
});

// proves: page.other-agent
test('the agent of a conversation is chosen before its first message, not while that is on its way', async () => {
  await page.goto(stage.gateway.url);
  await page.getByLabel('Agent').selectOption('Press office');
  await page.context().setOffline(true);
  await page.getByLabel('Message').fill('One');
  await page.getByLabel('Message').press('Enter');
  await page.locator('.said', { hasText: 'One' }).waitFor();
  await page.getByLabel('Agent').waitFor({ state: 'detached' });
  await page.context().setOffline(false);
  await page.locator('.said[data-state=accepted]', { hasText: 'One' }).waitFor();
  expect((await blocksOfNewest())[0]?.data).toMatchObject({ bundle: 'press', agent: 'writer' });
});

// proves: page.takes-back
test('an added message is taken back on another device, before the agent has read it', async () => {
  await page.goto(stage.gateway.url);
  await say('Review everything');
  await say('and the small ones');
  const other = await page.context().browser()?.newPage();
  if (!other) throw new Error('no browser');
  other.setDefaultTimeout(showMsMax);
  await other.goto(`${stage.gateway.url}/#${await newest(stage)}`);
  await other.getByRole('button', { name: 'Take back' }).click();
  await expect
    .poll(() => other.getByLabel('Message').inputValue(), patience)
    .toBe('and the small ones');
  await page.locator('.said', { hasText: 'and the small ones' }).waitFor({ state: 'detached' });
  await other.close();
});

// proves: page.file-versions
test('a file that several turns made is opened beside the conversation, in each of its versions', async () => {
  await page.goto(stage.gateway.url);
  await report(await ask('Write it down'), 'The long report.');
  await report(await ask('Make it shorter'), 'Short.');
  await page.getByRole('button', { name: 'View report.md' }).last().click();
  const pane = page.getByRole('complementary', { name: 'report.md' });
  await pane.getByText('Short.').waitFor();
  await pane.getByLabel('Version').selectOption('Version 1 of 2');
  await pane.getByText('The long report.').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'file-pane-390');
  const close = await pane.getByRole('button', { name: 'Close' }).boundingBox();
  expect((close?.x ?? 0) + (close?.width ?? 0)).toBeLessThanOrEqual(390);
});

// proves: page.manages
test('on a phone a conversation is deleted from the list, whose menu button is visible', async () => {
  const browser = page.context().browser();
  const phone = await browser?.newPage({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  if (!phone) throw new Error('no browser');
  phone.setDefaultTimeout(showMsMax);
  await page.goto(stage.gateway.url);
  await (await ask('A question')).close('An answer');
  await phone.goto(stage.gateway.url);
  await phone.getByRole('button', { name: 'Conversations' }).click();
  const more = phone.getByRole('button', { name: /Actions for/ });
  await expect.poll(() => more.evaluate((each) => getComputedStyle(each).opacity)).toBe('1');
  await more.tap();
  await phone.getByRole('menuitem', { name: 'Delete…' }).tap();
  await phone.getByRole('button', { name: 'Delete', exact: true }).tap();
  await expect.poll(() => more.count(), patience).toBe(0);
  await phone.close();
});
