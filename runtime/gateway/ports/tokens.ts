/** What a token says. `untilMs`: wall time from which on it says nothing any more. */
export type TokenFacts = {
  readonly user: string;
  /** Those it is for; undefined: it does not say. */
  readonly tenants: readonly string[] | undefined;
  readonly projects: readonly string[] | undefined;
  readonly roles: readonly string[];
  readonly untilMs: number;
};

/** Reads what visitors present. Refusals `unauthenticated` and `forbidden`, Fault `ISSUER_UNREACHABLE`. */
export interface Tokens {
  read(token: string, options: { signal: AbortSignal }): Promise<TokenFacts>;
}

/** `dev`: whoever reaches the loopback is who they say they are. `jwt`: a signed token says who. */
export type AuthMode =
  | { readonly mode: 'dev'; readonly origins?: readonly string[] }
  | {
      readonly mode: 'jwt';
      readonly tokens: Tokens;
      /** Pages of other origins that are allowed, as browsers spell them. */
      readonly origins: readonly string[];
    };
