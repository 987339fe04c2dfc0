import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { toBlockPath } from '../../runtime/timeline/paths.ts';
import { bundles, openStage, type Player } from '../runtime/gateway/stage.ts';
import { showMsMax } from './browser.ts';
import { onStagedPage, openConversation, type Staged } from './open-page.ts';

let staged: Staged;
let page: Page;
let operations: string[];
onStagedPage(
  (opened) => {
    staged = opened;
    page = opened.page;
  },
  {
    open: () => {
      operations = [];
      const operation = (_: string, id: string) => {
        operations.push(id);
        return undefined;
      };
      return openStage({ bundles: { ...bundles, operation } });
    },
  },
);

const named = { artifact: { name: 'report.html', mime: 'text/html', title: 'Report' } };

async function draw(player: Player, html: string): Promise<void> {
  await player.delta('canvas', html, named);
  await player.delta('canvas', '', { ...named, completed: true });
}

async function finish(player: Player, html: string): Promise<void> {
  await player.append({
    type: 'canvas',
    author: 'agent',
    path: toBlockPath(`ar:${player.turn}.canvas.report.html`),
    mime: 'text/html',
    text: html,
    data: { stream: `${player.turn}.1.canvas.1`, name: 'report.html', title: 'Report' },
  });
  await player.close('Done.');
  await page.locator('.end').getByText('tokens').waitFor();
}

/** The share of a frame's pixels that are red, as the browser has painted them. */
async function redShare(): Promise<number> {
  const shot = await page.locator('.canvas iframe').screenshot();
  const count = async (address: string) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    if (!context) return -1;
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let red = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === 255 && data[at + 1] === 0 && data[at + 2] === 0) red += 1;
    }
    return red / (data.length / 4);
  };
  return page.evaluate(count, `data:image/png;base64,${shot.toString('base64')}`);
}

const patience = { timeout: showMsMax };

const painted = `<!doctype html><style>body{margin:0}</style>
<div style="height:300px;background:rgb(255,0,0)">A report</div>`;

// proves: page.canvas-kept
test('the pixels of a canvas stay when it is complete, when its turn ends and when it moves', async () => {
  const player = await openConversation(staged, 'Draw');
  await player.delta('canvas', painted.slice(0, 40), named);
  await page.locator('.canvas iframe').waitFor();
  await player.delta('canvas', painted.slice(40), { ...named, completed: true });
  await page.frameLocator('.canvas iframe').getByText('A report').waitFor();
  await expect.poll(redShare, patience).toBeGreaterThan(0.9);
  await finish(player, painted);
  await expect.poll(redShare, patience).toBeGreaterThan(0.9);

  await page.evaluate(() => {
    const list = document.querySelector('.items');
    const canvas = document.querySelector('.canvas');
    if (canvas) list?.prepend(canvas);
  });
  await expect.poll(redShare, patience).toBeGreaterThan(0.9);
});

// proves: page.canvas-no-requests
test('generated HTML sends no request: no image, style, form, refresh, script or frame of it reaches a server', async () => {
  await using owned = new Scope();
  const seen: string[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  owned.defer(() => {
    // A browser connects to the host of a link under its pointer, and sends nothing.
    elsewhere.closeAllConnections();
    return new Promise((resolve) => elsewhere.close(() => resolve(undefined)));
  });
  const address = elsewhere.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { heard } = staged;
  const player = await openConversation(staged, 'Draw');
  const own = (id: string) => `/api/bundles/dev/dev/desk/operations/${id}`;
  const other = `http://127.0.0.1:${port}`;
  const attack = (to: (id: string) => string) => `
    <meta http-equiv="refresh" content="0; url=${to('refresh')}">
    <link rel="stylesheet" href="${to('sheet')}"><link rel="prefetch" href="${to('prefetch')}">
    <style>@import url("${to('import')}"); @font-face { font-family: f; src: url("${to('font')}"); }
      p { background: url("${to('css')}"); font-family: f; } a.visited { color: red; }</style>
    <img src="${to('img')}"><picture><source srcset="${to('source')}"><img src="${to('img2')}"></picture>
    <p>text</p><video src="${to('video')}" poster="${to('poster')}" autoplay></video><audio src="${to('audio')}" autoplay></audio>
    <svg><image href="${to('image')}"/><use href="${to('use')}#x"/></svg>
    <iframe src="${to('frame')}"></iframe><object data="${to('object')}"></object><embed src="${to('embed')}">
    <script src="${to('script')}"></script><script>fetch("${to('fetch')}")</script>
    <form id="f" action="${to('form')}"><button>Go</button></form>
    <a href="${to('link')}" ping="${to('ping')}" target="_self">Follow</a><input type="image" src="${to('input')}">`;
  const html = `<!doctype html><base href="${other}/">${attack(own)}${attack((id) => `${other}/${id}`)}<h1>The end</h1>`;
  await draw(player, html);
  await finish(player, html);
  const frame = page.frameLocator('.canvas iframe');
  await frame.getByText('The end').waitFor();
  await frame.getByRole('button', { name: 'Go' }).first().click();
  // What the browser refuses to load it says; the last thing that was tried is behind everything before it.
  await expect
    .poll(() => heard.filter((text) => text.includes('/input')).length, patience)
    .toBeGreaterThan(0);
  expect({ operations, seen }).toEqual({ operations: [], seen: [] });
});

// proves: page.canvas-links
test('a canvas link opens in a new tab, an anchor scrolls, and an address of this server is not opened', async () => {
  const player = await openConversation(staged, 'Draw');
  const html = `<a href="https://example.org/a" target="_self">Away</a> <a href="#low">Below</a>
    <a href="/api/bundles/dev/dev/desk/operations/x" target="_self">Inside</a>
    <div style="height:2000px"></div><h2 id="low">Low</h2>`;
  await draw(player, html);
  const frame = page.frameLocator('.canvas iframe');
  const opened: string[] = [];
  await page.context().route('https://example.org/**', (route) => {
    opened.push(route.request().url());
    return route.fulfill({ body: 'elsewhere' });
  });
  const popup = page.waitForEvent('popup');
  await frame.getByText('Away').click();
  const beside = await popup;
  await beside.getByText('elsewhere').waitFor();
  expect(await beside.evaluate('window.opener')).toBeNull();
  await beside.close();
  await frame.getByText('Inside').click();
  await frame.getByText('Below').click();
  await expect
    .poll(() => frame.locator('html').evaluate((html) => html.scrollTop), patience)
    .toBeGreaterThan(0);
  expect(page.context().pages()).toHaveLength(1);
  expect(await frame.getByText('Away').count()).toBe(1);
  expect({ opened, operations }).toEqual({ opened: ['https://example.org/a'], operations: [] });
});
