import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { toCallId } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { bundles, openStage, type Player, type Stage, scope } from '../../runtime/gateway/stage.ts';
import { shot, showMsMax } from '../browser.ts';
import { ask, blocksOfNewest, onStagedPage } from '../open-page.ts';

const key = { id: 'CRM_KEY', description: 'Key of your account at crm.acme.io' };
const value = 'the value nobody may see';
const patience = { timeout: showMsMax };

let stage: Stage;
let page: Page;
let heard: readonly string[];
onStagedPage(
  (staged) => {
    ({ stage, page, heard } = staged);
  },
  { open: () => openStage({ bundles: { ...bundles, userSecrets: () => [key] } }) },
);
beforeEach(() => page.goto(stage.gateway.url));

/** A turn whose tool lacks a secret. What was live is gone after a while, or after a restart of the server. */
async function lackSecret({ isLive }: { isLive: boolean }): Promise<Player> {
  const player = await ask({ stage, page }, 'Who is our largest customer?');
  const call = { author: 'agent' as const, call: toCallId('tc_1') };
  await player.append({
    ...{ ...call, type: 'react.tool.call', path: toBlockPath(`tc:${player.turn}.tc_1.call`) },
    data: { tool: 'crm.find', input: {}, key: 'k', effects: 'none' },
  });
  const url = `/api/me/secrets/desk/${key.id}`;
  if (isLive) player.live('secret.required', { bundle: 'desk', ...key, method: 'PUT', url });
  const error = { code: 'secret_required', message: 'The user has not set it.', retryable: false };
  await player.append({
    ...{ type: 'react.tool.result', author: 'tool', call: toCallId('tc_1'), text: 'not set' },
    path: toBlockPath(`tc:${player.turn}.tc_1.result`),
    data: { ok: false, error },
  });
  return player;
}

const form = () => page.getByRole('form', { name: key.description });
const field = () => page.getByLabel(`Value of ${key.id}`);
const save = () => form().getByRole('button', { name: 'Save' });
const stored = () =>
  stage.deps.userSecrets.get({ ...scope, user: 'dev', bundle: 'desk', id: key.id });

// proves: page.secret
test('a required secret is requested, saved and not shown again, and the user continues', async () => {
  const player = await lackSecret({ isLive: true });
  await form().waitFor();
  expect(await field().getAttribute('type')).toBe('password');
  await player.close('Set your key first.');
  await page.locator('.end').getByText('tokens').waitFor();
  await field().fill(value);
  await shot(page, 'secret');
  await save().press('Enter');
  await form().getByText('Saved.').waitFor();
  await shot(page, 'secret-saved');
  expect(await stored()).toBe(value);
  expect(await field().inputValue()).toBe('');
  expect(await field().isVisible()).toBe(false);
  await form().getByRole('button', { name: 'Continue' }).click();
  await page.locator('.said', { hasText: 'CRM_KEY is set. Please continue.' }).waitFor();
  await expect.poll(() => page.locator('.said[data-state=accepted]').count(), patience).toBe(2);
  expect(JSON.stringify(await blocksOfNewest(stage))).not.toContain(value);
  expect(await page.content()).not.toContain(value);
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(value);
  expect(heard).toEqual([]);
});

// proves: page.secret
test('a secret is requested after a reload too, shows save errors, and can be changed', async () => {
  const player = await lackSecret({ isLive: false });
  await player.close('Set your key first.');
  await form().waitFor();
  await page.reload();
  await field().fill('x'.repeat(20_000));
  await save().click();
  await form()
    .getByRole('alert')
    .getByText('Not saved: value: at most 16,384 characters')
    .waitFor();
  await shot(page, 'secret-problem');
  await page.route('**/api/me/secrets/**', (route) => route.abort());
  await save().click();
  await form().getByText('the server cannot be reached').waitFor();
  await page.unroute('**/api/me/secrets/**');
  await field().fill(value);
  await save().click();
  await form().getByText('Saved.').waitFor();
  await form().getByRole('button', { name: 'Change' }).click();
  await field().fill('another value');
  await save().click();
  await expect.poll(stored, patience).toBe('another value');
});
