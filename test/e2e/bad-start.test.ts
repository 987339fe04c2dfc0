import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../tools/command.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-start-'));
  await writeFile(join(dir, 'script.yaml'), '- answer: Hello.\n');
  await writeFile(join(dir, 'file'), '');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What each bad setting is answered with, in words that name the way out. */
const starts = {
  MODEL_KEY_MISSING: {
    env: { TIMELOOM_MODEL: 'anthropic:claude-test' },
    says: 'ANTHROPIC_API_KEY',
  },
  MODEL_NOT_CONFIGURED: { env: { TIMELOOM_MODEL: 'nobody:nothing' }, says: 'scripted:' },
  SCRIPT_INVALID: { env: { TIMELOOM_MODEL: 'scripted:absent.yaml' }, says: 'absent.yaml' },
  CONFIG_INVALID: { env: { TIMELOOM_PORT: 'http' }, says: 'TIMELOOM_PORT' },
  CONTEXT_TOO_SMALL: {
    env: { AI_REACT_CONTEXT_MAX_TOKENS: '1000' },
    says: 'AI_REACT_CONTEXT_MAX_TOKENS',
  },
  BUNDLE_INVALID: { env: { TIMELOOM_BUNDLES: 'docs' }, says: 'bundle.ts' },
} as const;

// proves: bad.model-key
test.each(Object.entries(starts))(
  '%s stops the start and says what to do',
  async (code, { env, says }) => {
    const ended = await start({ ...env });
    expect(ended.stderr).toContain(code);
    expect(ended.stderr).toContain(says);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
  },
);

// proves: bad.data-dir
test('a data directory that cannot be made stops the start', async () => {
  const ended = await start({ TIMELOOM_DATA_DIR: join(dir, 'file', 'data') });
  expect(ended.stderr).toContain('DATA_DIR_UNWRITABLE');
  expect([ended.code, ended.stdout]).toEqual([2, '']);
});

// proves: bad.port
test('a port that is taken stops the start', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const ended = await start({ TIMELOOM_PORT: String(port) });
  server.close();
  expect(ended.stderr).toContain('PORT_IN_USE');
  expect([ended.code, ended.stdout]).toEqual([2, '']);
});

test('an unknown command is told with those there are', async () => {
  const ended = await runCommand(['fly']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/no command “fly”[\s\S]*serve[\s\S]*doctor/);
});

function start(env: Readonly<Record<string, string>>) {
  const own = {
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'off',
    TIMELOOM_PORT: '0',
  };
  return runCommand(['serve'], { env: { ...own, ...env } });
}
