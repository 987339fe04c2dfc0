import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { skewMsMax } from '../../runtime/adapters/issuer/limits.ts';
import { defaultClaims } from '../../runtime/adapters/issuer/settings.ts';
import { createSignIn } from '../../runtime/adapters/issuer/sign-in/sign-in.ts';
import { openTokens } from '../../runtime/adapters/issuer/tokens.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { manualClock } from '../../runtime/testing/clock.ts';
import { openStage, signal } from '../runtime/gateway/stage.ts';
import { openIdentityProvider } from '../tools/services/identity-provider.ts';
import { openIssuer } from '../tools/services/issuer.ts';
import { violations } from './axe.ts';
import { complaints, openBrowser, shot, showMsMax } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const scope = { tenant: 'acme', project: 'ops' };

/** A page of a gateway that takes the tokens of an issuer. */
async function openTokenPage() {
  const owned = new Scope();
  const clock = manualClock(new Date().toISOString());
  const issuer = owned.own(await openIssuer(() => clock.now()));
  const keys = { from: 'issuer' } as const;
  const tokens = owned.own(
    openTokens(
      { issuer: issuer.url, audience: ['timeloom'], keys, claims: defaultClaims },
      { clock, log: silentLog },
    ),
  );
  const auth = { mode: 'jwt' as const, tokens, origins: [] };
  const stage = owned.own(await openStage({ auth, clock, scope }));
  const page = await browser.newPage();
  owned.defer(() => page.close());
  page.setDefaultTimeout(showMsMax);
  return { owned, clock, issuer, stage, page, heard: complaints(page) };
}

