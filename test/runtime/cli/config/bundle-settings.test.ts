import { expect, test } from 'vitest';
import { z } from 'zod';
import { isFault } from '../../../../runtime/base/fault.ts';
import { assertSecretsKey } from '../../../../runtime/cli/bundles/user-secrets.ts';
import { configureBundles } from '../../../../runtime/cli/config/bundle-settings.ts';
import { Bundles } from '../../../../runtime/cli/config/descriptors.ts';
import { isDefinition } from '../../../../runtime/sdk/define/definition.ts';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineJob,
  defineSecret,
  defineWidget,
} from '../../../../runtime/sdk/index.ts';

const desk = defineBundle({
  id: 'desk',
  version: '1',
  agents: [defineAgent({ id: 'oncall', instruction: 'Help.' })],
  widgets: [
    defineWidget({ id: 'latency', title: 'Latency', ui: './latency' }),
    defineWidget({ id: 'load', title: 'Load', ui: './load' }),
  ],
  events: [defineEvent({ kind: 'alert', payload: z.string(), text: (text) => text })],
  jobs: [defineJob({ id: 'digest', run: () => undefined })],
  mcp: {
    use: [
      { id: 'maps', url: 'https://maps.example' },
      { id: 'files', command: 'files' },
    ],
    expose: [{ id: 'desk', tools: [] }],
  },
});
const notes = defineBundle({ id: 'notes', version: '1' });
const loaded = [desk, notes].map((definition) => ({
  definition,
  revision: 'r',
  dir: '/b',
  module: '/b.mjs',
}));

type Said = z.input<typeof Bundles>;

function set(said: Said | undefined) {
  const bundles = said && Bundles.parse(said);
  const place = (name: string, path: readonly (string | number)[]) => `${name} ${path.join('.')}`;
  return configureBundles(loaded, { bundles, bundleSecrets: {}, place });
}

function problems(said: Said): readonly string[] {
  try {
    set(said);
  } catch (error) {
    if (!isFault(error)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
}

test('a bundle without settings is unchanged', () => {
  for (const said of [undefined, { bundles: [] }]) {
    expect(set(said)).toEqual(
      loaded.map((each) => ({ ...each, props: {}, agents: {}, disabledServers: [] })),
    );
  }
});

test('props and agents apply to the bundle with that id', () => {
  const entry = { id: 'desk', path: '.', props: { a: 1 } };
  const [first, second] = set({
    default: 'notes',
    bundles: [{ ...entry, agents: { oncall: { budgets: { rounds: 20 } } } }],
  });
  expect(first).toMatchObject({ props: { a: 1 }, agents: { oncall: { budgets: { rounds: 20 } } } });
  expect(second).toMatchObject({ props: {}, agents: {} });
});

test('disabled parts are removed, and nothing else is', () => {
  const disable = ['widgets.load', 'events.alert', 'jobs.digest'];
  const [first] = set({ bundles: [{ id: 'desk', path: '.', disable }] });
  const definition = first?.definition;
  expect(isDefinition('bundle', definition) && definition).toMatchObject({
    id: 'desk',
    agents: [{ id: 'oncall' }],
    widgets: [{ id: 'latency' }],
    events: [],
    jobs: [],
  });
});

test('a disabled MCP server is not used, and a disabled endpoint is removed', () => {
  const disable = ['mcp.maps', 'mcp.desk'];
  const [first] = set({ bundles: [{ id: 'desk', path: '.', disable }] });
  expect(first?.disabledServers).toEqual(['maps']);
  const definition = first?.definition;
  expect(isDefinition('bundle', definition) && definition.mcp?.expose).toEqual([]);
});

test('every entry that matches no bundle is reported with its location', () => {
  const entry = { id: 'desk', path: './desk' };
  expect(
    problems({
      default: 'desks',
      bundles: [
        { ...entry, agents: { night: {} }, disable: ['widgets.lode', 'tools.query'] },
        { id: 'other', path: './other' },
        { id: 'notes', path: './notes', disable: ['widgets.x'] },
      ],
    }),
  ).toEqual([
    'bundles.yaml default: bundle “desks” not found; loaded bundles: desk, notes',
    'bundles.yaml bundles.0.agents.night: agent “night” of “desk” not found; its agents: oncall',
    'bundles.yaml bundles.0.disable.0: “widgets.lode” of “desk” cannot be disabled; parts that can be disabled: widgets.latency, widgets.load, events.alert, jobs.digest, mcp.maps, mcp.files, mcp.desk',
    'bundles.yaml bundles.0.disable.1: “tools.query” of “desk” cannot be disabled; parts that can be disabled: widgets.latency, widgets.load, events.alert, jobs.digest, mcp.maps, mcp.files, mcp.desk',
    'bundles.yaml bundles.1.id: bundle “other” not found in ./other; loaded bundles: desk, notes',
    'bundles.yaml bundles.2.disable.0: “widgets.x” of “notes” cannot be disabled',
  ]);
});

// proves: secrets.load
test('a value in bundles.secrets.yaml is rejected for a secret that each user sets', () => {
  const definition = defineBundle({
    id: 'crm',
    version: '1',
    secrets: [defineSecret({ id: 'CRM_KEY', for: 'user', description: 'key of the CRM' })],
  });
  const read = { definition, revision: 'r', dir: '/b', module: '/b.mjs' };
  const place = (name: string, path: readonly (string | number)[]) => `${name} ${path.join('.')}`;
  const load = (databaseUrl: string | undefined, secretsKey?: string) =>
    assertSecretsKey({ databaseUrl, secretsKey, dataDir: '/data' }, definition);
  expect(() =>
    configureBundles([read], {
      bundles: undefined,
      bundleSecrets: { crm: { CRM_KEY: 'x' } },
      place,
    }),
  ).toThrow(/bundles\.secrets\.yaml crm\.CRM_KEY: each user sets “CRM_KEY”/);
  expect(() => load('postgres://db')).toThrow(/set TIMELOOM_SECRETS_KEY/);
  expect(() => load('postgres://db', 'k'.repeat(32))).not.toThrow();
  expect(() => load(undefined)).not.toThrow();
});
