import { openTokens } from '../../../adapters/issuer/tokens.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { silentLog } from '../../../base/log.ts';
import type { Config } from '../../config/config.ts';
import { type Finding, runCheck } from './doctor-finding.ts';

/** Who may come in, and whether the issuer of their tokens answers. */
export async function checkAuth({ auth, host }: Config): Promise<readonly Finding[]> {
  if (auth.mode === 'dev') {
    const says = `dev: whoever reaches ${host} is who they say; for others, set TIMELOOM_AUTH=jwt`;
    return [{ what: 'auth', ok: true, says }];
  }
  using tokens = openTokens(auth.issuer, { clock: systemClock, log: silentLog });
  const { issuer, audience, keys } = auth.issuer;
  const who = `jwt: tokens of ${issuer} for ${audience.join(', ')}, at ${host}`;
  const signed = keys.from === 'secret' ? 'signed with a shared secret' : 'its keys are there';
  const check = async () => {
    await tokens.check();
    return `${who}; ${signed}`;
  };
  return [await runCheck('auth', check)];
}
