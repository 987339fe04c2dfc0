import { expect, test } from 'vitest';
import { z } from 'zod';
import type {
  ToolOffer,
  ToolServerSettings,
  ToolServers,
} from '../../../../runtime/sdk/compile/host/tool-servers.ts';
import {
  defineAgent,
  defineBundle,
  defineSecret,
  defineSkill,
  type McpServer,
} from '../../../../runtime/sdk/index.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { holding, matching } from '../../../tools/matchers.ts';
import { compile } from '../kit.ts';

const key = defineSecret({ id: 'KEY', for: 'bundle', description: 'opens the server' });
const own = defineSecret({ id: 'OWN', for: 'user', description: 'of each user' });

const served = (id: string) =>
  createTool({
    id,
    kind: 'platform',
    description: id,
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: null } }),
  });

function bundleUsing(
  use: readonly McpServer[],
  tools: readonly `${string}.${string}`[] = ['mcp.gh.*'],
) {
  const agent = defineAgent({ id: 'main', instruction: 'Help.', tools });
  const skill = defineSkill({
    id: 'search',
    name: 'Search',
    description: 'How.',
    text: 'So.',
    tools: [{ id: 'mcp.gh.find', required: true }],
  });
  return defineBundle({
    id: 'acme',
    version: '1',
    agents: [agent],
    secrets: [key, own],
    skills: [skill],
    mcp: { use },
  });
}

/** Servers of which the test says what they offer. */
function fakeServers(offers: Record<string, ToolOffer & { trouble?: string }>) {
  const opened: ToolServerSettings[] = [];
  const closed: string[] = [];
  const servers: ToolServers = {
    open: async (settings) => {
      opened.push(settings);
      return {
        offer: () => offers[settings.id] ?? { tools: [] },
        problem: offers[settings.id]?.trouble,
        [Symbol.asyncDispose]: async () => void closed.push(settings.id),
      };
    },
  };
  return { servers, opened, closed, offers };
}

// proves: mcp.declared
test("all problems of a bundle's MCP servers are reported before any connection", async () => {
  const { servers, opened } = fakeServers({});
  const stray = defineSecret({ id: 'STRAY', for: 'bundle', description: 'not listed' });
  const use: McpServer[] = [
    { id: 'My-Server', url: 'https://x.test' },
    { id: 'twice', command: 'a' },
    { id: 'twice', command: 'b', env: { A: stray } },
    { id: 'address', url: 'ftp://x.test' },
    { id: 'password', url: 'https://user:pass@x.test' },
    { id: 'user', url: 'https://x.test', bearer: own },
    { id: 'both', url: 'https://x.test', allow: ['a', 'b'], deny: ['b'] },
    { id: 'either', url: 'https://x.test', command: 'a' } as McpServer,
  ];
  const loading = compile(bundleUsing(use, ['mcp.nobody.*']), { host: { servers } });
  await expect(loading).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
    detail: {
      problems: holding(
        'MCP server “My-Server” must have an id in snake_case with at most 30 characters',
        'MCP server “twice” is declared twice',
        'MCP server “twice” names a secret “STRAY” that the bundle does not list',
        'MCP server “address” has a url that is not valid or contains a password',
        'MCP server “password” has a url that is not valid or contains a password',
        'MCP server “user” cannot use “OWN”: the secret belongs to one user, but all users share a session',
        'MCP server “both” both allows and denies b',
        'MCP server “either” needs either a url or a command',
        'agent “main”: no built-in tool matches “mcp.nobody.*”; the bundle does not use this MCP server',
      ),
    },
  });
  expect(opened).toEqual([]);
});

test("a server is opened with the bundle's settings, and secrets are read when it connects", async () => {
  const { servers, opened, closed } = fakeServers({});
  const use: McpServer[] = [
    {
      id: 'gh',
      url: 'https://x.test/mcp',
      bearer: key,
      headers: { 'x-team': 'ops', 'x-key': key },
      allow: ['a*'],
      timeoutMs: 5,
    },
    { id: 'files', command: 'serve', args: ['--all'], env: { TOKEN: key, MODE: 'fast' } },
  ];
  const secret = async () => 'sekret';
  const bundle = await compile(bundleUsing(use), {
    host: { servers, secret },
    dir: '/bundles/acme',
  });
  expect(opened).toMatchObject([
    {
      id: 'gh',
      place: { kind: 'http', url: 'https://x.test/mcp' },
      allow: ['a*'],
      deny: [],
      timeoutMs: 5,
    },
    {
      id: 'files',
      place: { kind: 'stdio', command: 'serve', args: ['--all'], dir: '/bundles/acme' },
      allow: ['*'],
      timeoutMs: 60_000,
    },
  ]);
  expect(await opened[0]?.access()).toEqual({
    values: { 'x-team': 'ops', 'x-key': 'sekret', authorization: 'Bearer sekret' },
    secrets: ['sekret', 'sekret'],
  });
  expect(await opened[1]?.access()).toEqual({
    values: { TOKEN: 'sekret', MODE: 'fast' },
    secrets: ['sekret'],
  });
  await bundle.dispose();
  expect(closed.toSorted()).toEqual(['files', 'gh']);
});

