import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restartTool } from '../../runtime/engine/calls/parked-tools.ts';
import { openServedAgent } from '../../runtime/gateway/endpoints/served-agent.ts';
import { complaints, openBrowser, showMsMax } from '../browser.ts';
import { openComponent } from './client-page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The component of the guide in a page. */
const chat = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from '../../guide/clients/use-stream.jsx';
createRoot(document.body).render(createElement(Chat, { address: location.origin }));
`;

// proves: endpoints.langgraph-react
test('a page with useStream streams, resumes an interrupt, and goes on after a reload', async () => {
  const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
  const last = { answer: 'It is {{hold}}up again.', hold: 'half' };
  await using served = await openServedAgent([restart, last], { tools: [restartTool()] });
  const page = await browser.newPage();
  page.setDefaultTimeout(showMsMax);
  const heard = complaints(page);
  const shows = (what: string) => page.getByText(what).waitFor({ timeout: showMsMax });
  await openComponent(page, served.url('/health'), chat);
  await page.click('text=Send');
  await page.click('text=Restart?');
  await served.model.held('half');
  await shows('It is');
  await openComponent(page, served.url('/health'), chat);
  await shows('It is');
  served.model.release('half');
  await shows('It is up again.');
  expect(heard).toEqual([]);
  await page.close();
});
