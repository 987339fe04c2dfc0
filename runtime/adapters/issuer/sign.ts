import { SignJWT } from 'jose';
import type { IssuerSettings } from './settings.ts';

export type TokenRequest = {
  readonly secret: string;
  readonly user: string;
  readonly roles: readonly string[];
  /** Where it is valid; undefined: in the installation's own tenant and project. */
  readonly tenant?: string | undefined;
  readonly project?: string | undefined;
  /** From now, in seconds. */
  readonly lifetimeSeconds: number;
};

/** Signs a JSON Web Token (HS256) that this installation accepts. `settings` must use a shared secret. */
export async function signToken(
  { issuer, audience, claims }: IssuerSettings,
  { secret, user, roles, tenant, project, lifetimeSeconds }: TokenRequest,
): Promise<string> {
  const payload = {
    [claims.user]: user,
    ...(tenant !== undefined && { [claims.tenant]: tenant }),
    ...(project !== undefined && { [claims.project]: project }),
    ...(roles.length > 0 && { [claims.roles]: roles }),
  };
  return await new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience([...audience])
    .setIssuedAt()
    .setExpirationTime(`${lifetimeSeconds} s`)
    .sign(new TextEncoder().encode(secret));
}
