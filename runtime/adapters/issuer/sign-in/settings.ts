/** The client that the identity provider knows this installation as. */
export type SignInSettings = {
  /** The provider's address, which is also the `iss` of its tokens. */
  readonly issuer: string;
  /** What people call the provider. */
  readonly name: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** `id`: the ID token identifies the user; `access`: the access token, which must be a JSON Web Token for `audience`. */
  readonly token: 'id' | 'access';
  /** More parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
};

/** What a browser keeps while its user is at the provider. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type Grant = { readonly token: string; readonly refreshToken: string | undefined };
