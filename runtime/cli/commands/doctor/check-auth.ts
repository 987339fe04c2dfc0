import { openTokens } from '../../../adapters/issuer/tokens.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { silentLog } from '../../../base/log.ts';
import type { Config } from '../../config/config.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

/** Reports the authentication mode, and checks that the token issuer answers. */
export async function checkAuth({ auth, host }: Config): Promise<readonly Finding[]> {
  if (auth.mode === 'dev') {
    const says = `dev: clients at ${host} are trusted without a token; to serve other users, set TIMELOOM_AUTH=jwt`;
    return [{ what: 'auth', ok: true, says }];
  }
  using tokens = openTokens(auth.issuer, { clock: systemClock, log: silentLog });
  const { issuer, audience, keys } = auth.issuer;
  const { signIn } = auth;
  const settings = `jwt: issuer ${issuer}, audience ${audience.join(', ')}, at ${host}`;
  const signed = keys.from === 'secret' ? 'signed with a shared secret' : 'issuer keys available';
  const check = async () => {
    await tokens.check();
    if (!signIn) return `${settings}; ${signed}`;
    const { createSignIn } = await import('../../../adapters/issuer/sign-in/sign-in.ts');
    const redirectUri = `http://${host}/api/session/callback`;
    await createSignIn(signIn).begin({ redirectUri, signal: new AbortController().signal });
    return `${settings}; ${signed}; people sign in as the client ${signIn.clientId}`;
  };
  return [await runCheck('auth', check)];
}
