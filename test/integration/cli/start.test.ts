import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openPlace, type Place, processesOf, smallBundle } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: bad.data-dir, bad.port, bad.model-key

const nobody = 65_534;

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(async () => {
  expect(await processesOf(place.dir)).toEqual([]);
  await place[Symbol.asyncDispose]();
});

type Env = Record<string, string>;

/** A start that must not succeed: nothing on stdout, one explanation on stderr, exit 2. */
async function refused(
  env: Env,
  run: (args: readonly string[], env: Env) => ReturnType<Place['run']> = place.run,
): Promise<string> {
  const { code, stdout, stderr } = await run(['serve'], env);
  expect([code, stdout]).toEqual([2, '']);
  // No trace of a stack: these are the operator's to mend, not ours.
  expect(stderr).not.toMatch(/^\s+at /m);
  return stderr.replaceAll(`${place.dir}/`, '');
}

test('a data directory below a file stops the start', async () => {
  const file = await place.write({ file: '' });
  const said = await refused({ TIMELOOM_DATA_DIR: join(file, 'data') });
  expect(said).toMatch(
    /^DATA_DIR_UNWRITABLE: .*set TIMELOOM_DATA_DIR to a writable directory: file\/data$/m,
  );
});

test('a data directory that may only be read stops the start', async () => {
  const data = join(place.dir, 'read-only');
  await mkdir(data);
  await chmod(data, 0o555);
  // Root may write anywhere, so the server is somebody else then.
  const uid = process.getuid?.() === 0 ? nobody : undefined;
  const said = await refused({ TIMELOOM_DATA_DIR: data }, (args, env) =>
    place.runApart(args, env, uid),
  );
  expect(said).toMatch(/^DATA_DIR_UNWRITABLE: .*: read-only/m);
});

test('a port in use stops the start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const said = await refused({ TIMELOOM_PORT: String(port) });
  other.close();
  expect(said).toContain(`choose a free port (--port or TIMELOOM_PORT): 127.0.0.1:${port}`);
  expect(said).toMatch(/^PORT_IN_USE: /m);
});

// proves: demo.says-why
test('a demo whose conversation fails prints what its server logged', async () => {
  const { code, stdout, stderr } = await place.runApart(['demo']);
  expect(code).toBe(1);
  expect(stderr).toContain('the turn did not complete: SCRIPT_MISMATCH');
  expect(stdout).toMatch(/^ +log +\{"level":"warn".*SCRIPT_MISMATCH.*\}$/m);
});

const settings: Readonly<Record<string, { env: Env; says: RegExp }>> = {
  'a model of Anthropic without a key': {
    env: { TIMELOOM_MODEL: 'anthropic:claude-sonnet-5-5' },
    says: /^MODEL_KEY_MISSING: .*set ANTHROPIC_API_KEY to use claude-sonnet-5-5$/m,
  },
  'a provider that nobody knows': {
    env: { TIMELOOM_MODEL: 'gemini:pro' },
    says: /^MODEL_NOT_CONFIGURED: .*"gemini:pro" must be provider:name/m,
  },
  'a script that is not there': {
    env: { TIMELOOM_MODEL: 'scripted:./nowhere.yaml' },
    says: /^SCRIPT_INVALID: .*nowhere.yaml cannot be read/m,
  },
  'a mode that nobody knows': {
    env: { TIMELOOM_EXEC_MODE: 'dokcer' },
    says: /^ {2}TIMELOOM_EXEC_MODE: “dokcer” is not one of auto, docker, process, fargate, off$/m,
  },
  'a context that cannot hold a conversation': {
    env: { AI_REACT_CONTEXT_MAX_TOKENS: '4000' },
    says: /^CONTEXT_TOO_SMALL: .*raise AI_REACT_CONTEXT_MAX_TOKENS: agent main needs more than \d+ tokens and has 4000$/m,
  },
  'a server that is open to all without authentication': {
    env: { TIMELOOM_HOST: '0.0.0.0' },
    says: /^ {2}TIMELOOM_HOST: dev authentication accepts every user, .* not on 0\.0\.0\.0; .* TIMELOOM_AUTH=jwt and TIMELOOM_AUTH_SECRET .*timeloom token/m,
  },
  'tokens of nobody in particular': {
    env: { TIMELOOM_AUTH: 'jwt', TIMELOOM_AUTH_AUDIENCE: 'timeloom' },
    says: /^ {2}TIMELOOM_AUTH_ISSUER: jwt requires the address of the token issuer, or TIMELOOM_AUTH_SECRET/m,
  },
};

for (const [what, { env, says }] of Object.entries(settings)) {
  test(`${what} stops the start`, async () => {
    expect(await refused(env)).toMatch(says);
  });
}

