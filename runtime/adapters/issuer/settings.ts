import type { JSONWebKeySet } from 'jose';

/** The trusted issuer, and the meaning of its claims. */
export type IssuerSettings = {
  /** Required value of `iss`. */
  readonly issuer: string;
  /** `aud` must contain one of them. */
  readonly audience: readonly string[];
  readonly keys: KeySource;
  readonly claims: ClaimNames;
};

/** `issuer`: keys from its discovery document. `secret`: shared with the issuer; anyone who knows it can impersonate any user. */
export type KeySource =
  | { readonly from: 'issuer' }
  | { readonly from: 'address'; readonly url: string }
  | { readonly from: 'file'; readonly keys: JSONWebKeySet }
  | { readonly from: 'secret'; readonly secret: string };

/** Names of claims; dots lead to nested claims. */
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
