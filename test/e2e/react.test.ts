import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { toConversationKey, toSeq } from '../../runtime/timeline/ids.ts';
import { openStage, Player, signal } from '../runtime/gateway/stage.ts';
import { complaints, openBrowser, showMsMax } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const chat = `
import { createElement as h, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from '../../runtime/client/index.ts';
import { useConversation } from '../../runtime/client/react.ts';

const client = connect();
function Chat({ conversation }) {
  const { turns, status, send, stop } = useConversation(conversation);
  const [sends] = useState(() => new Set());
  sends.add(send);
  return h('main', null,
    h('output', null, status),
    h('small', null, sends.size),
    ...turns.map((turn) => h('p', { key: turn.id }, turn.prompt + ' / ' + turn.answer)),
    h('button', { id: 'send', onClick: () => send('Why?') }, 'Send'),
    h('button', { id: 'stop', onClick: stop }, 'Stop'));
}
function App() {
  const [id, show] = useState('conv_one');
  return h('div', null,
    h(Chat, { conversation: conversations[id] }),
    h('button', { id: 'other', onClick: () => show('conv_two') }, 'Other'));
}
const conversations = { conv_one: client.conversation('conv_one'), conv_two: client.conversation('conv_two') };
createRoot(document.body).render(h(StrictMode, null, h(App)));
`;

async function pageOf(script: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

// proves: client.react
test('a component renders messages, streams and stops, and switches conversations', async () => {
  await using owned = new Scope();
  const stage = owned.own(await openStage());
  const page = await browser.newPage();
  page.setDefaultTimeout(showMsMax);
  owned.defer(() => page.close());
  const heard = complaints(page);
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  // A page of the gateway with no policy against scripts: one that is made up may not call a server of this machine.
  await page.goto(`${stage.gateway.url}/health`);
  await page.addScriptTag({ type: 'module', content: await pageOf(chat) });
  const shows = (what: string) => page.getByText(what).waitFor({ timeout: showMsMax });
  await page.click('#send');
  await shows('Why? /');
  await shows('working');
  const player = await Player.take(stage.deps, 'conv_one');
  await player.delta('answer', 'Because.');
  await shows('Why? / Because.');
  await page.click('#stop');
  await expect
    .poll(() =>
      stage.deps.store.read(toConversationKey(1), { after: toSeq(0), limit: 100, signal }),
    )
    .toContainEqual(expect.objectContaining({ type: 'external.steer', text: '' }));
  await player.close();
  await shows('idle');
  expect(await page.locator('small').textContent()).toBe('1');
  await page.click('#other');
  await expect.poll(() => page.locator('p').count()).toBe(0);
  await page.click('#send');
  await shows('Why? /');
  expect(heard).toEqual([]);
});
