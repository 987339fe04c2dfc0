import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { toConversationKey, toSeq, toStreamName } from '../../runtime/timeline/ids.ts';
import { Player, type Stage, scope, signal } from '../runtime/gateway/stage.ts';
import { shot } from './browser.ts';
import { onStagedPage } from './open-page.ts';
import { actor, drawing } from './scripted-agent.ts';

let stage: Stage;
let page: Page;
let heard: readonly string[];
onStagedPage((staged) => {
  ({ stage, page, heard } = staged);
});
beforeEach(() => page.goto(stage.gateway.url));

async function ask(text: string): Promise<Player> {
  const accepted = new Promise<void>((resolve) => {
    const tie = stage.deps.bus.onWake(() => {
      tie[Symbol.dispose]();
      resolve();
    });
  });
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await accepted;
  const [row] = await stage.deps.store.list({ ...scope, user: 'dev' }, { limit: 1, signal });
  if (row) await stage.deps.store.setTitle(row.key, text, { signal });
  return Player.take(stage.deps, row?.id ?? '');
}

const file = {
  name: 'weather.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('date,precipitation\n2014-11-01,12.4\n'),
};

// proves: web.page
test('the page shows a conversation live: thinking, tools, code and output, growing widgets, files, the answer', async () => {
  await shot(page, 'welcome');
  await page.locator('#picker').setInputFiles(file);
  const player = await ask('How did the four years differ, and which months are the wettest?');
  await actor.think(player);
  await page.getByText('I profile the table first').waitFor();
  expect(await page.locator('.said .chip').textContent()).toBe('weather.csv');
  await shot(page, 'thinking');
  await actor.plan(player);
  await page.locator('.tool[data-state=running]', { hasText: 'weather.profile' }).waitFor();
  await actor.program(player);
  await page.locator('.output', { hasText: '214.8 mm' }).waitFor();
  expect(await page.locator('.code .calls').textContent()).toBe('weather.normals ×3');
  await page.locator('.tool[data-state=done]', { hasText: 'weather.profile' }).waitFor();
  await shot(page, 'program');

  await player.delta('canvas', '<h1>Half a rep', {
    artifact: { name: 'x.html', mime: 'text/html' },
    stream: toStreamName('half'),
    instance: 9,
  });
  await page.frameLocator('.canvas iframe').getByText('Half a rep').waitFor();
  await player.delta('canvas', 'ort</h1>', { stream: toStreamName('half'), instance: 9 });
  await page.frameLocator('.canvas iframe').getByText('Half a report').waitFor();
  player.live('stream.reset', { stream: 'half' });
  await page.locator('.canvas iframe').waitFor({ state: 'detached' });

  await actor.draw(player);
  await page.frameLocator('.canvas iframe').getByText('1,139 mm').waitFor();
  await page.locator('.canvas img').waitFor();
  const svg = await stage.deps.blobs.put('dev', Buffer.from(drawing), { signal });
  await actor.answer(player, { svg });
  await page.locator('.answer table').waitFor();
  await shot(page, 'answering');
  await actor.end(player);
  await page.locator('.end').getByText('tokens').waitFor();
  await page.locator('.file img').waitFor();
  await shot(page, 'done');
  expect(
    await page.locator('.canvas iframe').contentFrame().locator('body').innerText(),
  ).not.toContain('a script ran');
  expect(await page.locator('.sources a').getAttribute('href')).toBe('https://example.org/normals');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download report.html' }).click();
  expect((await download).suggestedFilename()).toBe('report.html');
  expect(heard.filter((text) => !/sandboxed/.test(text))).toEqual([]);

  await page.getByRole('button', { name: 'Which month was the wettest?' }).click();
  await page.locator('.turn').nth(1).waitFor();
});

test('a running turn can be extended, redirected and stopped', async () => {
  const player = await ask('Review everything');
  await actor.think(player);
  await page.getByLabel('Message').fill('and the small ones');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page
    .locator('.said[data-event=followup]')
    .getByText('will be read at the next step')
    .waitFor();
  await page.getByLabel('Message').fill('only the last hour');
  await page.getByRole('button', { name: 'Redirect' }).click();
  await page.locator('.said[data-event=steer]', { hasText: 'only the last hour' }).waitFor();
  await shot(page, 'working');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.locator('.said[data-state=accepted] .bubble', { hasText: /^Stop$/ }).waitFor();
  await player.append({
    type: 'turn.close',
    author: 'system',
    data: {
      reason: 'interrupted',
      text: '',
      degraded: false,
      completions: 0,
      files: [],
      usage: {},
    },
  });
  await page.getByText('Stopped.').waitFor();
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).isVisible()).toBe(false);
  const row = await stage.deps.store.list({ ...scope, user: 'dev' }, { limit: 1, signal });
  const blocks = await stage.deps.store.read(toConversationKey(row[0]?.key ?? 0), {
    after: toSeq(0),
    limit: 100,
    signal,
  });
  expect(
    blocks.filter(({ author }) => author === 'user').map(({ type, text }) => `${type} ${text}`),
  ).toEqual([
    'user.prompt Review everything',
    'external.followup and the small ones',
    'external.steer only the last hour',
    'external.steer ',
  ]);
});

test('a reload shows the same conversation, and the list opens others', async () => {
  const player = await ask('First question');
  await actor.think(player);
  await page.getByText('I profile the table first').waitFor();
  await page.reload();
  await page.getByText('I profile the table first').waitFor();
  await player.close('Done.');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('What would you like to know?').waitFor();
  await ask('Second question');
  await page.locator('#list a', { hasText: 'First question' }).click();
  await page.locator('.said', { hasText: 'First question' }).waitFor();
  expect(await page.locator('.said', { hasText: 'Second question' }).count()).toBe(0);
});

test('a refused message stays on the page with its reason, and a failed turn shows its error', async () => {
  await page.locator('#picker').setInputFiles({
    name: 'tool.exe',
    mimeType: 'application/x-msdownload',
    buffer: Buffer.from('MZ'),
  });
  await page.getByRole('button', { name: 'Send' }).click();
  await page
    .locator('.said[data-state=refused]', {
      hasText: 'tool.exe is text declared as application/x-msdownload',
    })
    .waitFor();
  const player = await ask('Go on');
  const error = {
    code: 'SCRIPT_MISMATCH',
    message: 'the scripted model has no reply for this request',
  };
  await player.append({
    type: 'turn.close',
    author: 'system',
    data: {
      reason: 'failed',
      text: '',
      degraded: false,
      completions: 0,
      files: [],
      usage: {},
      error,
    },
  });
  await page.getByText('This turn failed: the scripted model has no reply').waitFor();
  await shot(page, 'refused');
});

test.each([
  ['dark', 1280],
  ['dark', 390],
  ['light', 390],
] as const)('in %s and %d pixels wide it fits', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 844 });
  const player = await ask('How did the four years differ, and which months are the wettest?');
  await actor.think(player);
  await actor.plan(player);
  await actor.program(player);
  await shot(page, `program-${colorScheme}-${width}`);
  await actor.draw(player);
  const svg = await stage.deps.blobs.put('dev', Buffer.from(drawing), { signal });
  await actor.answer(player, { svg });
  await actor.end(player);
  await page.locator('.suggestions button').first().waitFor();
  await page.locator('.file img').waitFor();
  await shot(page, `done-${colorScheme}-${width}`);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  expect(wide).toBeLessThanOrEqual(width);
});
