import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Stage } from '../../runtime/gateway/stage.ts';
import { violations } from '../axe.ts';
import { shot, showMsMax } from '../browser.ts';
import { ask, blocksOfNewest, finish, newest, onStagedPage, playNewest } from '../open-page.ts';
import { openAgentsStage } from './agents-stage.ts';

const patience = { timeout: showMsMax };
const models = [
  'anthropic:claude-haiku-4-5',
  'openai-compatible:a-model-with-a-name-that-is-much-too-long-for-a-menu-on-a-phone',
];
const desk = { id: 'desk', title: 'Help desk', version: '1', agents: ['main'], widgets: [] };
const served = [
  { ...desk, modelChoices: { main: models } },
  { ...desk, id: 'press', title: 'Press office', agents: ['writer'] },
];

let page: Page;
let stage: Stage;
onStagedPage(
  (staged) => {
    ({ page, stage } = staged);
  },
  { open: () => openAgentsStage(served) },
);

/** A whole turn. */
async function complete(text: string): Promise<void> {
  await finish(page, await ask({ stage, page }, text), 'An answer');
}

async function openedTurn() {
  const blocks = await blocksOfNewest(stage);
  return blocks.findLast(({ type }) => type === 'turn.open')?.data;
}

// proves: page.other-model
test('a question is asked again of another model, with the keyboard alone', async () => {
  await page.goto(stage.gateway.url);
  await complete('One');
  await complete('Two');
  const before = await newest(stage);
  const retry = page.getByRole('button', { name: 'Retry in a copy' }).last();
  await retry.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'claude-haiku-4-5' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, 'retry-model');
  // The menu closes and gives the focus back.
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await expect.poll(() => retry.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'claude-haiku-4-5' }).waitFor();
  // Letters find an item, as in every menu.
  await page.keyboard.type('claude');
  await page.keyboard.press('Enter');
  await expect.poll(() => newest(stage), patience).not.toBe(before);
  await expect.poll(openedTurn, patience).toMatchObject({
    ...{ bundle: 'desk', agent: 'main', text: 'Two' },
    options: { model: 'anthropic:claude-haiku-4-5' },
  });
  await page.locator('.said', { hasText: 'One' }).waitFor();
});

// proves: page.other-model
test('the menu of models fits a phone, and a turn of an agent without choices offers none', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(stage.gateway.url);
  await complete('One');
  await page.getByRole('button', { name: 'Retry in a copy' }).click();
  const long = page.getByRole('menuitem', { name: 'a-model-with-a-name' });
  await long.waitFor();
  await shot(page, 'retry-model-390');
  const edges = await page.getByRole('menu').evaluate((menu) => {
    const { left, right } = menu.getBoundingClientRect();
    return { left, right, overflow: menu.scrollWidth - menu.clientWidth };
  });
  expect(edges.left).toBeGreaterThanOrEqual(0);
  expect(edges.right).toBeLessThanOrEqual(390);
  expect(edges.overflow).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Press office' }).click();
  await expect.poll(openedTurn, patience).toMatchObject({ bundle: 'press' });
  await finish(page, await playNewest(stage), 'An answer');
  await page.getByRole('button', { name: 'Retry in a copy' }).click();
  await page.getByRole('menuitem', { name: 'Help desk' }).waitFor();
  expect(await page.getByText('With another model').count()).toBe(0);
});

// proves: page.other-agent
test('after a reload a changed question goes to the agent of its turn', async () => {
  await page.goto(stage.gateway.url);
  await page.getByLabel('Agent').selectOption('Press office');
  await complete('One');
  await complete('Two');
  const before = await newest(stage);
  await page.reload();
  await page.locator('.said', { hasText: 'Two' }).hover();
  await page.getByRole('button', { name: 'Edit' }).last().click();
  await page.getByRole('textbox', { name: 'Question' }).fill('Two, changed');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect.poll(() => newest(stage), patience).not.toBe(before);
  await expect
    .poll(openedTurn, patience)
    .toMatchObject({ bundle: 'press', agent: 'writer', text: 'Two, changed' });
});
