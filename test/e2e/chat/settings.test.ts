import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineProps } from '../../../runtime/sdk/index.ts';
import { bundles, openStage, type Stage, signal } from '../../runtime/gateway/stage.ts';
import { bundleWith, compile } from '../../runtime/sdk/kit.ts';
import { violations } from '../axe.ts';
import { shot, showMsMax } from '../browser.ts';
import { onStagedPage } from '../open-page.ts';

const patience = { timeout: showMsMax };
const dev = { tenant: 'dev', project: 'dev' };
const support = { tenant: 'globex', project: 'support' };
const desk = { id: 'desk', title: 'Help desk', version: '1', agents: ['main'], widgets: [] };
const settings = defineProps(
  z.object({
    region: z.string(),
    unit: z.enum(['ms', 's']).default('ms').describe('Unit of durations'),
    rounds: z.int().max(9).default(3),
    isBrief: z.boolean().default(false),
  }),
  { perUser: ['unit', 'rounds', 'isBrief'] },
);

let page: Page;
let stage: Stage;
let heard: readonly string[];
onStagedPage(
  (staged) => {
    ({ page, stage, heard } = staged);
  },
  {
    open: async () => {
      const { userProps } = await compile(bundleWith([], { props: settings }), {
        props: { region: 'eu', rounds: 5 },
      });
      const offered = {
        ...bundles,
        bundles: () => [desk],
        userProps: () => userProps,
        userSecrets: () => [{ id: 'CRM_KEY', description: 'Key of your account' }],
      };
      return openStage({ bundles: offered, projects: [{ scope: support, bundles: offered }] });
    },
  },
);

const dialog = () => page.getByRole('dialog', { name: 'Settings' });
async function openSettings(): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await dialog().getByRole('heading', { name: 'Help desk' }).waitFor();
}
const save = (form: string) =>
  dialog().getByRole('form', { name: form }).getByRole('button', { name: 'Save' }).click();
const stored = async ({ tenant, project }: typeof dev) => {
  const asked = await fetch(new URL('/api/me/props/desk', stage.gateway.url), {
    headers: { 'x-timeloom-project': `${tenant}/${project}` },
  });
  return ((await asked.json()) as { props: unknown }).props;
};

// proves: page.settings
test('users set their props and secrets in the settings, and take them back', async () => {
  await page.goto(stage.gateway.url);
  await openSettings();
  await dialog().getByLabel('unit').selectOption('s');
  expect(await dialog().getByLabel('rounds').getAttribute('placeholder')).toBe('default: 5');
  await dialog().getByLabel('isBrief').selectOption({ label: 'yes' });
  await save('Your settings of Help desk');
  await dialog().getByText('Saved; used from the next message on.').waitFor();
  expect(await stored(dev)).toEqual({ unit: 's', isBrief: true });
  await dialog().getByLabel('Value of CRM_KEY').fill('a value');
  await save('Key of your account');
  await dialog().getByText('Saved.', { exact: true }).waitFor();
  await shot(page, 'settings');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await openSettings();
  expect(await dialog().getByLabel('unit').inputValue()).toBe('s');
  await dialog().getByRole('button', { name: 'Use the defaults' }).click();
  await dialog().getByText('The defaults apply again.').waitFor();
  expect(await stored(dev)).toEqual({});
  await dialog().getByText('CRM_KEY is set.').waitFor();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await dialog().getByText('Removed.').waitFor();
  const place = { ...dev, user: 'dev', bundle: 'desk', id: 'CRM_KEY' };
  expect(await stage.deps.userSecrets.get(place)).toBeUndefined();
  expect(heard).toEqual([]);
});

// proves: page.settings
test('a value that does not fit stays in the settings with the reason, on a phone too', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(stage.gateway.url);
  await page.getByRole('button', { name: 'Conversations' }).click();
  await openSettings();
  const form = dialog().getByRole('form', { name: 'Your settings of Help desk' });
  await form.evaluate((each: HTMLFormElement) => {
    each.noValidate = true;
  });
  await form.getByLabel('rounds').fill('12');
  await save('Your settings of Help desk');
  await form.getByRole('alert').getByText('Not saved: invalid props: rounds').waitFor();
  expect(await form.getByLabel('rounds').inputValue()).toBe('12');
  await shot(page, 'settings-390');
  const { x = 0, width = 0 } = (await dialog().boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
  expect(await dialog().evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
});

// proves: page.settings
test('the page of another project sets the props and secrets of that project', async () => {
  await page.goto(`${stage.gateway.url}/?project=globex/support`);
  await openSettings();
  await dialog().getByLabel('unit').selectOption('s');
  await save('Your settings of Help desk');
  await expect.poll(() => stored(support), patience).toEqual({ unit: 's' });
  await dialog().getByLabel('Value of CRM_KEY').fill('a value');
  await save('Key of your account');
  await dialog().getByText('Saved.', { exact: true }).waitFor();
  const place = { user: 'dev', bundle: 'desk', id: 'CRM_KEY' };
  expect(await stage.deps.userSecrets.get({ ...support, ...place })).toBe('a value');
  expect(await stage.deps.userSecrets.get({ ...dev, ...place })).toBeUndefined();
  expect(await stored(dev)).toEqual({});
});

// proves: erase.user
test('users erase all their data after a second question, and begin again', async () => {
  const sender = { ...dev, user: 'dev' };
  const place = { ...sender, bundle: 'desk', id: 'CRM_KEY' };
  await stage.deps.userSecrets.set(place, 'a value');
  await page.goto(stage.gateway.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.keyboard.press('Enter');
  const conversations = () => stage.deps.store.list(sender, { limit: 9, signal });
  await expect.poll(async () => (await conversations()).length, patience).toBe(1);
  await openSettings();
  await dialog().getByRole('button', { name: 'Erase all my data…' }).click();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().getByRole('button', { name: 'Erase all my data…' }).click();
  await shot(page, 'settings-erase');
  expect(await violations(page)).toEqual([]);
  expect(await conversations()).toHaveLength(1);
  await dialog().getByRole('button', { name: 'Erase everything' }).click();
  await dialog().getByText('All your data is erased.').waitFor();
  expect(await conversations()).toEqual([]);
  expect(await stage.deps.userSecrets.get(place)).toBeUndefined();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello again');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await conversations()).length, patience).toBe(1);
  await shot(page, 'settings-erased');
  expect(heard).toEqual([]);
});

const paper = { light: 'rgb(250, 248, 244)', dark: 'rgb(24, 23, 21)' };
const background = (shown: Page) =>
  shown.evaluate(() => getComputedStyle(document.body).backgroundColor);

// proves: page.theme
test('a chosen theme is kept and shown before any script runs, in chat and studio', async () => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(stage.gateway.url);
  expect(await background(page)).toBe(paper.light);
  await openSettings();
  await dialog().getByLabel('Dark').check();
  expect(await background(page)).toBe(paper.dark);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'settings-dark');
  const browser = page.context().browser();
  const storageState = await page.context().storageState();
  const bare = await browser?.newPage({ storageState, javaScriptEnabled: false });
  if (!bare) throw new Error('no browser');
  for (const path of ['/', '/studio/']) {
    await bare.goto(new URL(path, stage.gateway.url).href);
    expect(
      await bare.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor),
    ).toBe(paper.dark);
  }
  await bare.close();
  await page.reload();
  expect(await background(page)).toBe(paper.dark);
  await openSettings();
  await dialog().getByLabel('As the system').check();
  expect(await background(page)).toBe(paper.light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload();
  expect(await background(page)).toBe(paper.dark);
  expect(await page.context().cookies()).toEqual([]);
});
