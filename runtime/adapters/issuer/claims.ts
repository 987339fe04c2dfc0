import { isJsonObject, type Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { rolesMax, userCharsMax } from './limits.ts';
import type { ClaimNames } from './settings.ts';

/** What a token says about its bearer. */
export type TokenFacts = {
  readonly user: string;
  /** Tenants the token is valid for; undefined if it names none. */
  readonly tenants: readonly string[] | undefined;
  readonly projects: readonly string[] | undefined;
  readonly roles: readonly string[];
};

/** Refusals `unauthenticated` if the user claim is missing or unusable, `forbidden` if there are too many roles. */
export function toTokenFacts(payload: unknown, names: ClaimNames): TokenFacts {
  const roles = listOf(claimAt(payload, names.roles)) ?? [];
  if (roles.length > rolesMax) {
    throw new Refusal('forbidden', `the token has more than ${rolesMax} roles`);
  }
  return {
    user: userOf(claimAt(payload, names.user), names.user),
    tenants: listOf(claimAt(payload, names.tenant)),
    projects: listOf(claimAt(payload, names.project)),
    roles,
  };
}

function userOf(claim: Json | undefined, name: string): string {
  const fits = typeof claim === 'string' && claim !== '' && claim.length <= userCharsMax;
  if (fits && claim.isWellFormed() && !/\p{Cc}/u.test(claim)) return claim;
  const what = `its claim “${name}” must be a string of 1 to ${userCharsMax} characters`;
  throw new Refusal('unauthenticated', `the token does not identify its user: ${what}`);
}

/** The claim of exactly this name, which may contain dots, or else the nested claim at this dotted path. */
function claimAt(payload: unknown, name: string): Json | undefined {
  if (!isJsonObject(payload)) return undefined;
  if (Object.hasOwn(payload, name)) return payload[name];
  let found: Json | undefined = payload;
  for (const key of name.split('.')) {
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** A list, or a string with separators such as `scope`. Undefined if the claim is missing; empty for any other type. */
function listOf(claim: Json | undefined): readonly string[] | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (typeof claim === 'string') return claim.split(/[\s,]+/).filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((each) => typeof each === 'string');
}
