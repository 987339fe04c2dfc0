import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { ConnectAuth } from '../client/wire.ts';
import type { Scope, Sender } from '../timeline/store.ts';
import type { AuthMode } from './ports.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

export type Visitor = ConnectAuth & {
  /** As the request's headers say. */
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly roles?: readonly string[] | undefined;
};

/** Who a visitor is, and what they are besides. */
export type Known = Sender & { readonly roles?: readonly string[] };

/** Tells who a visitor is. Refusal `forbidden` where they have no business here. */
export type Authenticate = (visitor: Visitor) => Known;

/** Fault `CONFIG_INVALID`: the mode cannot be served, or not at this address. */
export function createAuthenticate(
  auth: AuthMode,
  options: { scope: Scope; host: string },
): Authenticate {
  const { scope, host } = options;
  if (auth.mode === 'jwt') {
    throw new Fault('CONFIG_INVALID', {
      because: 'TIMELOOM_AUTH=jwt is not available in this version; use dev on a loopback address',
    });
  }
  if (!loopback.test(host)) {
    const because = `dev authentication believes everyone, so it listens on 127.0.0.1 only, not on ${host}`;
    throw new Fault('CONFIG_INVALID', { because });
  }
  return (visitor) => believe(visitor, scope);
}

/**
 * Whoever is on this machine is who they say. A page from elsewhere in the same browser is not on this machine,
 * whatever name it gave to 127.0.0.1: so Host and Origin must be loopback too.
 */
function believe(visitor: Visitor, scope: Scope): Known {
  const { tenant = scope.tenant, project = scope.project, user = 'dev' } = visitor;
  const { host, origin, roles } = visitor;
  if (!isLocal(host && `http://${host}`) || !isLocal(origin)) {
    throw new Refusal('forbidden', 'dev authentication serves this machine only');
  }
  if (tenant !== scope.tenant || project !== scope.project) {
    throw new Refusal('forbidden', `no tenant "${tenant}" with a project "${project}" here`);
  }
  return { tenant, project, user, ...(roles && { roles }) };
}

function isLocal(url: string | undefined): boolean {
  if (url === undefined || url === '') return true;
  return URL.canParse(url) && loopback.test(new URL(url).hostname);
}
