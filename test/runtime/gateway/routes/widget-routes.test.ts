import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import type { ServedWidget } from '../../../../runtime/gateway/ports/bundle-directory.ts';
import type { Tokens } from '../../../../runtime/gateway/ports/tokens.ts';
import { bundles, openStage, type Stage } from '../stage.ts';

const at = '/api/bundles/dev/dev';
let dir: string;
let stage: Stage;

/** A token is the roles of its user, separated by commas. */
const tokens: Tokens = {
  read: async (token) => {
    if (token === 'bad') throw new Refusal('unauthenticated', 'not a token');
    const roles = token.split(',');
    return { user: 'ann', tenants: undefined, projects: undefined, roles, untilMs: Infinity };
  },
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-widgets-'));
  await writeFile(join(dir, 'index.html'), '<p>hi</p>');
  const widget = (id: string, access: ServedWidget['access'], main = false): ServedWidget => ({
    ...{ id, title: id, dir, main, renders: [], access },
  });
  const widgets = [
    widget('open', 'user', true),
    widget('closed', { roles: ['editor', 'chief'] }),
    widget('free', 'public'),
  ];
  const desk = { id: 'desk', title: 'Desk', version: '1.2.0', agents: ['main'], widgets };
  stage = await openStage({
    auth: { mode: 'jwt', tokens, origins: [] },
    bundles: {
      ...bundles,
      bundles: () => [desk],
      widgets: (bundle) => (bundle === 'desk' ? widgets : []),
    },
  });
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

async function get(path: string, token?: string): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(new URL(`${at}${path}`, stage.gateway.url), { headers });
}

async function statuses(token?: string): Promise<readonly number[]> {
  const paths = ['open', 'closed', 'free', 'none'].map((id) => `/desk/widgets/${id}/`);
  const answers = await Promise.all(paths.map((path) => get(path, token)));
  return answers.map(({ status }) => status);
}

// proves: widgets.access
test('a widget is served to users, to a role, or publicly, according to its access', async () => {
  expect(await statuses('chief')).toEqual([200, 200, 200, 404]);
  expect(await statuses('reader')).toEqual([200, 403, 200, 404]);
  expect(await statuses()).toEqual([401, 401, 200, 401]);
  expect(await statuses('bad')).toEqual([401, 401, 200, 401]);
  const elsewhere = new URL('/api/bundles/acme/dev/desk/widgets/free/', stage.gateway.url);
  const known = { headers: { authorization: 'Bearer chief' } };
  expect((await fetch(elsewhere)).status).toBe(401);
  expect((await fetch(elsewhere, known)).status).toBe(403);
});

// proves: widgets.access, widgets.main
test('only widgets that a user may open are listed, with the main one marked', async () => {
  const open = { id: 'open', title: 'open', renders: [], main: true };
  const free = { id: 'free', title: 'free', renders: [], main: false };
  const closed = { id: 'closed', title: 'closed', renders: [], main: false };
  expect(await (await get('/desk/widgets', 'reader')).json()).toEqual({
    ok: true,
    items: [open, free],
  });
  expect(await (await get('', 'chief')).json()).toEqual({
    ok: true,
    items: [
      {
        ...{ id: 'desk', title: 'Desk', version: '1.2.0', default: true, agents: ['main'] },
        widgets: [open, closed, free],
      },
    ],
  });
  expect((await get('')).status).toBe(401);
});
