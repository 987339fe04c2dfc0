import type { JSONWebKeySet } from 'jose';

/** Whose tokens are believed, and what they say. */
export type IssuerSettings = {
  /** As `iss` of every token spells it. */
  readonly issuer: string;
  /** One of them stands in `aud` of every token. */
  readonly audience: readonly string[];
  readonly keys: KeySource;
  readonly claims: ClaimNames;
};

/** `issuer`: where its discovery document says. A secret is shared with the issuer: whoever knows it can be anybody. */
export type KeySource =
  | { readonly from: 'issuer' }
  | { readonly from: 'address'; readonly url: string }
  | { readonly from: 'file'; readonly keys: JSONWebKeySet }
  | { readonly from: 'secret'; readonly secret: string };

/** Names of claims; with dots, the way to one within others. */
export type ClaimNames = {
  readonly user: string;
  readonly tenant: string;
  readonly project: string;
  readonly roles: string;
};

export const defaultClaims: ClaimNames = {
  user: 'sub',
  tenant: 'tenant',
  project: 'project',
  roles: 'roles',
};
