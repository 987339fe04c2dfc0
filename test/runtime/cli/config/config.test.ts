import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../../runtime/base/package-root.ts';
import type { Environment } from '../../../../runtime/cli/config/config.ts';
import { config, dir, type Files, inFolder, problems, write } from './config-kit.ts';

inFolder();

test('no setting is required', () => {
  expect(config()).toMatchObject({
    tenant: 'dev',
    project: 'dev',
    host: '127.0.0.1',
    port: 3000,
    auth: { mode: 'dev' },
    execMode: 'auto',
    logLevel: 'info',
    bundleSources: [],
  });
  const { model, databaseUrl, redisUrl, blobs, roundsMax, multiAction } = config();
  expect([model, databaseUrl, redisUrl, blobs, roundsMax, multiAction]).toEqual(
    Array(6).fill(undefined),
  );
});

test('a descriptor overrides the environment, and the environment overrides the default', () => {
  const env = {
    TIMELOOM_MODEL: 'openai:gpt-5',
    TIMELOOM_EXEC_MODE: 'process',
    AI_REACT_MAX_ITERATIONS: '7',
    AI_REACT_AGENT_MULTI_ACTION: 'on',
    AI_REACT_CONTEXT_MAX_TOKENS: '60000',
    DATABASE_URL: 'postgres://env',
    TIMELOOM_DATA_DIR: '/env/data',
  };
  expect(config({}, env)).toMatchObject({
    model: 'openai:gpt-5',
    execMode: 'process',
    roundsMax: 7,
    multiAction: 'safe_fanout',
    contextMaxTokens: 60_000,
    databaseUrl: 'postgres://env',
    dataDir: '/env/data',
  });
  const assembly = `
tenant: acme
models: { decision: "anthropic:claude" }
exec: { mode: "off" }
ai: { react: { max_iterations: 3, multi_action: "off", context_max_tokens: 50000 } }
data: { dir: ./kept, database: "postgres://assembly" }
`;
  expect(config({ 'assembly.yaml': assembly }, env)).toMatchObject({
    tenant: 'acme',
    model: 'anthropic:claude',
    execMode: 'off',
    roundsMax: 3,
    multiAction: 'off',
    contextMaxTokens: 50_000,
    databaseUrl: 'postgres://assembly',
    dataDir: join(dir, 'kept'),
  });
});

test('a setting that refers to an unset variable counts as not set', () => {
  const data = `data: { database: "\${PG}", redis: "\${REDIS_AT}", blobs: "file:\${HOLD}/blobs" }`;
  const env = { DATABASE_URL: 'postgres://env', REDIS_AT: 'redis://r', HOLD: '/hold' };
  expect(config({ 'assembly.yaml': data }, env)).toMatchObject({
    databaseUrl: 'postgres://env',
    redisUrl: 'redis://r',
    blobs: { folder: '/hold/blobs' },
  });
});

// proves: i6.no-secrets
test('package, settings, data and bundles are hidden from programs', () => {
  const env = { TIMELOOM_DATA_DIR: '/d', TIMELOOM_BLOBS: 'file:/b', TIMELOOM_BUNDLES: '/x:/y' };
  expect(config({}, env).ownFolders).toEqual([dir, packageRoot(), '/d', '/b', '/x', '/y']);
});

test('blobs are stored in a bucket, on AWS or on another S3-compatible service', () => {
  const TIMELOOM_BLOBS = 's3://acme-blobs/ops/live/';
  const place = { bucket: 'acme-blobs', prefix: 'ops/live' };
  expect(config({}, { TIMELOOM_BLOBS }).blobs).toEqual(place);
  const AWS_ENDPOINT_URL_S3 = 'https://objects.acme.io';
  const elsewhere = { ...place, endpoint: AWS_ENDPOINT_URL_S3 };
  expect(config({}, { TIMELOOM_BLOBS, AWS_ENDPOINT_URL_S3 }).blobs).toEqual(elsewhere);
  expect(config({}, { TIMELOOM_BLOBS: 's3://acme-blobs' }).blobs).toMatchObject({ prefix: '' });
});

// proves: exec.docker-combined-chosen
test('a combined container is used only if it is configured', () => {
  const said = (yaml: string) => config({ 'assembly.yaml': yaml }).execLimits.docker;
  expect(said('exec: { docker: combined }')).toBe('combined');
  expect(said('exec: { mode: docker }')).toBeUndefined();
  expect(said('exec: { mode: docker, runtime: runc }')).toBeUndefined();
});

test('empty variables and descriptors with only comments have no effect', () => {
  const { model, port } = config(
    { 'assembly.yaml': '# tenant: acme\n' },
    { TIMELOOM_MODEL: '', TIMELOOM_PORT: '' },
  );
  expect([model, port]).toEqual([undefined, 3000]);
});

