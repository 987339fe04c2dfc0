import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { connect } from '../../../../runtime/client/index.ts';
import type { AuthMode } from '../../../../runtime/gateway/ports/tokens.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { bundles, openStage, type Stage, signal } from '../stage.ts';

const acme = { tenant: 'acme', project: 'ops' };
const globex = { tenant: 'globex', project: 'support' };
const marker = 'the secret of acme';
const people: Record<string, { tenants?: string[]; projects?: string[] }> = {
  acme: { tenants: ['acme'], projects: ['ops'] },
  globex: { tenants: ['globex'] },
  both: { tenants: ['acme', 'globex'], projects: ['ops', 'support'] },
  unstated: {},
  elsewhere: { tenants: ['initech'] },
};
/** Every token is of a user “ann”, with every role, so that only the tenant can make a difference. */
const auth: AuthMode = {
  mode: 'jwt',
  origins: [],
  tokens: {
    read: async (token) => {
      const { tenants, projects } = people[token] ?? {};
      if (!(token in people)) throw new Refusal('unauthenticated', 'unknown token');
      const untilMs = Date.now() + 3_600_000;
      return { user: 'ann', roles: ['operator', 'inspector'], tenants, projects, untilMs };
    },
  },
};
const own = { ...bundles, bundles: () => [{ ...bundle, id: 'help', title: 'Help desk' }] };
const bundle = { id: 'desk', title: 'Desk', version: '1', agents: ['main'], widgets: [] };

let stage: Stage;
let conversation = '';
let turn = '';
let upload = '';

function ask(path: string, { token = 'globex', ...init }: RequestInit & { token?: string } = {}) {
  const headers = { 'content-type': 'application/json', 'x-timeloom-client': 'test' };
  const bearer = token === '' ? {} : { authorization: `Bearer ${token}` };
  return fetch(new URL(path, stage.gateway.url), {
    ...init,
    headers: { ...headers, ...bearer, ...(init.headers as Record<string, string>) },
  });
}

const bodyOf = async (asking: Promise<Response>) => (await (await asking).json()) as never;

beforeAll(async () => {
  const projects = [{ scope: globex, bundles: own }];
  stage = await openStage({ auth, scope: acme, projects });
  const sent = ask('/api/chat/acme/ops/messages', {
    method: 'POST',
    token: 'acme',
    body: JSON.stringify({
      message_id: 'm1',
      text: marker,
      attachments: [{ name: 'plan.txt', mime: 'text/plain', data: btoa(marker) }],
    }),
  });
  ({ conversation_id: conversation, turn_id: turn } = await bodyOf(sent));
  const size = { name: 'plan.txt', mime: 'text/plain', size: marker.length };
  const opened = ask('/api/uploads', { token: 'acme', method: 'POST', body: JSON.stringify(size) });
  ({ upload_id: upload } = await bodyOf(opened));
});
afterAll(() => stage[Symbol.asyncDispose]());

type Route = { readonly path: string; readonly method: string };

/** Every route in the API document. */
async function routes(): Promise<readonly Route[]> {
  const { paths }: { paths: Record<string, object> } = await bodyOf(ask('/openapi.json'));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
}

/** Asks the route of a project, with ids of the conversation in acme, as a user of globex. */
async function tryRoute({ path, method }: Route, place: typeof acme) {
  const ids: Record<string, string> = {
    ...{ conversation, thread: conversation, thread_id: conversation, response: turn, turn },
    ...{ upload, bundle: 'desk', agent: 'main', run: turn, ...place },
  };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x');
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: '{}' };
  const response = await ask(address, {
    method,
    ...body,
    signal: AbortSignal.timeout(patient(10_000)),
  });
  const isStream = response.headers.get('content-type')?.includes('event-stream');
  const text = isStream ? '' : await response.text();
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, text };
}

