import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { startServe } from '../tools/serve.ts';
import { TelegramServer } from '../tools/services/telegram.ts';

const chat = 77;
let owned: Scope;
let telegram: TelegramServer;
let dir = '';
beforeEach(async () => {
  owned = new Scope();
  telegram = owned.own(await TelegramServer.start());
  dir = await mkdtemp(join(tmpdir(), 'timeloom-telegram-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const settings = { surfaces: { telegram: { allow: [chat], api: telegram.url } } };
  await writeFile(join(dir, 'gateway.yaml'), JSON.stringify(settings));
  const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');
  const script = {
    plays: 'per_conversation',
    chunk: 8,
    delay_ms: 40,
    replies: [{ thinking: 'Slowly.', answer: `${words} and the end.` }],
  };
  await writeFile(join(dir, 'script.yaml'), JSON.stringify(script));
});
afterEach(() => owned[Symbol.asyncDispose]());

const start = () =>
  startServe({
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_EXEC_MODE: 'off',
    TELEGRAM_BOT_TOKEN: telegram.token,
  });

// proves: surface.crash
test('a server that is killed while it answers goes on in the same message after its restart', async () => {
  await using first = await start();
  await telegram.write(chat, { text: 'Count' });
  const begun = await telegram.untilText(chat, 'word3');
  await first.kill();
  expect(begun.text).not.toContain('the end');
  owned.own(await start());
  const ended = await telegram.untilText(chat, 'and the end.');
  expect(ended.id).toBe(begun.id);
  expect(telegram.shown(chat)).toHaveLength(1);
});

test('a bot without a token is refused at the start, with the name of what is missing', async () => {
  const { TELEGRAM_BOT_TOKEN: _, ...env } = { TELEGRAM_BOT_TOKEN: '', TIMELOOM_CONFIG_DIR: dir };
  await expect(startServe(env)).rejects.toThrow('set TELEGRAM_BOT_TOKEN in secrets.yaml');
});

// proves: surface.one-bot
test('two projects with one bot are refused at the start, with the names of both tokens', async () => {
  const surfaces = { telegram: { allow: [chat], api: telegram.url } };
  const projects = [{ tenant: 'globex', project: 'support', surfaces }];
  await writeFile(join(dir, 'gateway.yaml'), JSON.stringify({ surfaces, projects }));
  const secrets = { 'globex/support/TELEGRAM_BOT_TOKEN': telegram.token };
  await writeFile(join(dir, 'secrets.yaml'), JSON.stringify(secrets), { mode: 0o600 });
  await expect(start()).rejects.toThrow(
    'globex/support/TELEGRAM_BOT_TOKEN is the same token as TELEGRAM_BOT_TOKEN of',
  );
});
