import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toSeq } from '../../runtime/timeline/ids.ts';
import { openStage, type Stage, signal } from '../runtime/gateway/stage.ts';
import { violations } from './axe.ts';
import { complaints, openBrowser, shot, showMsMax } from './browser.ts';
import { ask, finish, newest } from './open-page.ts';
import { actor, drawing } from './scripted-agent.ts';

const patience = { timeout: showMsMax };
let stage: Stage;
let page: Page;
let close: () => Promise<void>;
beforeAll(async () => {
  const browser = await openBrowser();
  stage = await openStage();
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(showMsMax);
  complaints(page);
  close = async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  };
});
afterAll(() => close());
beforeEach(async () => {
  await page.goto('about:blank');
  await page.goto(stage.gateway.url);
});

// proves: page.accessible
test('axe finds nothing in a new, a running and a finished conversation, in its menus and beside it', async () => {
  expect(await violations(page)).toEqual([]);
  const player = await ask({ stage, page }, 'How did the four years differ?');
  await actor.think(player);
  await actor.plan(player);
  await actor.program(player);
  await page.locator('.output', { hasText: '214.8 mm' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await actor.draw(player);
  const svg = await stage.deps.blobs.put('dev', Buffer.from(drawing), { signal });
  await actor.answer(player, { svg });
  await actor.end(player);
  await page.locator('.end').getByText('tokens').waitFor();
  await page.locator('.steps summary').click();
  await page.getByRole('button', { name: 'Good answer' }).click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Open Report beside' }).click();
  await page.locator('#pane iframe').waitFor();
  await shot(page, 'pane');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('#pane').waitFor({ state: 'detached' });
  await page.locator('.row .icon-button').first().click();
  await page.getByRole('menuitem', { name: 'Rename…' }).waitFor();
  await shot(page, 'menu');
  expect(await violations(page)).toEqual([]);
});

// proves: page.manages
test('a conversation is renamed, pinned, found and deleted from the list', async () => {
  const player = await ask({ stage, page }, 'A question about rain');
  await finish(page, player, 'It rained.');
  const rows = page.locator('#list .row');
  const act = async (name: string) => {
    await rows.first().hover();
    await rows.first().getByRole('button').click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Rename…');
  await page.getByRole('textbox', { name: 'Name' }).fill('Gumboots of November');
  await page.getByRole('button', { name: 'Rename' }).click();
  await rows.first().getByText('Gumboots of November').waitFor();
  await act('Pin');
  await rows.first().locator('.title svg').waitFor();
  await page.getByLabel('Search conversations').fill('gumboots');
  await expect.poll(() => rows.count(), patience).toBe(1);
  await page.getByLabel('Search conversations').fill('no such words');
  await page.getByText('No conversation matches').waitFor();
  await page.getByLabel('Search conversations').fill('');
  await rows.first().getByText('Gumboots of November').waitFor();
  await act('Delete…');
  await shot(page, 'delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('What would you like to know?').waitFor();
  await expect.poll(() => page.getByText('Gumboots of November').count(), patience).toBe(0);
});

// proves: page.branches
test('a question can be changed and asked again in a copy, and the conversation stays as it was', async () => {
  const first = await ask({ stage, page }, 'One');
  await finish(page, first, 'First answer');
  const original = await newest(stage);
  const second = await ask({ stage, page }, 'Two');
  await finish(page, second, 'Second answer');
  await page.locator('.said', { hasText: 'Two' }).hover();
  await page.getByRole('button', { name: 'Edit this question' }).last().click();
  await page.getByRole('textbox', { name: 'Question' }).fill('Three');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.locator('.said', { hasText: 'Three' }).waitFor();
  await page.locator('.answer', { hasText: 'First answer' }).waitFor();
  expect(await page.getByText('Second answer').count()).toBe(0);
  expect(await newest(stage)).not.toBe(original);
  await page.goto(`${stage.gateway.url}/#${original}`);
  await page.locator('.answer', { hasText: 'Second answer' }).waitFor();
});

// proves: page.rates
test('an answer is rated with a comment, and the rating is shown after a reload', async () => {
  const player = await ask({ stage, page }, 'Rate me');
  await finish(page, player, 'An answer');
  const good = page.getByRole('button', { name: 'Good answer' });
  await good.click();
  await page.getByLabel('What was good or bad about it?').fill('Short and clear');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => {
      const blocks = await stage.deps.store.read(player.key, {
        after: toSeq(0),
        limit: 100,
        signal,
      });
      return blocks.filter(({ type }) => type === 'feedback').map(({ text }) => text);
    }, patience)
    .toContain('Short and clear');
  await page.reload();
  await expect.poll(() => good.getAttribute('aria-pressed'), patience).toBe('true');
});

// proves: page.calm-at-size
test('with 100 kB of answer, 100 pieces a second take at most 30 % of a core, and a selection stays', async () => {
  const player = await ask({ stage, page }, 'Tell me everything');
  const paragraph = `${'It rained on *most* days of `November`, and the normals say so too. '.repeat(8)}\n\n`;
  await player.delta('answer', paragraph.repeat(Math.ceil(100_000 / paragraph.length)));
  await player.delta('answer', 'The last paragraph grows');
  await page.locator('.answer p').last().getByText('The last paragraph grows').waitFor();
  await page.evaluate(() => {
    const last = [...document.querySelectorAll('.answer p')].at(-1)?.firstChild;
    if (last) getSelection()?.setBaseAndExtent(last, 4, last, 18);
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const seconds = 3;
  const [begun, before] = [performance.now(), await busy()];
  for (let n = 1; n <= seconds * 100; n += 1) {
    await player.delta('answer', ` word${n}`);
    const ahead = n * 10 - (performance.now() - begun);
    if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
  }
  const share = ((await busy()) - before) / ((performance.now() - begun) / 1_000);
  expect(await page.evaluate('getSelection().toString()')).toBe('last paragraph');
  expect(share).toBeLessThan(0.3);
  await page.getByText(`word${seconds * 100}`).waitFor();
  await player.close('Done.');
});
