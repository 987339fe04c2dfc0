import type { SignIn } from './sign-in.ts';

/** The claims of a token. `untilMs`: the wall time when it expires. */
export type TokenFacts = {
  readonly user: string;
  /** The tenants it is valid for; undefined: not stated. */
  readonly tenants: readonly string[] | undefined;
  readonly projects: readonly string[] | undefined;
  readonly roles: readonly string[];
  /** The configured audiences that it names. */
  readonly audiences?: readonly string[];
  readonly untilMs: number;
};

/** Verifies tokens. Refusals `unauthenticated` and `forbidden`, Fault `ISSUER_UNREACHABLE`. */
export interface Tokens {
  read(token: string, options: { signal: AbortSignal }): Promise<TokenFacts>;
}

/** Where clients get tokens, by OAuth. */
export type AuthorizationServer = {
  readonly issuer: string;
  /** What clients ask for. Empty: it is up to them. */
  readonly scopes: readonly string[];
};

/** `dev`: clients on the loopback interface are who they claim to be. `jwt`: a signed token identifies the user. */
export type AuthMode =
  | { readonly mode: 'dev'; readonly origins?: readonly string[] }
  | {
      readonly mode: 'jwt';
      readonly tokens: Tokens;
      /** Allowed origins of other pages, as browsers spell them. */
      readonly origins: readonly string[];
      /** Absent: clients do not learn where to get a token. */
      readonly authorizationServer?: AuthorizationServer | undefined;
      /** Absent: people paste a token. */
      readonly signIn?: SignIn | undefined;
    };

export function authorizationServerOf(auth: AuthMode): AuthorizationServer | undefined {
  return auth.mode === 'jwt' ? auth.authorizationServer : undefined;
}