test('all errors are reported at once, with file and line', () => {
  const files = {
    'assembly.yaml':
      'tenant: acme\nai:\n  react:\n    max_iteration: 3\n    multi_action: sometimes\n',
    'bundles.yaml': 'bundles:\n  - id: desk\n    path: ./desk\n    prop: {}\n',
    'gateway.yaml': 'rate:\n  user:\n    per_minute: 0\n',
  };
  const env = { TIMELOOM_PORT: '70000', TIMELOOM_LOG: 'loud', AI_REACT_MAX_ITERATIONS: '0' };
  expect(problems(files, env)).toEqual([
    'assembly.yaml:5: ai.react.multi_action: Invalid option: expected one of "off"|"first_only"|"safe_fanout"|"bundle"',
    'assembly.yaml:4: ai.react.max_iteration: unknown key',
    'bundles.yaml:4: bundles[0].prop: unknown key',
    'gateway.yaml:3: rate.user.per_minute: Too small: expected number to be >0',
    'TIMELOOM_PORT: “70000” is not a whole number between 0 and 65535',
    'AI_REACT_MAX_ITERATIONS: “0” is not a whole number between 1 and 1000',
    'TIMELOOM_LOG: “loud” is not one of info, debug, warn, error, silent',
  ]);
});

const single: Readonly<Record<string, { files?: Files; env?: Environment; says: string }>> = {
  'YAML that does not parse': {
    files: { 'assembly.yaml': 'tenant: acme\nproject: [ops\n' },
    says: 'assembly.yaml:3: Flow sequence in block collection must be sufficiently indented and end with a ]',
  },
  'a model without a provider': {
    files: { 'assembly.yaml': 'models:\n  decision: gpt-5\n' },
    says: 'assembly.yaml:2: models.decision: must be provider:name, with one of the providers anthropic, openai, openai-compatible, scripted, azure, bedrock, cerebras, cohere, deepseek, fireworks, google, groq, mistral, togetherai, vertex, xai',
  },
  'a role that does not exist': {
    files: { 'assembly.yaml': 'models: { think: "openai:gpt-5" }' },
    says: 'assembly.yaml:1: models.think: unknown key',
  },
  'a reserved key': {
    files: { 'gateway.yaml': 'admission: { queue_max: 5 }' },
    says: 'gateway.yaml:1: admission.queue_max: not available in this version: remove it; messages wait in the store without a limit',
  },
  'a file limit above what programs can open': {
    files: { 'gateway.yaml': 'attachments: { text_mb: 1025 }' },
    says: 'gateway.yaml:1: attachments.text_mb: Too big: expected number to be <=1024',
  },
  'a scanner without an address': {
    files: { 'gateway.yaml': 'attachments: { antivirus: clamd }' },
    says: 'gateway.yaml:1: attachments.antivirus: true, or the address of clamd: /path or host:port',
  },
  'more turns than the maximum per worker': {
    files: { 'gateway.yaml': 'admission: { turns_per_worker: 1001 }' },
    says: 'gateway.yaml:1: admission.turns_per_worker: Too big: expected number to be <=1000',
  },
  'a tenant with an invalid id': {
    files: { 'assembly.yaml': 'tenant: acme corp' },
    says: 'assembly.yaml:1: tenant: an id has 1 to 128 letters, digits, _ and -',
  },
  'an unknown kind of blob store': {
    env: { TIMELOOM_BLOBS: 'ftp://acme/ops' },
    says: 'TIMELOOM_BLOBS: “ftp://acme/ops” is not file:<folder> or s3://<bucket>/<prefix>',
  },
  'an unknown kind of blob store in a descriptor': {
    files: { 'assembly.yaml': 'data:\n  blobs: "ftp://acme/ops"' },
    says: 'assembly.yaml:2: “ftp://acme/ops” is not file:<folder> or s3://<bucket>/<prefix>',
  },
  'a database that is not Postgres': {
    env: { DATABASE_URL: 'mysql://ann:secret@db/ops' },
    says: 'DATABASE_URL: must begin with postgres://',
  },
  'a database without a scheme in a descriptor': {
    files: { 'assembly.yaml': 'data:\n  database: db.acme.io' },
    says: 'assembly.yaml:2: must begin with postgres://',
  },
  'a Redis without a scheme': {
    env: { REDIS_URL: 'redis.acme.io' },
    says: 'REDIS_URL: must begin with redis:// or rediss://',
  },
  'a provider without a scheme': {
    env: { OPENAI_BASE_URL: '127.0.0.1:8000/v1' },
    says: 'OPENAI_BASE_URL: must begin with https:// or http://',
  },
  'a port in another notation': {
    env: { TIMELOOM_PORT: '1e3' },
    says: 'TIMELOOM_PORT: “1e3” is not a whole number between 0 and 65535',
  },
  'a misspelled mode': {
    env: { TIMELOOM_EXEC_MODE: 'dokcer' },
    says: 'TIMELOOM_EXEC_MODE: “dokcer” is not one of auto, docker, process, fargate, off',
  },
  'mode fargate without its settings': {
    env: { TIMELOOM_EXEC_MODE: 'fargate' },
    says: 'exec.fargate: missing in assembly.yaml; mode fargate requires cluster, task_definition, subnets, security_groups, bucket',
  },
  'a misspelled key of exec.fargate': {
    files: {
      'assembly.yaml':
        'exec:\n  mode: fargate\n  fargate: { cluster: c, task_definition: t, subnets: [s], security_groups: [g], bucket: b, prefx: p }',
    },
    says: 'assembly.yaml:3: exec.fargate.prefx: unknown key',
  },
  'a misspelled container layout': {
    files: { 'assembly.yaml': 'exec: { docker: combind }' },
    says: 'assembly.yaml:1: exec.docker: Invalid option: expected one of "split"|"combined"',
  },
  'an invalid switch': {
    env: { AI_REACT_AGENT_MULTI_ACTION: 'maybe' },
    says: 'AI_REACT_AGENT_MULTI_ACTION: “maybe” is not one of off, first_only, safe_fanout, bundle',
  },
  'a malformed secret': {
    files: { 'secrets.yaml': 'KEY: { envv: X }' },
    says: 'secrets.yaml:1: KEY: a secret is a value, { env: NAME } or { file: path }; secrets of bundles also { aws: NAME }',
  },
  'unknown keys of an agent': {
    files: {
      'bundles.yaml':
        'bundles:\n- id: desk\n  path: .\n  agents:\n    oncall:\n      budgets:\n        round: 3\n',
    },
    says: 'bundles.yaml:7: bundles[0].agents.oncall.budgets.round: unknown key',
  },
  'the same key in both spellings': {
    files: {
      'bundles.yaml':
        'bundles:\n- id: desk\n  path: .\n  agents:\n    oncall:\n      budgets: { cost_usd: 1, costUsd: 2 }\n',
    },
    says: 'bundles.yaml:6: bundles[0].agents.oncall.budgets: costUsd is set twice, in both spellings',
  },
};
for (const [what, { files = {}, env, says }] of Object.entries(single)) {
  test(`${what} stops the start`, () => {
    expect(problems(files, env)).toEqual([says]);
  });
}

