import { isJsonObject, type Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { rolesMax, userCharsMax } from './limits.ts';
import type { ClaimNames } from './settings.ts';

/** What a token says of whoever presents it. */
export type TokenFacts = {
  readonly user: string;
  /** Those it is for; undefined: it does not say. */
  readonly tenants: readonly string[] | undefined;
  readonly projects: readonly string[] | undefined;
  readonly roles: readonly string[];
};

/** Refusals `unauthenticated`: nobody is named, or nobody whom we could name; `forbidden`: too many roles. */
export function toTokenFacts(payload: unknown, names: ClaimNames): TokenFacts {
  const roles = listOf(claimAt(payload, names.roles)) ?? [];
  if (roles.length > rolesMax) {
    throw new Refusal('forbidden', `the token gives more than ${rolesMax} roles`);
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
  const what = `its claim “${name}” has to be a text of 1 to ${userCharsMax} characters`;
  throw new Refusal('unauthenticated', `the token does not say whose it is: ${what}`);
}

/** The claim of that very name, which may have dots; else the one within others that the dots lead to. */
function claimAt(payload: unknown, name: string): Json | undefined {
  if (!isJsonObject(payload)) return undefined;
  if (Object.hasOwn(payload, name)) return payload[name];
  let found: Json | undefined = payload;
  for (const key of name.split('.')) {
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** A list, or a text whose words are one, as `scope` is. What is not said, or is something else, names nothing. */
function listOf(claim: Json | undefined): readonly string[] | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (typeof claim === 'string') return claim.split(/[\s,]+/).filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((each) => typeof each === 'string');
}
