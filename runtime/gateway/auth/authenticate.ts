import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ConnectAuth } from '../../client/protocol/request-schemas.ts';
import { tokenRequired } from '../../client/protocol/token-required.ts';
import type { ProjectScope, Sender } from '../../timeline/ports/store.ts';
import type { AuthMode, TokenFacts } from '../ports/tokens.ts';
import { isLoopback } from './origins.ts';
import { assertResource } from './token-resource.ts';

export type AuthClaims = ConnectAuth & {
  /** Used by dev authentication only; a token states its own roles. */
  readonly roles?: readonly string[] | undefined;
  /** Of the request; a socket has none. */
  readonly path?: string | undefined;
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

type Options = {
  /** The tenants and projects that a request may be for. */
  readonly served: readonly ProjectScope[];
  /** Those of requests and tokens that name none. */
  readonly home: ProjectScope;
  readonly host: string;
};

/** Fault `CONFIG_INVALID`: the mode is not allowed at this address. */
export function createAuthenticate(auth: AuthMode, options: Options): Authenticate {
  if (auth.mode === 'jwt') return (claims, wait) => verify(claims, { auth, ...options, ...wait });
  const { host } = options;
  if (!isLoopback(host)) throw new Fault('CONFIG_INVALID', { because: devNotLocal(host) });
  return async (claims) => trustClaims(claims, options);
}

/** Why dev authentication does not listen on this host, and what to use instead. */
export function devNotLocal(host: string): string {
  const instead =
    'to give other users access, set TIMELOOM_AUTH=jwt and TIMELOOM_AUTH_SECRET (openssl rand -hex 32); timeloom token --user NAME then prints a token';
  return `dev authentication accepts every user, so it listens on 127.0.0.1 only, not on ${host}; ${instead}`;
}

type Checks = Omit<Options, 'host'> & {
  readonly auth: Extract<AuthMode, { mode: 'jwt' }>;
  readonly signal: AbortSignal;
};

/**
 * Only the signed token counts; other claims of the request are ignored. The refusal is the same for a project that is not
 * served and for one that the token is not valid for, so an answer does not reveal which tenants exist.
 */
async function verify(claims: AuthClaims, checks: Checks): Promise<Identity> {
  const { auth, served, home, signal } = checks;
  const { token } = claims;
  if (token === undefined || token === '') {
    const ways = '"Authorization: Bearer …", or as auth.token of a socket';
    throw new Refusal('unauthenticated', `${tokenRequired}: send a token as ${ways}`);
  }
  const {
    user,
    roles,
    untilMs,
    audiences = [],
    ...valid
  } = await auth.tokens.read(token, {
    signal,
  });
  assertResource(audiences, claims.path);
  const own = served.filter((each) => isValidFor(each, { ...valid, home }));
  const found = own.find((each) => isNamed(each, claims));
  if (!found) {
    const { tenant = home.tenant, project = home.project } = claims;
    throw new Refusal('forbidden', `the token is not valid for ${tenant}/${project}`);
  }
  return { ...found, user, roles, untilMs };
}

type Validity = Pick<TokenFacts, 'tenants' | 'projects'> & { readonly home: ProjectScope };

/** A token without a tenant is for the installation's own; without a project, for all projects of the tenants it names. */
function isValidFor({ tenant, project }: ProjectScope, { tenants, projects, home }: Validity) {
  const isOwnTenant = (tenants ?? [home.tenant]).includes(tenant);
  const unnamed = tenants ? [project] : [home.project];
  return isOwnTenant && (projects ?? unnamed).includes(project);
}

/** A part that the request does not name may be any. */
function isNamed({ tenant, project }: ProjectScope, claims: AuthClaims): boolean {
  return tenant === (claims.tenant ?? tenant) && project === (claims.project ?? project);
}

/** Everyone on this machine is who they claim to be. */
function trustClaims(claims: AuthClaims, { served, home }: Omit<Options, 'host'>): Identity {
  const { tenant = home.tenant, project = home.project, user = 'dev', roles } = claims;
  if (!served.some((each) => isNamed(each, { tenant, project })))
    throw new Refusal('forbidden', `unknown tenant "${tenant}" or project "${project}"`);
  return { tenant, project, user, ...(roles && { roles }) };
}
