import type { MemoryRange, Sender } from '../../timeline/store.ts';
import { toColumn } from '../../timeline/stored.ts';
import type { Param } from './database.ts';
import { toPlace } from './search-rows.ts';

export type Query = (sql: string, params: readonly Param[]) => Promise<readonly unknown[]>;
export type Abilities = { readonly trigrams: boolean; readonly vectors: boolean };

/** Where a search looks, in the store's own names. */
export type Within = {
  /** Lexeme that every snippet of it has. */
  readonly lexeme: string;
  readonly scope: string;
  readonly conv: number | null;
  /** Filters as parameters $1 to $5 of the ranking statements. */
  readonly filters: readonly Param[];
};

const placeOf = `select memory_scope($1, $2, $3)::text as scope,
  (select id from conversation where tenant = $1 and project = $2 and cid = $4 and owner = $3 and erased_at is null) as conv`;

/** Undefined: a conversation that is not the sender's. */
export async function findWithin(
  run: Query,
  { tenant, project, user }: Sender,
  range: MemoryRange,
): Promise<Within | undefined> {
  const { conversation, agent, targets, from = null, to = null, except = null } = range;
  const names = [tenant, project, user, toColumn(conversation ?? '')];
  const [row] = await run(placeOf, names);
  const { scope, conv } = toPlace(row);
  if (conversation !== undefined && conv === null) return undefined;
  const byAgent = agent === undefined ? `@s${scope}` : `@a${scope}/${toColumn(agent)}`;
  const lexeme = conv === null ? byAgent : `@c${conv}`;
  const filters = [targets, from, to, except, agent === undefined ? null : toColumn(agent)];
  return { lexeme, scope, conv, filters };
}