test('a descriptor folder that does not exist stops the start', () => {
  const missing = join(dir, 'nowhere');
  expect(problems({}, { TIMELOOM_CONFIG_DIR: missing })).toEqual([
    'TIMELOOM_CONFIG_DIR: nowhere is not a folder',
  ]);
});

test('a descriptor that is a folder cannot be read', () => {
  mkdirSync(join(dir, 'assembly.yaml'));
  expect(problems({})).toEqual([
    expect.stringMatching(/^assembly.yaml: cannot read the file: EISDIR/),
  ]);
});

test('keys of an agent are accepted in both spellings and returned in one', () => {
  const bundles =
    'bundles:\n- id: desk\n  path: ./desk\n  agents: { oncall: { budgets: { rounds: 20, cost_usd: 1 }, exec: { timeoutMs: 5 } } }\n';
  const read = config({ 'bundles.yaml': bundles });
  expect(read.bundleSources).toEqual([join(dir, 'desk')]);
  expect(read.descriptors.bundles?.bundles[0]?.agents).toEqual({
    oncall: { budgets: { rounds: 20, costUsd: 1 }, exec: { timeoutMs: 5 } },
  });
});

test('a secret is a value, a variable or a file, and that of the bundle overrides the platform', () => {
  write({ key: 'from-file\n' });
  const files = {
    'secrets.yaml': 'ANTHROPIC_API_KEY: { env: MY_KEY }\nSHARED: everywhere\n',
    'bundles.secrets.yaml': 'desk: { DEPLOY: { file: key }, SHARED: mine }\n',
  };
  const { anthropicApiKey, secret } = config(files, { MY_KEY: 'k', ANTHROPIC_API_KEY: 'other' });
  expect(anthropicApiKey).toBe('k');
  expect(secret('desk', 'DEPLOY')).toBe('from-file');
  expect(secret('desk', 'SHARED')).toBe('mine');
  expect(secret('other', 'SHARED')).toBe('everywhere');
  expect(secret('other', 'DEPLOY')).toBeUndefined();
});

test('a secrets file that other users can read, and a missing secret file, stop the start', () => {
  write({ 'secrets.yaml': 'ONE: { file: ./gone }\n' });
  chmodSync(join(dir, 'secrets.yaml'), 0o644);
  expect(problems({ 'bundles.secrets.yaml': 'desk:\n  TWO: { file: ./lost }\n' })).toEqual([
    'secrets.yaml: other users can read this file; run chmod 600 secrets.yaml',
    expect.stringMatching(/^secrets.yaml:1: ONE: ENOENT.*gone/),
    expect.stringMatching(/^bundles.secrets.yaml:2: TWO: ENOENT.*lost/),
  ]);
});
