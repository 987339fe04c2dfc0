import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skewMsMax } from '../../runtime/adapters/issuer/limits.ts';
import { defaultClaims } from '../../runtime/adapters/issuer/settings.ts';
import { openTokens } from '../../runtime/adapters/issuer/tokens.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { manualClock } from '../../runtime/testing/clock.ts';
import { openStage, signal } from '../runtime/gateway/stage.ts';
import { openIssuer } from '../tools/services/issuer.ts';
import { complaints, openBrowser, showMsMax } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const scope = { tenant: 'acme', project: 'ops' };

test('the page asks for a token, acts as its user, and asks again when it expires', async () => {
  const clock = manualClock(new Date().toISOString());
  await using issuer = await openIssuer(() => clock.now());
  const keys = { from: 'issuer' } as const;
  using tokens = openTokens(
    { issuer: issuer.url, audience: ['timeloom'], keys, claims: defaultClaims },
    { clock, log: silentLog },
  );
  await using stage = await openStage({ auth: { mode: 'jwt', tokens, origins: [] }, clock, scope });
  const page = await browser.newPage();
  page.setDefaultTimeout(showMsMax);
  const heard = complaints(page);
  await page.goto(stage.gateway.url);
  const field = page.getByLabel('Token');
  await field.fill(await issuer.token({ tenant: 'other' }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('for another tenant or project').waitFor();
  await field.fill(await issuer.token({ sub: 'ann@acme.io', tenant: 'acme' }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByLabel('Message').fill('Why is it slow?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  const rows = await stage.deps.store.list({ ...scope, user: 'ann@acme.io' }, { limit: 5, signal });
  expect(rows).toHaveLength(1);
  await clock.advance(3_600_000 + skewMsMax);
  await field.waitFor();
  // A browser tells every answer of 401 and 403; nothing else went wrong.
  expect(heard.filter((line) => !/status of 40[13]/.test(line))).toEqual([]);
  await page.close();
});
