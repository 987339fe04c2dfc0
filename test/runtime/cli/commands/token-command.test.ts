import { afterEach, expect, test, vi } from 'vitest';
import { openTokens } from '../../../../runtime/adapters/issuer/tokens.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { token } from '../../../../runtime/cli/commands/token-command.ts';
import { environment, readConfig } from '../../../../runtime/cli/config/config.ts';
import { inFolder } from '../config/config-kit.ts';

inFolder();
afterEach(() => vi.unstubAllEnvs());

const { signal } = new AbortController();
const secret = 'a secret of thirty-two bytes or more';

async function printed(...args: string[]): Promise<string> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    expect(await token(args)).toBe(0);
  } finally {
    write.mockRestore();
  }
  return text.trim();
}

// proves: cli.token
test('with a shared secret alone, the server accepts the tokens that the command prints', async () => {
  vi.stubEnv('TIMELOOM_AUTH', 'jwt');
  vi.stubEnv('TIMELOOM_AUTH_SECRET', secret);
  const { auth } = readConfig(environment());
  if (auth.mode !== 'jwt') throw new Error('tokens are not accepted');
  using tokens = openTokens(auth.issuer, { clock: systemClock, log: silentLog });
  const text = await printed('--user', 'ann', '--roles', 'operator,editor', '--hours', '1');
  const caller = await tokens.read(text, { signal });
  expect(caller).toMatchObject({ user: 'ann', roles: ['operator', 'editor'] });
  expect(caller.untilMs).toBeLessThan(Date.now() + 2 * 3_600_000);
});

// proves: cli.token
test.each([
  ['no user', [], 'TIMELOOM_AUTH_SECRET', '--user is required'],
  ['no secret', ['--user', 'ann'], 'NOTHING', 'jwt requires'],
  ['a user of no server', ['--user', 'a\nb'], 'TIMELOOM_AUTH_SECRET', 'control characters'],
  ['a long name', ['--user', 'x'.repeat(256)], 'TIMELOOM_AUTH_SECRET', '<=255 characters'],
  ['an empty tenant', ['--user', 'ann', '--tenant', ''], 'TIMELOOM_AUTH_SECRET', '--tenant'],
  ['a lifetime of nothing', ['--user', 'ann', '--hours', '0'], 'TIMELOOM_AUTH_SECRET', '--hours'],
])('%s is refused with what to do', async (_, args, ...[name = '', says = '']) => {
  vi.stubEnv('TIMELOOM_AUTH', 'jwt');
  vi.stubEnv(name, secret);
  await expect(token(args)).rejects.toThrow(says);
});

// proves: cli.token
test('dev authentication does not use tokens', async () => {
  await expect(token(['--user', 'ann'])).rejects.toThrow('set TIMELOOM_AUTH=jwt');
});
