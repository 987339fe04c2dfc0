import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../runtime/client/index.ts';
import type { ServedWidget } from '../../runtime/gateway/ports/bundle-directory.ts';
import { toBlockPath } from '../../runtime/timeline/paths.ts';
import { bundles, openStage, Player, type Stage } from '../runtime/gateway/stage.ts';
import { shot, showMsMax } from './browser.ts';
import { onStagedPage } from './open-page.ts';

const turns = 200;
const patience = { timeout: showMsMax };
const mime = 'application/vnd.desk.board+json';
const widgetPage = `<!doctype html><pre></pre><script type="module">
import { connect } from '/assets/client.js';
let text = '';
for await (const delta of connect().canvas()) {
  text = text.slice(0, delta.offset) + delta.text;
  document.querySelector('pre').textContent = text + (delta.completed ? ' (complete)' : '');
}
</script>`;

let dir: string;
let stage: Stage;
let page: Page;
onStagedPage(
  (staged) => {
    ({ stage, page } = staged);
  },
  {
    open: async () => {
      dir = await mkdtemp(join(tmpdir(), 'timeloom-long-'));
      await writeFile(join(dir, 'index.html'), widgetPage);
      const board: ServedWidget = {
        ...{ id: 'board', title: 'Board', dir, main: false, renders: [mime], access: 'user' },
      };
      return openStage({
        bundles: { ...bundles, widgets: () => [board] },
        limits: { user: { perMinute: 100_000 } },
      });
    },
  },
);
afterEach(() => rm(dir, { recursive: true }));

/** A board in every tenth turn. */
async function play(player: Player, n: number): Promise<void> {
  const at = `${player.turn}.1`;
  const thinking = `I look at part ${n} first. `.repeat(20);
  const data = { round: 1, phase: 'decision', landed: [] };
  await player.append({ type: 'round.open', author: 'system', data });
  await player.append({
    ...{ type: 'react.thinking', author: 'agent', text: thinking },
    data: { stream: `${at}.thinking.1` },
  });
  if (n % 10 === 0) {
    await player.append({
      ...{
        type: 'canvas',
        author: 'agent',
        path: toBlockPath(`ar:${player.turn}.canvas.board`),
        mime,
      },
      text: `board of turn ${n}`,
      data: { stream: `${at}.canvas.1`, name: 'board', title: 'Board' },
    });
  }
  const text = `Answer ${n}. ${'It rained on most days of that month. '.repeat(30)}`;
  await player.answer(text);
  await player.close(text);
  await player.release();
}

async function longConversation(count = turns): Promise<void> {
  await using client = connect({ url: stage.gateway.url });
  const conversation = client.conversation('conv_long');
  for (let n = 1; n <= count; n += 1) {
    await conversation.send(`Question ${n}.`);
    await play(await Player.take(stage.deps, 'conv_long'), n);
  }
}

/** What comes over sockets. */
function traffic() {
  const heard = { sockets: 0, frames: 0, bytes: 0 };
  page.on('websocket', (socket) => {
    heard.sockets += 1;
    socket.on('framereceived', ({ payload }) => {
      heard.frames += 1;
      heard.bytes += payload.length;
    });
  });
  return heard;
}

const answer = (n: number) => page.getByText(`Answer ${n}.`, { exact: false });
const more = () => page.getByRole('button', { name: 'Load earlier messages' });
const shownTurns = () => page.locator('.turn').count();
/** Where the question of a turn stands on the screen. */
const topOf = async (n: number) =>
  Math.round((await page.getByText(`Question ${n}.`, { exact: true }).boundingBox())?.y ?? 0);

// proves: page.earlier
test('a long conversation opens with its last turns over one socket, and its widgets send no requests', async () => {
  await longConversation(turns);
  const heard = traffic();
  await page.goto(`${stage.gateway.url}/#conv_long`);
  await answer(turns).waitFor();
  await page
    .frameLocator('.canvas iframe')
    .last()
    .getByText('board of turn 200 (complete)')
    .waitFor();
  await page
    .frameLocator('.canvas iframe')
    .first()
    .getByText('board of turn 190 (complete)')
    .waitFor();
  await more().waitFor();
  expect(await shownTurns()).toBe(20);
  // 34,083 frames and 29.0 MB over 21 sockets before.
  expect(heard.sockets).toBe(1);
  expect(heard.frames).toBeLessThan(400);
  expect(heard.bytes).toBeLessThan(150_000);
  await shot(page, 'long');
});

// proves: page.earlier
test('earlier messages are loaded above the view, also by keyboard, until the beginning', async () => {
  await longConversation(45);
  await page.goto(`${stage.gateway.url}/#conv_long`);
  await answer(45).waitFor();
  await more().scrollIntoViewIfNeeded();
  await shot(page, 'earlier');
  const before = await topOf(26);
  await more().press('Enter');
  await answer(6).waitFor();
  // A first turn has a little less room above its text.
  await expect.poll(async () => Math.abs((await topOf(26)) - before), patience).toBeLessThan(5);
  expect(await shownTurns()).toBe(40);
  await page
    .frameLocator('.canvas iframe')
    .first()
    .getByText('board of turn 10 (complete)')
    .waitFor();
  await more().press('Enter');
  await answer(1).waitFor();
  expect(await shownTurns()).toBe(45);
  await more().waitFor({ state: 'hidden' });
  const isFocused = () => page.evaluate(() => document.activeElement?.id);
  expect(await isFocused()).toBe('scroll');

  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.locator('#list a').first().click();
  await answer(45).waitFor();
  expect(await shownTurns()).toBe(45);
  const questions = await page.locator('.said .bubble').allTextContents();
  expect(questions).toEqual(Array.from({ length: 45 }, (_, at) => `Question ${at + 1}.`));
});
