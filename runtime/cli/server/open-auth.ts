import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { AuthMode } from '../../gateway/ports/tokens.ts';
import type { Config } from '../config/config.ts';

type Parts = { readonly clock: Clock; readonly log: Log; readonly scope: Scope };

export async function openAuth({ auth }: Config, { clock, log, scope }: Parts): Promise<AuthMode> {
  if (auth.mode === 'dev') return auth;
  const { openTokens } = await import('../../adapters/issuer/tokens.ts');
  const { issuer, origins, signIn, authorizationServer } = auth;
  const tokens = scope.own(openTokens(issuer, { clock, log }));
  const mode = { mode: 'jwt', tokens, origins, authorizationServer } as const;
  if (!signIn) return mode;
  const { createSignIn } = await import('../../adapters/issuer/sign-in/sign-in.ts');
  return { ...mode, signIn: createSignIn(signIn) };
}
