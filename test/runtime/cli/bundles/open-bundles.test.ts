import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import {
  loadConfiguredBundles,
  openBundles,
} from '../../../../runtime/cli/bundles/open-bundles.ts';
import { type Environment, readConfig } from '../../../../runtime/cli/config/config.ts';
import { Models } from '../../../../runtime/cli/models/models.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import type { ToolServers } from '../../../../runtime/sdk/compile/host/tool-servers.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openFolder } from '../../sdk/kit.ts';

const source = (id: string, agent = '') => `
  import { z } from 'zod';
  import { defineAgent, defineBundle, defineEvent, defineProps } from 'timeloom/sdk';
  export const bundle = defineBundle({
    id: '${id}', version: '1',
    props: defineProps(z.object({ region: z.enum(['eu', 'us']).default('eu') })),
    agents: [defineAgent({ id: 'main', instruction: 'Help.', ${agent} })],
    events: [defineEvent({ kind: 'alert', payload: z.string(), text: (it: string) => it })],
  });
`;

/** Opens the bundles of a folder with these files, as a server does. */
async function open(
  files: Readonly<Record<string, string>>,
  env: Environment = {},
  servers?: ToolServers,
) {
  await using folder = await openFolder(files);
  await using scope = new Scope();
  const { dir } = folder;
  const places = { TIMELOOM_CONFIG_DIR: dir, TIMELOOM_DATA_DIR: join(dir, '.data') };
  const bundles = files['bundles.yaml'] ? {} : { TIMELOOM_BUNDLES: join(dir, 'bundles') };
  try {
    const config = readConfig({ ...places, ...bundles, ...env });
    const options = { log: silentLog, signal: AbortSignal.timeout(60_000) };
    return await openBundles(config, {
      configured: await loadConfiguredBundles(config, options),
      models: new Models(config),
      storage: createMemoryStorage(() => 0),
      platform: { tools: controlTools, absent: [] },
      log: silentLog,
      ...(servers ? { servers } : {}),
      scope,
      signal: AbortSignal.timeout(60_000),
    });
  } catch (error) {
    throw new Error(String(error).replaceAll(`${dir}/`, ''), { cause: error });
  }
}

const entry = 'bundles:\n  - id: desk\n    path: ./bundles/desk\n';

