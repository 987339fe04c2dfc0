import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Stage, scope, signal } from '../../runtime/gateway/stage.ts';
import { violations } from '../axe.ts';
import { shot, showMsMax } from '../browser.ts';
import { onStagedPage } from '../open-page.ts';

let page: Page;
let stage: Stage;
let heard: readonly string[];
onStagedPage((staged) => {
  ({ page, stage, heard } = staged);
});

const owner = { ...scope, user: 'dev', agent: 'desk/main' };
const dialog = () => page.getByRole('dialog', { name: 'Settings' });
const list = () => dialog().getByRole('list');

function memory() {
  if (!stage.deps.memory) throw new Error('no memory');
  return stage.deps.memory;
}

async function record(facts: readonly string[], of: 'user' | 'agent' = 'user'): Promise<void> {
  const recording = { owner, scope: of, op: facts.join(), conversation: 'conv_1' } as const;
  await memory().record({ ...recording, content: { facts } }, { signal });
}

// proves: page.remembered
test('what agents remember is listed in the settings, and a fact is forgotten', async () => {
  await record(['The user is called Mara.']);
  await record(['Refunds above 100 EUR need a second person.'], 'agent');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(stage.gateway.url);
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await list().getByText('used for all users of the agent').waitFor();
  await shot(page, 'settings-remembered-390');
  expect(await violations(page)).toEqual([]);
  await dialog().getByRole('button', { name: 'Forget: The user is called Mara.' }).click();
  await dialog().getByText('Forgotten. No later answer uses it.').waitFor();
  expect(await list().getByRole('listitem').count()).toBe(1);
  const kept = await memory().list(owner, { signal });
  expect(kept.map(({ text }) => text)).toEqual(['Refunds above 100 EUR need a second person.']);
  // The bundle of this stage has no settings.
  expect(heard.filter((line) => !line.includes('status of 404'))).toEqual([]);
});

// proves: page.remembered
test('of many facts the newest are listed first, and where there are none, nothing is said', async () => {
  await page.goto(stage.gateway.url);
  await page.getByRole('button', { name: 'Settings' }).click();
  await dialog().getByText('Erase all my data…').waitFor();
  expect(await dialog().getByText('What agents remember').count()).toBe(0);
  await page.keyboard.press('Escape');
  await record(Array.from({ length: 8 }, (_, n) => `Fact number ${n}`));
  await page.getByRole('button', { name: 'Settings' }).click();
  await dialog().getByRole('button', { name: 'Show all 8' }).click();
  await expect.poll(() => list().getByRole('listitem').count(), { timeout: showMsMax }).toBe(8);
});