// proves: projects.separate
test('no route gives a user of one tenant anything of another, whatever the request names', async () => {
  const all = await routes();
  const named = all.filter(({ path }) => path.includes('{project}'));
  expect(named.length).toBeGreaterThan(40);
  for (const route of named) {
    const { status, text } = await tryRoute(route, acme);
    expect(text).not.toContain(marker);
    // A public operation or a page of a widget that does not exist is not found, in any project.
    const isPublic = /\/(public|widgets|oauth-protected-resource)\//.test(route.path);
    expect([route, status]).toEqual([route, isPublic && status === 404 ? 404 : 403]);
  }
});

// proves: projects.separate
test('ids of one tenant lead nowhere on the routes of another', async () => {
  for (const route of await routes()) {
    const { status, text } = await tryRoute(route, globex);
    expect(text).not.toContain(marker);
    const isOfOne = /\{(conversation|thread|upload|response)/.test(route.path);
    expect([route, !isOfOne || status === 204 || status >= 400]).toEqual([route, true]);
  }
});

// proves: projects.separate
test('a path, a header, a parameter or the token names the project', async () => {
  const titles = async (path: string, init: RequestInit & { token?: string } = {}) => {
    const { data }: { data: readonly { id: string }[] } = await bodyOf(ask(path, init));
    return data.map(({ id }) => id);
  };
  expect(await titles('/v1/models')).toEqual(['help/main']);
  expect(await titles('/v1/models', { token: 'acme' })).toEqual(['desk/main']);
  expect(await titles('/api/openai/globex/support/v1/models', { token: 'both' })).toEqual([
    'help/main',
  ]);
  const named = { 'x-timeloom-project': 'globex/support' };
  expect(await titles('/v1/models', { token: 'both', headers: named })).toEqual(['help/main']);
  expect(await titles('/v1/models?project=globex/support', { token: 'both' })).toEqual([
    'help/main',
  ]);
  expect((await ask('/v1/models', { token: 'acme', headers: named })).status).toBe(403);
  const unknown = { 'x-timeloom-project': 'globex/billing' };
  expect((await ask('/v1/models', { token: 'acme', headers: unknown })).status).toBe(403);
  expect((await ask('/v1/models?project=acme/opps', { token: 'acme' })).status).toBe(403);
  const page = await (await ask('/?project=globex/support')).text();
  expect(page).toContain('data-tenant="globex" data-project="support"');
  // Its requests are refused, so a project that is not served never looks like the own one.
  const unserved = await (await ask('/?project=globex/billing')).text();
  expect(unserved).toContain('data-tenant="globex" data-project="billing"');
});

// proves: projects.separate
test('who has no access learns no tenant: one that is served and one that is not are refused alike', async () => {
  const refusal = async (path: string, token: string) => {
    const response = await ask(path, { token });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message.replace(/\w+\/\w+$/, '…')];
  };
  for (const token of ['', 'acme', 'elsewhere', 'unstated']) {
    const [known, unknown] = await Promise.all(
      ['globex/support', 'hooli/support'].map((name) => refusal(`/conversations/${name}`, token)),
    );
    expect(known).toEqual(unknown);
    expect(known?.[0]).toBe(token === '' ? 401 : 403);
  }
});

// proves: projects.tokens
test('a token without a tenant is for the own project; without a project, for those of its tenants', async () => {
  const statuses = (token: string) =>
    Promise.all(
      ['acme/ops', 'globex/support'].map(
        async (name) => (await ask(`/conversations/${name}`, { token })).status,
      ),
    );
  expect(await statuses('unstated')).toEqual([200, 403]);
  expect(await statuses('globex')).toEqual([403, 200]);
  expect(await statuses('both')).toEqual([200, 200]);
  expect(await statuses('elsewhere')).toEqual([403, 403]);
});

