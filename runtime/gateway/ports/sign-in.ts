/** What a browser keeps while its user is at the identity provider. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

/** What the provider gives. The token is verified like any other before it is used. */
export type Grant = { readonly token: string; readonly refreshToken: string | undefined };

type Wait = { readonly signal: AbortSignal };
type Return = Wait & {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
};

/**
 * Sign-in at an identity provider: the authorization code flow of OpenID Connect, with PKCE. Refusal `unauthenticated`:
 * the provider refused; Fault `ISSUER_UNREACHABLE`. Their messages say what to do.
 */
export interface SignIn {
  /** What people call the provider. */
  readonly name: string;
  begin(options: Return): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  finish(
    answer: URLSearchParams,
    options: Return & { readonly pending: PendingSignIn },
  ): Promise<Grant>;
  renew(refreshToken: string, options: Wait): Promise<Grant>;
  /** Where the provider ends its own session, and then sends the browser to `returnTo`; undefined: it cannot. */
  signOutUrl(
    options: Wait & { readonly returnTo: string; readonly token: string | undefined },
  ): Promise<string | undefined>;
}
