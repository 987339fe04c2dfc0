import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Block } from '../../../runtime/timeline/block.ts';
import type { Player, Stage } from '../../runtime/gateway/stage.ts';
import { shot, showMsMax } from '../browser.ts';
import { ask, blocksOfNewest, finish, newest, onStagedPage, say } from '../open-page.ts';
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

const isTurnOpen = ({ type }: Block) => type === 'turn.open';

/** A turn that makes the report, with this text. */
async function report(player: Player, text: string): Promise<void> {
  await player.deliver('report.md', 'text/markdown', text);
  await finish(page, player, 'Done.');
}

// proves: page.other-agent
test('a question is asked again of another agent, in a copy', async () => {
  await page.goto(stage.gateway.url);
  await finish(page, await ask({ stage, page }, 'One'), 'First answer');
  await finish(page, await ask({ stage, page }, 'Two'), 'Second answer');
  const before = await newest(stage);
  await page.getByRole('button', { name: 'Retry in a copy' }).last().click();
  await shot(page, 'retry');
  await page.getByRole('menuitem', { name: 'Press office' }).click();
  await expect.poll(() => newest(stage), patience).not.toBe(before);
  await expect
    .poll(async () => (await blocksOfNewest(stage)).findLast(isTurnOpen), patience)
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
  expect((await blocksOfNewest(stage))[0]?.data).toMatchObject({
    bundle: 'press',
    agent: 'writer',
  });
});

// proves: page.takes-back
test('an added message is taken back on another device, before the agent has read it', async () => {
  await page.goto(stage.gateway.url);
  await say(page, 'Review everything');
  await say(page, 'and the small ones');
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
  await report(await ask({ stage, page }, 'Write it down'), 'The long report.');
  await report(await ask({ stage, page }, 'Make it shorter'), 'Short.');
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
  await (await ask({ stage, page }, 'A question')).close('An answer');
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