// proves: projects.separate
test('a socket of one tenant neither follows nor steers a conversation of another', async () => {
  const other = stage.connect({ ...globex, token: 'globex' });
  const heard: unknown[] = [];
  other.onAny((event, body) => heard.push([event, body]));
  const wrong = stage.connect({ ...acme, token: 'globex' });
  const error = await new Promise<Error>((resolve) => wrong.once('connect_error', resolve));
  expect(error).toMatchObject({ message: 'forbidden' });
  const emit = (event: string, body: object) => other.emitWithAck(event, body);
  const refused = { ok: false, error: { code: 'not_found' } };
  const place = { conversation_id: conversation };
  expect(await emit('chat_subscribe', place)).toMatchObject(refused);
  expect(await emit('conv_status', place)).toMatchObject(refused);
  expect(await emit('chat_recall', { ...place, event_id: 'm1' })).toMatchObject(refused);
  const headOf = async () =>
    (await stage.deps.store.find({ ...acme, user: 'ann' }, conversation, { signal }))?.head;
  const before = await headOf();
  // The same name in another project is another conversation.
  await emit('chat_message', { ...place, message_id: 'm1', text: 'Stop!', kind: 'steer' });
  await emit('chat_message', { ...place, message_id: 'm2', text: 'Tell me the plan.' });
  expect(await headOf()).toBe(before);
  expect(JSON.stringify(heard)).not.toContain(marker);
});

// proves: projects.separate
test('names of files lead nowhere in another project', async () => {
  const path = `fi:${turn}.user.attachments/plan.txt`;
  const full = `ef:acme:ops:chatbot:prod:ann:${conversation}:${turn}:user:plan.txt`;
  for (const name of [path, full]) {
    const at = `/api/files?path=${encodeURIComponent(name)}&conversation=${conversation}`;
    expect((await ask(at, { token: 'acme' })).status).toBe(200);
    expect((await ask(at)).status).toBe(404);
    const body = JSON.stringify({ rn: name, conversation_id: conversation });
    expect((await ask('/by-rn', { method: 'POST', body })).status).toBe(404);
  }
  const attachments = [{ name: 'a.txt', mime: 'text/plain', upload_id: upload }];
  const message = { message_id: 'm3', text: 'Read it.', attachments };
  const taken = ask('/api/chat/globex/support/messages', {
    method: 'POST',
    body: JSON.stringify(message),
  });
  expect((await taken).status).toBeGreaterThanOrEqual(400);
});

// proves: projects.separate, projects.metrics
test('rates are of one project, and operators read the counters of theirs alone', async () => {
  const limits = { user: { perMinute: 1 } };
  const projects = [{ scope: globex, bundles: own }];
  await using limited = await openStage({ auth, scope: acme, projects, limits });
  const say = async (name: string, token: string, id: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ message_id: id, text: 'Hello' });
    const address = new URL(`/api/chat/${name}/messages`, limited.gateway.url);
    return (await fetch(address, { method: 'POST', headers, body })).status;
  };
  expect(await say('acme/ops', 'both', 'm1')).toBeLessThan(300);
  expect(await say('acme/ops', 'both', 'm2')).toBe(429);
  expect(await say('globex/support', 'both', 'm1')).toBeLessThan(300);
  const metrics = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(new URL(path, limited.gateway.url), { headers })).text();
  };
  expect(await metrics('/metrics/acme/ops', 'acme')).toContain('messages_refused_total 1\n');
  expect(await metrics('/metrics/globex/support', 'globex')).toContain('messages_refused_total 0');
  expect(await metrics('/metrics/acme/ops', 'globex')).toContain('forbidden');
  const all = await metrics('/metrics', '');
  expect(all).toContain('messages_started_total 2\n');
  expect(all).not.toMatch(/acme|globex/);
});

// proves: projects.separate
test('the client names its project in every request', async () => {
  await using client = connect({ url: stage.gateway.url, ...globex, token: async () => 'both' });
  expect((await client.bundles()).map(({ id }) => id)).toEqual(['help']);
  const sent = client.conversation();
  await sent.send('Hello', { attachments: [new File(['mine'], 'mine.txt')] });
  const rows = await stage.deps.store.list({ ...globex, user: 'ann' }, { limit: 50, signal });
  expect(rows.map(({ id }) => id)).toContain(sent.id);
});