test('the page asks for a token, acts as its user, and asks again when it expires', async () => {
  const { owned, clock, issuer, stage, page, heard } = await openTokenPage();
  await using _ = owned;
  await page.clock.install();
  await page.goto(stage.gateway.url);
  const field = page.getByLabel('Token');
  await field.waitFor();
  await shot(page, 'sign-in-token');
  // What a user reads is about this page, not about requests.
  expect(await page.getByRole('dialog').innerText()).not.toMatch(/Bearer|socket/);
  expect(await page.getByText('Access token', { exact: true }).isVisible()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await field.fill(await issuer.token({ tenant: 'other' }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('the token is not valid for acme/ops').waitFor();
  // A server that refuses a connection can be reached.
  await page.clock.fastForward(10_000);
  expect(await page.getByText('The server cannot be reached').count()).toBe(0);
  await shot(page, 'sign-in-token-refused');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'sign-in-token-refused-390');
  await page.setViewportSize({ width: 1280, height: 720 });
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

const client = { clientId: 'desk', clientSecret: 'a secret of the client' };

/** A server that signs people in at a provider, and a browser window that is not signed in. */
async function openDesk(more: { scopes?: readonly string[]; clientSecret?: string } = {}) {
  const owned = new Scope();
  const clock = manualClock(new Date().toISOString());
  const provider = owned.own(
    await openIdentityProvider({
      ...client,
      origin: (): string => new URL(stage.gateway.url).origin,
    }),
  );
  const issuer = provider.url;
  const tokens = owned.own(
    openTokens(
      { issuer, audience: ['desk'], keys: { from: 'issuer' }, claims: defaultClaims },
      { clock, log: silentLog },
    ),
  );
  const signIn = createSignIn({
    ...{ issuer, ...client, name: 'Acme', token: 'id', parameters: { prompt: 'consent' } },
    scopes: ['openid', 'offline_access'],
    ...more,
  });
  const auth = { mode: 'jwt' as const, tokens, signIn, origins: [] };
  const stage = owned.own(await openStage({ auth, clock, scope }));
  const window = await browser.newContext();
  owned.defer(() => window.close());
  const page = await window.newPage();
  page.setDefaultTimeout(showMsMax);
  return { owned, clock, provider, stage, page };
}

/** Signs in on the pages of the provider. */
async function signInAt(page: Page, user: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(user);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

// proves: page.sign-in
test('people sign in at the identity provider, return to their conversation, and sign out', async () => {
  const { owned, provider, stage, page } = await openDesk();
  await using _ = owned;
  await page.goto(`${stage.gateway.url}/#conv_1`);
  await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
  await shot(page, 'sign-in-oidc');
  await page.getByText('Use an access token instead').click();
  // One button stands out: the provider's.
  const [first, second] = await Promise.all(
    [
      page.getByRole('link', { name: 'Sign in with Acme' }),
      page.getByRole('button', { name: 'Sign in' }),
    ].map((each) => each.evaluate((element) => getComputedStyle(element).backgroundColor)),
  );
  expect(first).not.toBe(second);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'sign-in-oidc-open');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'sign-in-oidc-390');
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await signInAt(page, 'ann');
  await page.getByText('connected', { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('#conv_1');
  await page.getByText('ann', { exact: true }).waitFor();
  const cookies = await page.context().cookies(stage.gateway.url);
  const kept = cookies.filter(({ name }) => name.startsWith('timeloom'));
  expect(kept.every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict')).toBe(true);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).toBe(
    '{}',
  );
  await page.getByRole('button', { name: 'Start a new conversation' }).click();
  await page.getByLabel('Message').fill('not for the next user');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
  expect(await page.getByLabel('Message').inputValue()).toBe('');
  expect(provider.grants).toEqual(['authorization_code']);
});

// proves: page.sign-in-renews
test('a session is renewed before it ends, and when it has ended, without its user', async () => {
  const { owned, clock, provider, stage, page } = await openDesk();
  await using _ = owned;
  // With the tolerance for clocks, this session has 40 seconds left, and is renewed at once.
  provider.idTokenSeconds = 10;
  await page.goto(stage.gateway.url);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await signInAt(page, 'ann');
  await page.getByText('ann', { exact: true }).waitFor();
  provider.idTokenSeconds = 3600;
  await vi.waitFor(() => expect(provider.grants).toContain('refresh_token'), showMsMax);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.context().clearCookies({ name: 'timeloom_token' });
  provider.idTokenSeconds = 7200;
  await page.reload();
  await page.getByText('ann', { exact: true }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.context().clearCookies();
  await clock.advance(7_200_000 + 2 * skewMsMax);
  await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
});

// proves: page.sign-in-failures
test('a failed sign-in says what to do: cancelled, an old page, settings that do not fit', async () => {
  const { owned, stage, page } = await openDesk({ clientSecret: 'another secret' });
  await using _ = owned;
  await page.goto(stage.gateway.url);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await page.getByText('[ Cancel ]').click();
  await page.getByText(/access_denied.*ask for access to the application desk/).waitFor();
  await shot(page, 'sign-in-failed');
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await signInAt(page, 'ann');
  await page.getByText(/invalid_client.*check sign_in.client_id \(desk\)/).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'sign-in-failed-390');
  await page.goto(`${stage.gateway.url}/api/session/callback?code=x&state=y`);
  await page.getByText('more than ten minutes ago; start again').waitFor();
  await page.getByRole('link', { name: 'Use a token instead' }).click();
  await page.getByText('Use an access token instead').click();
  await page.getByLabel('Token').waitFor();
});

test('a sign-in returns to pages of this server only', async () => {
  const { owned, stage } = await openDesk();
  await using _ = owned;
  const start = await fetch(`${stage.gateway.url}/api/session/sign-in?to=https://evil.example`, {
    redirect: 'manual',
  });
  expect(decodeURIComponent(start.headers.get('set-cookie') ?? '')).toContain('"returnTo":"/"');
});

// proves: workbench.sign-in
test('the studio asks for a token over what one is doing, and goes on when it is given', async () => {
  const { owned, clock, issuer, stage, page, heard } = await openTokenPage();
  await using _ = owned;
  const ann = () => issuer.token({ sub: 'ann@acme.io', tenant: 'acme' });
  await page.goto(`${stage.gateway.url}/studio/`);
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.waitFor();
  await shot(page, 'sign-in-studio');
  expect(await dialog.innerText()).not.toMatch(/Bearer|socket/);
  await dialog.getByLabel('Token').fill(await issuer.token({ tenant: 'other' }));
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('the token is not valid for acme/ops').waitFor();
  await dialog.getByLabel('Token').fill(await ann());
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('ann@acme.io', { exact: true }).waitFor();
  await page.getByText('No conversations').waitFor();
  await clock.advance(3_600_000 + skewMsMax);
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('bridge');
  await dialog.getByText('Your session has ended.').waitFor();
  await dialog.getByLabel('Token').fill(await ann());
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('No conversation matches.').waitFor();
  expect(await search.inputValue()).toBe('bridge');
  expect(heard.filter((line) => !/status of 40[13]/.test(line))).toEqual([]);
  await page.close();
});

// proves: workbench.sign-in
test('in the studio a session that has ended is renewed, or begun again in another tab', async () => {
  const { owned, clock, provider, stage, page } = await openDesk();
  await using _ = owned;
  await page.goto(`${stage.gateway.url}/studio/#live`);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await signInAt(page, 'ann');
  await page.getByText('ann', { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('#live');
  await page.context().clearCookies({ name: 'timeloom_token' });
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('bridge');
  await vi.waitFor(() => expect(provider.grants).toContain('refresh_token'), showMsMax);
  await page.context().clearCookies();
  await clock.advance(7_200_000 + 2 * skewMsMax);
  provider.idTokenSeconds = 36_000;
  await search.fill('bridge of the Tay');
  const signIn = page.getByRole('link', { name: 'Sign in with Acme' });
  await signIn.waitFor();
  // The page may ask for a sign-in, and take the focus, before the text is there.
  const typed = await search.inputValue();
  const other = page.context().waitForEvent('page');
  await signIn.click();
  const tab = await other;
  tab.setDefaultTimeout(showMsMax);
  await signInAt(tab, 'ann');
  await tab.getByText('ann', { exact: true }).waitFor();
  await tab.close();
  await page.bringToFront();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(typed).toMatch(/^bridge/);
  expect(await search.inputValue()).toBe(typed);
});
