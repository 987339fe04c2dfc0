import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { toSeq } from '../../../runtime/timeline/ids.ts';
import { type Stage, scope, signal } from '../../runtime/gateway/stage.ts';
import { shot } from '../browser.ts';
import { newest, onStagedPage } from '../open-page.ts';
import { openAgentsStage } from './agents-stage.ts';

const desk = { id: 'desk', title: 'Help desk', version: '1', agents: ['main'], widgets: [] };
const press = { ...desk, id: 'press', title: 'Press office', agents: ['writer'] };
const served = [
  { ...press, firstMessages: { writer: ['Draft a press release'] } },
  { ...desk, firstMessages: { main: ['What broke today?', 'Who is on call?'] } },
];

let page: Page;
let stage: Stage;
onStagedPage(
  (staged) => {
    page = staged.page;
    stage = staged.stage;
  },
  { open: () => openAgentsStage(served) },
);

// proves: page.first-messages
test('a new conversation offers the first messages of the chosen agent, and a click sends one', async () => {
  await page.goto(stage.gateway.url);
  await page.getByRole('button', { name: 'Who is on call?' }).waitFor();
  await shot(page, 'first-messages');
  await page.getByLabel('Agent').selectOption('Press office');
  await page.getByRole('button', { name: 'Draft a press release' }).click();
  await page.locator('.said[data-state=accepted]', { hasText: 'Draft a press release' }).waitFor();
  expect(await page.locator('#first-messages').count()).toBe(0);
  const row = await stage.deps.store.find(scope, await newest(stage), { signal });
  const blocks =
    row && (await stage.deps.store.read(row.key, { after: toSeq(0), limit: 5, signal }));
  expect(blocks?.[0]?.data).toMatchObject({ bundle: 'press', agent: 'writer' });
});