test('a missing secret is Fault SECRET_MISSING of its server only', async () => {
  const { servers, opened } = fakeServers({});
  await compile(bundleUsing([{ id: 'gh', url: 'https://x.test', bearer: key }]), {
    host: { servers },
  });
  await expect(opened[0]?.access()).rejects.toMatchObject({ code: 'SECRET_MISSING' });
});

// proves: mcp.required
test('an unreachable server hides its tools with a notice, and a required one stops the load', async () => {
  const { servers, closed } = fakeServers({
    gh: { tools: [], notice: 'mcp.gh is away', trouble: 'connect ECONNREFUSED' },
  });
  const bundle = await compile(bundleUsing([{ id: 'gh', url: 'https://x.test' }]), {
    host: { servers },
  });
  expect(bundle.notices).toEqual([
    'MCP server “gh” is unreachable, and its tools are hidden until it is back: connect ECONNREFUSED',
  ]);
  expect(bundle.agents[0].notices).toEqual(['mcp.gh is away']);
  expect(bundle.agents[0].skills).toEqual([]);
  const required = bundleUsing([
    { id: 'gh', url: 'https://x.test', required: true },
    { id: 'more', command: 'a' },
  ]);
  await expect(compile(required, { host: { servers } })).rejects.toMatchObject({
    code: 'MCP_UNREACHABLE',
    message: matching(/: gh: connect ECONNREFUSED$/),
  });
  expect(closed.toSorted()).toEqual(['gh', 'more']);
});

// proves: mcp.live
test('agents follow the offers of their servers, and stay the same objects without a change', async () => {
  const fake = fakeServers({ gh: { tools: [] }, other: { tools: [served('mcp.other.x')] } });
  const use: McpServer[] = [
    { id: 'gh', url: 'https://x.test' },
    { id: 'other', url: 'https://y.test' },
  ];
  const bundle = await compile(bundleUsing(use), { host: { servers: fake.servers } });
  const ids = () =>
    bundle.agents[0].tools.map(({ spec }) => spec.id).filter((id) => id.startsWith('mcp.'));
  const [before] = bundle.agents;
  expect(bundle.agents[0]).toBe(before);
  expect(ids()).toEqual([]);
  fake.offers['gh'] = { tools: [served('mcp.gh.find'), served('mcp.gh.add')] };
  expect(ids()).toEqual(['mcp.gh.add', 'mcp.gh.find']);
  expect(bundle.agents[0].skills.map(({ id }) => id)).toEqual(['acme.search']);
  const [after] = bundle.agents;
  expect(bundle.agents[0]).toBe(after);
  fake.offers['gh'] = { tools: fake.offers['gh'].tools, notice: 'mcp.gh is away' };
  expect(bundle.agents[0]).toMatchObject({ notices: ['mcp.gh is away'] });
});

test.each([
  ['mcp.*', ['mcp.gh.find', 'mcp.other.find']],
  ['mcp.gh.*', ['mcp.gh.find']],
  ['mcp.g*', ['mcp.gh.find']],
  ['mcp.*.find', ['mcp.gh.find', 'mcp.other.find']],
  ['mcp.other.find', ['mcp.other.find']],
  ['mcp.gh.nothing', []],
] as const)('an agent that lists %s has what fits', async (pattern, wanted) => {
  const { servers } = fakeServers({
    gh: { tools: [served('mcp.gh.find')] },
    other: { tools: [served('mcp.other.find')] },
  });
  const use: McpServer[] = [
    { id: 'gh', url: 'https://x.test' },
    { id: 'other', url: 'https://y.test' },
  ];
  const bundle = await compile(bundleUsing(use, [pattern]), { host: { servers } });
  const ids = bundle.agents[0].tools.map(({ spec }) => spec.id);
  expect(ids.filter((id) => id.startsWith('mcp.'))).toEqual(wanted);
});

test('an installation without tool calls connects to no server', async () => {
  const bundle = await compile(bundleUsing([{ id: 'gh', url: 'https://x.test', required: true }]));
  expect(bundle.notices).toEqual([]);
});