const written: Readonly<
  Record<string, { files: Record<string, string>; env?: Env; says: RegExp }>
> = {
  'a script that does not fit': {
    files: { 'odd/script.yaml': '- thinking: Hm\n- anser: Hello.\n' },
    env: { TIMELOOM_MODEL: 'scripted:{dir}/odd/script.yaml' },
    says: /^SCRIPT_INVALID: .*odd\/script.yaml:2: reply 2.*anser/m,
  },
  'a script of an agent that does not fit, before a sandbox is looked for,': {
    files: {
      'names-script/bundle.ts': smallBundle(
        'names-script',
        "models: { decision: 'scripted:./names-script/no.yaml' }",
      ),
    },
    env: {
      ...{ TIMELOOM_BUNDLES: '{dir}/names-script', TIMELOOM_EXEC_MODE: 'docker' },
      DOCKER_HOST: 'unix:///nowhere.sock',
    },
    says: /^SCRIPT_INVALID: .*names-script\/no.yaml cannot be read/m,
  },
  'a key that assembly.yaml does not have': {
    files: { 'odd/assembly.yaml': 'tenant: acme\nmodel: openai:gpt-5\n' },
    env: { TIMELOOM_CONFIG_DIR: '{dir}/odd' },
    says: /^CONFIG_INVALID: .*\n {2}odd\/assembly.yaml:2: model: unknown key$/m,
  },
  'secrets that others can read': {
    files: { 'open/secrets.yaml': 'ANTHROPIC_API_KEY: k\n' },
    env: { TIMELOOM_CONFIG_DIR: '{dir}/open' },
    says: /^ {2}open\/secrets.yaml: other users can read this file; run chmod 600 open\/secrets.yaml$/m,
  },
  'a bundle that does not compile': {
    files: { 'broken/bundle.ts': 'export const bundle = {\n  id: "x"\n  version: "1",\n};\n' },
    env: { TIMELOOM_BUNDLES: '{dir}/broken' },
    says: /^BUNDLE_INVALID: .*broken: bundle.ts:3:3: Expected "}" but found "version"$/m,
  },
  'words that an agent does not have': {
    files: {
      'words/bundles.yaml':
        'bundles:\n  - id: desk\n    path: ../bundle\n    agents:\n      main: { budget: { rounds: 3 } }\n',
    },
    env: { TIMELOOM_CONFIG_DIR: '{dir}/words' },
    says: /^ {2}words\/bundles.yaml:5: bundles\[0\].agents.main.budget: unknown key$/m,
  },
  'an agent and a part that the bundle does not have': {
    files: {
      'parts/bundles.yaml':
        'bundles:\n  - id: desk\n    path: ../bundle\n    agents: { night: {} }\n    disable: [jobs.digest]\n',
    },
    env: { TIMELOOM_CONFIG_DIR: '{dir}/parts' },
    says: /bundles.yaml:4: agent “night” of “desk” not found; its agents: main\n {2}parts\/bundles.yaml:5: “jobs.digest” of “desk” cannot be disabled$/m,
  },
};

for (const [what, { files, env = {}, says }] of Object.entries(written)) {
  test(`${what} stops the start, with file and line`, async () => {
    await place.write(files);
    const own = Object.entries(env).map(([name, value]) => [
      name,
      value.replace('{dir}', place.dir),
    ]);
    expect(await refused(Object.fromEntries(own))).toMatch(says);
  });
}

describe('a server', () => {
  const scope = new Scope();
  let server: Served;
  let script = '';
  beforeAll(async () => {
    script = await place.write({ 'other.yaml': '- answer: Other.\n' });
    await place.write({
      'said/assembly.yaml': `tenant: acme\nmodels: { decision: "scripted:${script}" }\n`,
      'said/bundles.yaml': 'bundles:\n  - id: board\n    path: ./board\n',
      'said/board/bundle.ts': smallBundle('board'),
    });
    const said = join(place.dir, 'said');
    const more = { TIMELOOM_CONFIG_DIR: said, TIMELOOM_MODEL: 'anthropic:no-key' };
    server = scope.own(await startServe({ ...place.env, ...more }));
  });
  afterAll(() => scope[Symbol.asyncDispose]());

  test('takes what a descriptor says before the environment', async () => {
    const health: unknown = await (await fetch(`${server.url}/health`)).json();
    expect(health).toMatchObject({ model: `scripted:${script}`, bundles: ['board', 'desk'] });
    const listed = await fetch(`${server.url}/conversations/acme/dev`);
    expect(listed.status).toBe(200);
  });

  test('that holds a data directory stops a second one there, and goes on', async () => {
    const said = await refused({}, place.runApart);
    expect(said).toMatch(
      /^DATA_DIR_HELD: another process holds .*process \d+ holds data\/timeline\/lock/m,
    );
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});
