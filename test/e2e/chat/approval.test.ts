import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createScriptedModel } from '../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import { ask, defineTool, external } from '../../../runtime/sdk/index.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import { openStage, scope as place, signal } from '../../runtime/gateway/stage.ts';
import { compiledTool } from '../../runtime/sdk/kit.ts';
import { complaints, openBrowser, showMsMax } from '../browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const runs: string[] = [];
const restart = defineTool({
  id: 'service.restart',
  description: 'Restarts one service.',
  input: z.object({ service: z.string() }),
  approval: ({ service }) => ask(`Restart ${service}?`, { detail: 'It takes a minute.' }),
  run: ({ service }) => {
    runs.push(service);
    return { restarted: service };
  },
});
const locate = defineTool({
  id: 'browser.locate',
  description: 'Where the user is.',
  input: z.object({}),
  output: z.object({ lat: z.number() }),
  run: external(),
});

/** A gateway and a worker over the same memory, around two tools that wait. */
async function openServer(owned: Scope) {
  const stage = owned.own(await openStage());
  const tools = [await compiledTool(restart), await compiledTool(locate)];
  const model = createScriptedModel(
    [
      { call: { tool: 'service.restart', input: { service: 'checkout' } } },
      { call: { tool: 'service.restart', input: { service: 'search' } } },
      { call: { tool: 'browser.locate', input: {} } },
      { answer: 'Checkout is up; search was left alone.' },
    ],
    { id: 'scripted:test' },
  );
  const agent = agentWith({ id: 'main', tools });
  const engine = { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model };
  const worker = owned.own(new Worker(engine, { signal }));
  return { stage, worker };
}

// proves: approval.page
test('the page asks, Allow lets the call run, Deny does not, and a client performs the last one', async () => {
  await using owned = new Scope();
  const { stage } = await openServer(owned);
  const page = await browser.newPage();
  owned.defer(() => page.close());
  page.setDefaultTimeout(showMsMax);
  const heard = complaints(page);
  await page.goto(stage.gateway.url);
  await page.getByLabel('Message').fill('Restart everything');
  await page.getByRole('button', { name: 'Send' }).click();

  const first = page.getByRole('region', { name: 'Restart checkout?' });
  await first.getByText('It takes a minute.').waitFor();
  await page.locator('.tool[data-state=waiting]', { hasText: 'service.restart' }).waitFor();
  expect(runs).toEqual([]);
  await first.getByRole('button', { name: 'Allow' }).click();
  await first.getByText('Allowed').waitFor();

  const second = page.getByRole('region', { name: 'Restart search?' });
  const [row] = await stage.deps.store.list({ ...place, user: 'dev' }, { limit: 1, signal });
  const helper = owned.own(
    connect({ url: stage.gateway.url, tools: { 'browser.locate': () => ({ lat: 52 }) } }),
  );
  expect(helper.conversation(row?.id).state.turns).toEqual([]);
  await second.getByRole('button', { name: 'Deny' }).click();
  await second.getByText('Denied').waitFor();

  await page.locator('.answer').getByText('search was left alone').waitFor();
  expect(runs).toEqual(['checkout']);
  const blocks = await stage.deps.store.read(toConversationKey(row?.key ?? 0), {
    after: toSeq(0),
    limit: 500,
    signal,
  });
  const results = blocks.filter(({ type }) => type === 'react.tool.result').map(({ data }) => data);
  expect(results).toMatchObject([
    { ok: true, ret: { restarted: 'checkout' } },
    { ok: false, error: { code: 'denied' } },
    { ok: true, ret: { lat: 52 } },
  ]);
  expect(heard).toEqual([]);
});
