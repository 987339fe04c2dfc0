import type { ConversationKey } from '../../../timeline/ids.ts';
import type { MemoryRange, Sender } from '../../../timeline/ports/store.ts';
import { toColumn } from '../../../timeline/ports/store-rules.ts';
import type { Param } from '../database/database.ts';
import { toScopeRow } from './search-rows.ts';

export type Query = (sql: string, params: readonly Param[]) => Promise<readonly unknown[]>;
export type Extensions = { readonly trigrams: boolean; readonly vectors: boolean };

/** The scope of a search, in the store's own ids. */
export type SearchScope = {
  /** Every snippet of the scope has one of these lexemes. */
  readonly lexemes: readonly string[];
  readonly scope: string;
  /** The conversation that the search is limited to: the store's key and the conversation's own id. */
  readonly conv: ConversationKey | null;
  readonly conversation: string | null;
  /** Filters as parameters $1 to $7 of the ranking statements. */
  readonly filters: readonly Param[];
};

const line = (column: string) =>
  `array(select l.${column}::text from timeline_lineage(c.id) l order by l.upto desc)`;
const placeOf = `select memory_scope($1, $2, $3)::text as scope, c.id as conv,
       ${line('conv')} as convs, ${line('upto')} as uptos
  from (values (1)) one left join conversation c
    on c.tenant = $1 and c.project = $2 and c.owner = $3 and c.cid = $4 and c.erased_at is null`;

/** SQL condition: the row is in the log of the conversation that the search is limited to. A fork's log includes its ancestors' blocks. */
export function inLineage(row: string): string {
  return `($6::bigint[] is null or (${row}.conv = any ($6::bigint[])
    and ${row}.seq <= ($7::bigint[])[array_position($6::bigint[], ${row}.conv)]))`;
}

/** Undefined if the conversation does not belong to the sender. */
export async function findSearchScope(
  run: Query,
  { tenant, project, user }: Sender,
  range: MemoryRange,
): Promise<SearchScope | undefined> {
  const { conversation, agent, targets, from = null, to = null, except = null } = range;
  const names = [tenant, project, user, toColumn(conversation ?? '')];
  const [row] = await run(placeOf, names);
  const { scope, conv, convs, uptos } = toScopeRow(row);
  if (conversation !== undefined && conv === null) return undefined;
  const byAgent = agent === undefined ? `@s${scope}` : `@a${scope}/${toColumn(agent)}`;
  const lexemes = conv === null ? [byAgent] : convs.map((each) => `@c${each}`);
  const named = [targets, from, to, except, agent === undefined ? null : toColumn(agent)];
  const filters = [...named, ...(conv === null ? [null, null] : [convs, uptos])];
  const narrowed = { conv, conversation: conversation ?? null };
  return { lexemes, scope, ...narrowed, filters };
}
