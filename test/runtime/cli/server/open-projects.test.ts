import { afterAll, beforeAll, expect, test } from 'vitest';
import { signToken } from '../../../../runtime/adapters/issuer/sign.ts';
import type { Json } from '../../../../runtime/base/json.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { readConfig } from '../../../../runtime/cli/config/config.ts';
import { openServer } from '../../../../runtime/cli/server/open-server.ts';
import { type Client, connect } from '../../../../runtime/client/index.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { openFolder } from '../../sdk/kit.ts';

const desk = `
  import { z } from 'zod';
  import { defineAgent, defineBundle, defineJob, defineOperation, defineProps, defineResource,
    defineSecret, defineTool } from 'timeloom/sdk';
  const settings = defineProps(z.object({ region: z.string().default('eu') }));
  const key = defineSecret({ id: 'CRM_KEY', for: 'bundle', description: 'The key.' });
  const own = defineSecret({ id: 'MY_KEY', for: 'user', description: 'Your key.' });
  const seen = defineResource({ id: 'seen', open: () => new Map(), close: (map) => map.clear() });
  const note = async (text, ctx) => {
    (await ctx.use(seen)).set(text, true);
    await ctx.storage.bundle.set(text, true);
    return { tenant: ctx.ids.tenant, project: ctx.ids.project };
  };
  // A value would be masked.
  const length = (secret) => secret.then((value) => value.length, (error) => error.code);
  const state = async (ctx) => ({
    seen: [...(await ctx.use(seen)).keys()],
    stored: await Array.fromAsync(ctx.storage.bundle.keys()),
    region: ctx.props(settings).region,
    key: await length(ctx.secrets.get(key)),
    own: await length(ctx.secrets.get(own)),
  });
  const any = z.object({}).passthrough();
  const log = defineJob({ id: 'log', input: z.string(), run: (text, ctx) => note('job ' + text, ctx) });
  export const bundle = defineBundle({
    id: 'desk', version: '1',
    props: settings,
    secrets: [key, own], resources: [seen], jobs: [log],
    agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [
      defineTool({ id: 'desk.note', description: 'Notes.', input: z.object({ text: z.string() }),
        run: ({ text }, ctx) => note(text, ctx) }),
    ] })],
    operations: [
      defineOperation({ id: 'state', input: any, run: (_, ctx) => state(ctx) }),
      defineOperation({ id: 'queue', input: z.object({ text: z.string() }), run: async ({ text }, ctx) => {
        await ctx.jobs.enqueue(log, text); return { ok: true }; } }),
    ],
  });
`;
const other = `
  import { defineAgent, defineBundle } from 'timeloom/sdk';
  export const bundle = defineBundle({ id: 'lab', version: '1',
    agents: [defineAgent({ id: 'main', instruction: 'Help.' })] });
`;
const script = `
- call: { tool: desk.note, input: { text: noted } }
- answer: Noted.
`;
const files = {
  'assembly.yaml': 'tenant: acme\nproject: ops\n',
  'gateway.yaml':
    'projects:\n  - { tenant: globex, project: support }\n  - { tenant: globex, project: lab, bundles: [lab] }\n',
  'bundles.yaml':
    'bundles:\n  - { id: desk, path: ./bundles/desk }\n  - { id: lab, path: ./bundles/lab }\n',
  'bundles.secrets.yaml':
    'desk: { CRM_KEY: key of acme }\nglobex/support/desk: { CRM_KEY: key of globex }\n',
  'bundles/desk/bundle.ts': desk,
  'bundles/lab/bundle.ts': other,
  'script.yaml': script,
};
const secret = 'a secret of at least thirty-two bytes';
const scope = new Scope();
const clients = new Map<string, Client>();
let url = '';
let tokenFor: (tenant: string, project: string) => Promise<string>;

const client = (name: string) => clients.get(name) as Client;
const ask = (name: string, operation: string, input: Json = {}) =>
  client(name).operation('desk', operation, input);

beforeAll(async () => {
  const folder = scope.own(await openFolder(files));
  const { chmod } = await import('node:fs/promises');
  await chmod(`${folder.dir}/bundles.secrets.yaml`, 0o600);
  const config = readConfig({
    TIMELOOM_CONFIG_DIR: folder.dir,
    TIMELOOM_DATA_DIR: `${folder.dir}/data`,
    TIMELOOM_MODEL: `scripted:${folder.dir}/script.yaml`,
    ...{ TIMELOOM_AUTH: 'jwt', TIMELOOM_AUTH_SECRET: secret, TIMELOOM_PORT: '0' },
    ...{ TIMELOOM_EXEC_MODE: 'off', TIMELOOM_LOG: 'silent' },
  });
  const { auth } = config;
  if (auth.mode !== 'jwt') throw new Error('tokens are expected');
  const user = { secret, user: 'ann', roles: ['operator'], lifetimeSeconds: 600 };
  tokenFor = (tenant, project) => signToken(auth.issuer, { ...user, tenant, project });
  ({ url } = await openServer(config, { scope, signal: new AbortController().signal }));
  for (const name of ['acme/ops', 'globex/support', 'globex/lab']) {
    const [tenant = '', project = ''] = name.split('/');
    const token = () => tokenFor(tenant, project);
    clients.set(name, scope.own(connect({ url, tenant, project, token })));
  }
}, patient(120_000));
afterAll(() => scope[Symbol.asyncDispose]());

// proves: projects.bundles
test('every project has its own bundles: state, storage, secrets, props and jobs', async () => {
  const turn = await client('globex/support').conversation().send('Note it.');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Noted.' });
  await ask('acme/ops', 'queue', { text: 'of acme' });
  await expect
    .poll(() => ask('acme/ops', 'state'))
    .toMatchObject({ seen: ['job of acme'], stored: ['job of acme'], key: 11 });
  const support = { seen: ['noted'], stored: ['noted'], key: 13, region: 'eu' };
  expect(await ask('globex/support', 'state')).toMatchObject(support);
  const put = async (path: string, body: Json) => {
    const authorization = `Bearer ${await tokenFor('globex', 'support')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const named = { ...headers, 'x-timeloom-client': 'test' };
    const init = { method: 'PUT', headers: named, body: JSON.stringify(body) };
    return (await fetch(new URL(path, url), init)).status;
  };
  expect(await put('/api/bundles/globex/support/desk/props', { region: 'us' })).toBe(200);
  expect(await put('/api/me/secrets/desk/MY_KEY', { value: 'mine' })).toBeLessThan(300);
  const changed = { region: 'us', own: 4 };
  expect(await ask('globex/support', 'state')).toMatchObject({ ...support, ...changed });
  const kept = { region: 'eu', own: 'secret_required', key: 11 };
  expect(await ask('acme/ops', 'state')).toMatchObject(kept);
});

// proves: projects.bundles
test('a project serves the bundles that it names, and answers with them', async () => {
  const ids = async (name: string) => (await client(name).bundles()).map(({ id }) => id);
  expect(await ids('acme/ops')).toEqual(['desk', 'lab']);
  expect(await ids('globex/lab')).toEqual(['lab']);
  await expect(ask('globex/lab', 'state')).rejects.toThrow();
  const lab = client('globex/lab').conversation(undefined, { bundle: 'desk' });
  await expect(lab.send('Hello')).rejects.toThrow('not found');
});
