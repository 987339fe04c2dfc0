import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ConnectAuth } from '../../client/protocol/request-schemas.ts';
import type { ProjectScope, Sender } from '../../timeline/ports/store.ts';
import type { AuthMode } from '../ports/tokens.ts';
import { isLoopback } from './origins.ts';

export type AuthClaims = ConnectAuth & {
  /** Used by dev authentication only; a token states its own roles. */
  readonly roles?: readonly string[] | undefined;
};

/** Who sends a request, with their roles. */
export type Identity = Sender & {
  readonly roles?: readonly string[];
  /** Wall time after which the user has to authenticate again. */
  readonly untilMs?: number;
};

/**
 * Authenticates a request. Refusal `unauthenticated`: no valid token; `forbidden`: no access to this tenant or project.
 * Faults of the token issuer.
 */
export type Authenticate = (
  claims: AuthClaims,
  options: { signal: AbortSignal },
) => Promise<Identity>;

/** Fault `CONFIG_INVALID`: the mode is not allowed at this address. */
export function createAuthenticate(
  auth: AuthMode,
  options: { scope: ProjectScope; host: string },
): Authenticate {
  const { scope, host } = options;
  if (auth.mode === 'jwt') return (claims, wait) => verify(claims, { auth, scope, ...wait });
  if (!isLoopback(host)) throw new Fault('CONFIG_INVALID', { because: devNotLocal(host) });
  return async (claims) => trustClaims(claims, scope);
}

/** Why dev authentication does not listen on this host, and what to use instead. */
export function devNotLocal(host: string): string {
  const instead =
    'to give other users access, set TIMELOOM_AUTH=jwt and TIMELOOM_AUTH_SECRET (openssl rand -hex 32); timeloom token --user NAME then prints a token';
  return `dev authentication accepts every user, so it listens on 127.0.0.1 only, not on ${host}; ${instead}`;
}

type Checks = {
  readonly auth: Extract<AuthMode, { mode: 'jwt' }>;
  readonly scope: ProjectScope;
  readonly signal: AbortSignal;
};

/** Only the signed token counts; other claims of the request are ignored. */
async function verify(claims: AuthClaims, { auth, scope, signal }: Checks): Promise<Identity> {
  const { tenant = scope.tenant, project = scope.project, token } = claims;
  assertScope({ tenant, project }, scope);
  if (token === undefined || token === '') {
    const ways = '"Authorization: Bearer …", or as auth.token of a socket';
    throw new Refusal('unauthenticated', `authentication required: send a token as ${ways}`);
  }
  const { user, tenants, projects, roles, untilMs } = await auth.tokens.read(token, { signal });
  if (tenants?.includes(tenant) === false || projects?.includes(project) === false) {
    throw new Refusal(
      'forbidden',
      `the token is for another tenant or project than ${tenant}/${project}`,
    );
  }
  return { tenant, project, user, roles, untilMs };
}

/** Everyone on this machine is who they claim to be. */
function trustClaims(claims: AuthClaims, scope: ProjectScope): Identity {
  const { tenant = scope.tenant, project = scope.project, user = 'dev' } = claims;
  const { roles } = claims;
  assertScope({ tenant, project }, scope);
  return { tenant, project, user, ...(roles && { roles }) };
}

function assertScope({ tenant, project }: ProjectScope, here: ProjectScope): void {
  if (tenant === here.tenant && project === here.project) return;
  throw new Refusal('forbidden', `unknown tenant "${tenant}" or project "${project}"`);
}