// proves: mcp.disabled
test('a disabled server is not connected, and agents that list its tools do not get them', async () => {
  const maps = `import { defineAgent, defineBundle } from 'timeloom/sdk';
    export const bundle = defineBundle({
      id: 'desk', version: '1',
      agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: ['mcp.maps.*'] })],
      mcp: { use: [{ id: 'maps', url: 'http://127.0.0.1:1/mcp', required: true }] },
    });`;
  const files = { 'bundles/desk/bundle.ts': maps, 'bundles.yaml': entry };
  const reached: string[] = [];
  const servers: ToolServers = {
    open: async ({ id }) => {
      reached.push(id);
      return {
        offer: () => ({ tools: [] }),
        problem: 'refused',
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  };
  await expect(open(files, {}, servers)).rejects.toThrow('MCP_UNREACHABLE');
  expect(reached).toEqual(['maps']);
  const off = { ...files, 'bundles.yaml': `${entry}    disable: [mcp.maps]\n` };
  const [desk] = await open(off, {}, servers);
  expect(reached).toEqual(['maps']);
  expect(desk.agents[0].tools.map(({ spec }) => spec.id)).not.toContain('mcp.maps.find');
});

const said =
  'budgets: { rounds: 9 }, context: { maxTokens: 70_000 }, policies: { multiAction: "off" }';
const env = {
  AI_REACT_MAX_ITERATIONS: '5',
  AI_REACT_CONTEXT_MAX_TOKENS: '60000',
  AI_REACT_AGENT_MULTI_ACTION: 'safe_fanout',
};

test('bundles.yaml overrides the agent, the agent overrides the installation, and ceilings limit all of them', async () => {
  const [silent] = await open({ 'bundles/desk/bundle.ts': source('desk') }, env);
  expect(silent.agents[0]).toMatchObject({
    budgets: { rounds: 5, wallMs: 600_000 },
    context: { maxTokens: 60_000 },
    policies: { multiAction: 'safe_fanout' },
  });
  const files = {
    'bundles/desk/bundle.ts': source('desk', said),
    'assembly.yaml': 'ceilings: { turn_cost_usd: 2, exec_timeout_ms: 1000 }',
    'bundles.yaml': `${entry}    agents: { main: { budgets: { rounds: 20, cost_usd: 3 }, models: { decision: "openai:gpt-5" } } }\n`,
  };
  const [opened] = await open(files, env);
  expect(opened.agents[0]).toMatchObject({
    budgets: { rounds: 20, costUsd: 2 },
    context: { maxTokens: 70_000 },
    policies: { multiAction: 'off' },
    models: { decision: 'openai:gpt-5' },
    exec: { timeoutMs: 1_000 },
  });
});

test('a disabled event kind is rejected', async () => {
  const bundle = { 'bundles/desk/bundle.ts': source('desk') };
  const [whole] = await open({ ...bundle, 'bundles.yaml': entry });
  expect(whole.kinds.map(({ kind }) => kind)).toEqual(['alert']);
  const [left] = await open({ ...bundle, 'bundles.yaml': `${entry}    disable: [events.alert]\n` });
  expect(left.kinds).toEqual([]);
});

const refused = {
  'a bundle with another id': {
    files: { 'bundles/desk/bundle.ts': source('tisch'), 'bundles.yaml': entry },
    says: /CONFIG_INVALID.*\n {2}bundles.yaml:2: bundle “desk” not found in .\/bundles\/desk; loaded bundles: tisch/,
  },
  'a part that the bundle does not have': {
    files: {
      'bundles/desk/bundle.ts': source('desk'),
      'bundles.yaml': `${entry}    disable:\n      - events.alarm\n`,
    },
    says: /CONFIG_INVALID.*\n {2}bundles.yaml:5: “events.alarm” of “desk” cannot be disabled; parts that can be disabled: events.alert/,
  },
  'props that do not match the schema': {
    files: {
      'bundles/desk/bundle.ts': source('desk'),
      'bundles.yaml': `${entry}    props: { region: moon }\n`,
    },
    says: /BUNDLE_INVALID.*desk: invalid props: .*region/,
  },
  'two bundles with the same id': {
    files: { 'bundles/a/bundle.ts': source('desk'), 'bundles/b/bundle.ts': source('desk') },
    says: /BUNDLE_INVALID.*bundles\/a and bundles\/b have the same id “desk”/,
  },
  'a folder without a bundle': {
    files: { 'bundles/readme.md': '' },
    says: /BUNDLE_INVALID.*bundles is not a bundle and contains no bundles/,
  },
  'a bundle that does not compile': {
    files: { 'bundles/desk/bundle.ts': 'export const bundle = {\n  id: "desk",,\n};' },
    says: /BUNDLE_INVALID.*bundles\/desk: bundle.ts:2:14: /,
  },
} satisfies Record<string, { files: Record<string, string>; says: RegExp }>;

for (const [what, { files, says }] of Object.entries(refused)) {
  test(`${what} stops the start`, async () => {
    await expect(open(files)).rejects.toThrow(says);
  });
}

// proves: sources.bundles
test('a bundle in a git repository is served like one in a folder', async () => {
  await using folder = await openFolder({ 'bundles/desk/bundle.ts': source('desk') });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder.dir,
      stdio: 'pipe',
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=one');
  git('tag', 'v1');
  const entries = `bundles: [{ id: desk, git: "file://${folder.dir}", ref: v1, subdir: bundles/desk }]`;
  const [desk] = await open({ 'bundles.yaml': entries });
  expect(desk.id).toBe('desk');
  await expect(open({ 'bundles.yaml': entries.replace('v1', 'v2') })).rejects.toThrow('“v2”');
});
