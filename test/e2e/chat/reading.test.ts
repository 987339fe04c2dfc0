import type { Page, Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { toCallId } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { Stage } from '../../runtime/gateway/stage.ts';
import { violations } from '../axe.ts';
import { shot, showMsMax } from '../browser.ts';
import { ask, finish, onStagedPage } from '../open-page.ts';

const patience = { timeout: showMsMax };
let page: Page;
let stage: Stage;
onStagedPage((staged) => {
  ({ page, stage } = staged);
});
beforeEach(async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(stage.gateway.url);
});

const clipboard = () => page.evaluate('navigator.clipboard.readText()');

// proves: page.citations
test('a citation is the number of its source, with a card under the pointer and with the keyboard', async () => {
  const player = await ask({ stage, page }, 'How wet was November?');
  const sources = [
    { sid: 1, title: 'Airport', url: 'https://example.org/airport' },
    { sid: 2, title: 'Normals', url: 'https://example.org/normals', text: '140 mm in a month' },
  ];
  for (const source of sources) {
    const path = toBlockPath(`so:sources_pool[${source.sid}]`);
    await player.append({ type: 'source.row', author: 'tool', path, data: source });
  }
  const url = 'https://example.org/normals';
  await finish(page, player, `Very wet [Normals](${url}), says [another page](${url}).`);
  const answer = page.locator('.answer');
  await expect
    .poll(() => answer.innerText(), patience)
    .toMatch(/^Very wet\s+2\s*, says another page\./);
  const cite = answer.getByRole('link', { name: 'Source 2: Normals' });
  expect(await cite.getAttribute('href')).toBe(url);
  const card = answer.locator('.cite-card');
  expect(await card.isVisible()).toBe(false);
  await cite.hover();
  expect(await card.innerText()).toMatch(/Normals\s+example\.org\s+140 mm in a month/);
  await shot(page, 'citation');
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Message').hover();
  await card.waitFor({ state: 'hidden' });
  await cite.focus();
  await card.waitFor();
});

// proves: page.code-and-formulas
test('code has colours and is copied, formulas are set, and an answer is copied as it was written', async () => {
  const code = 'def half(x):\n    return x / 2\n';
  const text = `Half of $x^2$, for $5:\n\n\`\`\`python\n${code}\`\`\`\n\n$$\n\\frac{x^2}{2}\n$$\n`;
  await finish(page, await ask({ stage, page }, 'How do I halve it?'), text);
  const keyword = page.locator('.code-block .tok-keyword', { hasText: 'return' });
  await keyword.waitFor();
  const colour = (place: typeof keyword) =>
    place.evaluate((element) => getComputedStyle(element).color);
  expect(await colour(keyword)).not.toBe(await colour(page.locator('.code-block code')));
  await page.locator('.answer math mfrac').waitFor();
  expect(await page.locator('.answer math').count()).toBe(2);
  expect(await page.locator('.answer').innerText()).toContain('for $5:');
  await page.locator('.code-block').hover();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  expect(String(await clipboard()).trimEnd()).toBe(code.trimEnd());
  await page.getByRole('button', { name: 'Copy answer' }).click();
  await expect.poll(clipboard, patience).toBe(text);
  await shot(page, 'code-and-formulas');
});

// proves: page.report-view
test('a delivered HTML report is read beside the conversation, where none of its scripts runs', async () => {
  const player = await ask({ stage, page }, 'Write a report');
  const text = `<h1>Wet months</h1><script>document.body.textContent = 'a script ran'</script>`;
  await player.deliver('report.html', 'text/html', text);
  await finish(page, player, 'Here it is.');
  await page.getByRole('button', { name: 'View report.html' }).click();
  const pane = page.getByRole('complementary', { name: 'report.html' });
  await pane.locator('iframe').contentFrame().getByText('Wet months').waitFor();
  expect(await pane.locator('iframe').getAttribute('sandbox')).not.toContain('allow-scripts');
  await shot(page, 'report-pane');
  await page.keyboard.press('Escape');
  await pane.waitFor({ state: 'detached' });
});

// proves: page.canvas-versions
test('a canvas that several turns wrote is opened beside the conversation, in each of its versions', async () => {
  for (const [question, text] of [
    ['Draw a board', 'First board'],
    ['Change the board', 'Second board'],
  ] as const) {
    const player = await ask({ stage, page }, question);
    await player.append({
      type: 'canvas',
      author: 'agent',
      path: toBlockPath(`ar:${player.turn}.canvas.board`),
      mime: 'text/markdown',
      text,
      data: { stream: `${player.turn}.1.canvas.1`, name: 'board', title: 'Board' },
    });
    await finish(page, player, 'Done.');
  }
  await page.getByRole('button', { name: 'Open Board beside' }).last().click();
  const pane = page.getByRole('complementary', { name: 'board' });
  await pane.getByText('Second board').waitFor();
  await pane.getByLabel('Version').selectOption('Version 1 of 2');
  await pane.getByText('First board').waitFor();
  await pane.getByRole('button', { name: 'Copy content' }).click();
  await expect.poll(clipboard, patience).toBe('First board');
});

// proves: page.upload-progress
test('a large file shows how much of it is uploaded', async () => {
  const held: Route[] = [];
  await page.route('**/api/uploads/*', (route) => {
    if (Number(route.request().headers()['upload-offset']) > 0 && held.length === 0)
      held.push(route);
    else void route.continue();
  });
  const buffer = Buffer.alloc(3 * 1024 * 1024, 'a line of a table\n');
  await page.locator('#picker').setInputFiles({ name: 'big.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Message').fill('Read it');
  await page.getByLabel('Message').press('Enter');
  const progress = page.getByRole('progressbar', { name: 'Upload of big.csv' });
  await expect.poll(() => held.length, patience).toBe(1);
  await expect
    .poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.position), patience)
    .toBeGreaterThan(0);
  expect(await progress.evaluate((bar: HTMLProgressElement) => bar.position)).toBeLessThan(1);
  await held[0]?.continue();
  await page.locator('.said[data-state=accepted]', { hasText: 'Read it' }).waitFor();
  await progress.waitFor({ state: 'detached' });
});

// proves: page.tool-progress
test('a running call shows the progress that it reports', async () => {
  const player = await ask({ stage, page }, 'Import the table');
  const call = toCallId('tc_1');
  await player.append({
    ...{ type: 'react.tool.call', author: 'agent', call },
    path: toBlockPath(`tc:${player.turn}.tc_1.call`),
    data: { tool: 'desk.import', input: {}, key: 'k', effects: 'none' },
  });
  player.live('chat.tool.progress', { call, n: 1, text: 'Row 250 of 1,000', fraction: 0.25 });
  const tool = page.locator('.tool', { hasText: 'desk.import' });
  await tool.getByText('Row 250 of 1,000').waitFor();
  const bar = tool.getByRole('progressbar', { name: 'Progress of desk.import' });
  expect(await bar.evaluate((each: HTMLProgressElement) => each.position)).toBe(0.25);
  await finish(page, player, 'Imported.');
  expect(await page.getByRole('progressbar').count()).toBe(0);
});

// proves: page.keyboard
test('j and k go from turn to turn', async () => {
  for (const question of ['First question', 'Second question']) {
    await finish(page, await ask({ stage, page }, question), 'An answer.');
  }
  await page.getByLabel('Message').blur();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('k');
  expect(await focused()).toContain('Second question');
  await page.keyboard.press('k');
  expect(await focused()).toContain('First question');
  await page.keyboard.press('j');
  expect(await focused()).toContain('Second question');
});
