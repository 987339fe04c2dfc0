import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../runtime/sdk/index.ts';
import { restartTool } from '../../runtime/engine/calls/parked-tools.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';
import { compiledTool } from '../../runtime/sdk/kit.ts';
import { complaints, openBrowser, showMsMax } from '../browser.ts';
import { openComponent } from './client-page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The component of the guide in a page. */
const desk = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from 'timeloom/client';
import { Desk } from '../../guide/front-end/desk.jsx';
const conversation = connect().conversation('conv_desk');
createRoot(document.body).render(createElement(Desk, { conversation }));
`;

const read = defineTool({
  id: 'runbook.read',
  description: 'Reads the runbook.',
  input: z.object({}),
  effects: 'none',
  run: async (_, { sources }) => {
    await sources.add([
      { url: 'https://example.org/runbook', title: 'Runbook', text: 'Restart it.' },
    ]);
    return 'Restart it.';
  },
});

// proves: client.desk
test('a page of fifty lines shows tools, approvals, sources, added messages, suggestions and errors', async () => {
  await using served = await openServedAgent(
    [
      { call: { tool: 'runbook.read', input: {} } },
      { call: { tool: 'service.restart', input: { service: 'checkout' } } },
      { answer: 'Checkout is {{hold}}up again.', hold: 'half', followups: ['And search?'] },
      { fault: { code: 'MODEL_REFUSED' } },
    ],
    { tools: [restartTool(), await compiledTool(read)] },
  );
  const page = await browser.newPage();
  page.setDefaultTimeout(showMsMax);
  const heard = complaints(page);
  await openComponent(page, served.url('/health'), desk);
  await page.getByLabel('Message').fill('Restart checkout');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('runbook.read done').waitFor();
  await page.getByText('service.restart waiting').waitFor();
  const source = page.getByRole('link', { name: '[1] Runbook' });
  expect(await source.getAttribute('href')).toBe('https://example.org/runbook');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('service.restart done').waitFor();
  await served.model.held('half');
  await page.getByLabel('Message').fill('and search as well');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('and search as well').waitFor();
  served.model.release('half');
  await page.getByText('Checkout is up again.').waitFor();
  await page.getByRole('button', { name: 'And search?' }).click();
  await page.getByRole('alert').getByText('MODEL_REFUSED').last().waitFor();
  expect(heard).toEqual([]);
  await page.close();
});
