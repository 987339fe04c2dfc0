import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Player, type Stage } from '../runtime/gateway/stage.ts';
import { shot, showMsMax } from './browser.ts';
import { newest, onStagedPage } from './open-page.ts';

let stage: Stage;
let page: Page;
onStagedPage((staged) => {
  ({ stage, page } = staged);
});

const message = () => page.getByLabel('Message');
const patience = { timeout: showMsMax };

async function send(text: string): Promise<string> {
  await message().fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.said[data-state=accepted]', { hasText: text }).waitFor();
  return newest(stage);
}

// proves: page.unknown-conversation
test('a link to a missing or deleted conversation shows a message and leads back', async () => {
  await page.goto(`${stage.gateway.url}/#conv_nobody`);
  await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
  expect(await message().isVisible()).toBe(false);
  expect(await page.getByText('What would you like to know?').isVisible()).toBe(false);
  await shot(page, 'missing');
  await page.getByRole('button', { name: 'Start a new conversation' }).click();
  await page.getByText('What would you like to know?').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  const id = await send('Hello');
  await page.goto(`${stage.gateway.url}/#conv_other`);
  await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
  await page.goto(`${stage.gateway.url}/#${id}`);
  await page.locator('.said', { hasText: 'Hello' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Conversation not found' }).isVisible()).toBe(
    false,
  );
});

// proves: page.drafts
test('a message that is too long stays in the field and shows the limit', async () => {
  await page.goto(stage.gateway.url);
  await message().fill('x'.repeat(32_001));
  await page.getByText('32,001 characters; the limit is 32,000').waitFor();
  await shot(page, 'too-long');
  await message().press('Enter');
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  expect((await message().inputValue()).length).toBe(32_001);
  expect(await page.locator('.said').count()).toBe(0);
});

// proves: page.drafts
test('drafts are kept per conversation and across a reload, and a refused message can be edited', async () => {
  await page.goto(stage.gateway.url);
  const id = await send('First');
  const player = await Player.take(stage.deps, id);
  await player.close('Done.');
  await page.locator('.end').getByText('tokens').waitFor();
  await message().fill('half a thought');
  await page.getByRole('button', { name: 'New conversation' }).click();
  expect(await message().inputValue()).toBe('');
  await message().fill('another thought');
  await page.locator('#list a').first().click();
  await expect.poll(() => message().inputValue(), patience).toBe('half a thought');
  await page.reload();
  await expect.poll(() => message().inputValue(), patience).toBe('half a thought');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect.poll(() => message().inputValue(), patience).toBe('another thought');

  const buffer = Buffer.from('MZ');
  const file = { name: 'tool.exe', mimeType: 'application/x-msdownload', buffer };
  await page.locator('#picker').setInputFiles(file);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.said[data-state=refused]').waitFor();
  expect(await message().inputValue()).toBe('');
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await message().inputValue()).toBe('another thought');
  expect(await page.locator('#files .chip').textContent()).toContain('tool.exe');
  await expect.poll(() => page.locator('.said').count(), patience).toBe(0);
});

// proves: page.errors-stay
test('a notice stays until its action is retried or it is dismissed', async () => {
  await page.goto(stage.gateway.url);
  const lists = '**/conversations/dev/dev?*';
  await page.route(lists, (route) => route.abort());
  const id = await send('Hello');
  const notice = page.getByRole('alert');
  await notice.getByText('The list of conversations could not be loaded').waitFor();
  const player = await Player.take(stage.deps, id);
  await player.delta('answer', 'An answer streams');
  await page.getByText('An answer streams').waitFor();
  await shot(page, 'notice');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'notice-dark-390');
  expect(await notice.isVisible()).toBe(true);
  await page.unroute(lists);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor({ state: 'detached' });

  await page.route(lists, (route) => route.abort());
  const error = { code: 'MODEL_UNREACHABLE', message: 'the provider does not answer' };
  const data = { text: '', degraded: false, completions: 0, files: [], usage: {}, error };
  await player.append({
    type: 'turn.close',
    author: 'system',
    data: { ...data, reason: 'failed' },
  });
  await page.getByText('This turn failed: the provider does not answer.').waitFor();
  await page.getByText('send your message again then').waitFor();
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  expect(await notice.count()).toBe(0);
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.locator('.said', { hasText: 'Hello' }).nth(1).waitFor();
});
