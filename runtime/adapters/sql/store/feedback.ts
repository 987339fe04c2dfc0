import type { Block } from '../../../timeline/block.ts';
import { feedbackBlocksMax } from '../../../timeline/limits.ts';
import type {
  ConversationFeedback,
  FeedbackQuery,
  OwnerFilter,
} from '../../../timeline/ports/store.ts';
import { toColumn } from '../../../timeline/ports/store-rules.ts';
import { conversationColumns, toBlock, toConversation } from '../rows/rows.ts';
import { blockColumns, fromLineage } from '../rows/statements.ts';
import type { Query } from '../search/search-scope.ts';

/** Lists feedback on answers: first finds the conversations, then reads the feedback of each. */
export async function listFeedback(
  run: Query,
  { tenant, project, user }: OwnerFilter,
  query: FeedbackQuery,
): Promise<readonly ConversationFeedback[]> {
  const { conversation, from = null, to = null, before = null, limit } = query;
  const named = conversation === undefined ? null : toColumn(conversation);
  const owner = user === undefined ? null : toColumn(user);
  const found = await run(conversations, [tenant, project, owner, named, from, to, before, limit]);
  const rows = found.map(toConversation);
  const keys = rows.map(({ key }) => String(key));
  const blocks = (await run(words, [keys, named !== null, from, to])).map(toBlock);
  const of = new Map(rows.map(({ id }) => [id, [] as Block[]]));
  for (const block of blocks) of.get(block.conversation)?.push(block);
  return rows.map((row) => ({ row, blocks: of.get(row.id) ?? [] }));
}

const within = (row: string, from: string, to: string) =>
  `(${from}::timestamptz is null or ${row}.at >= ${from}) and (${to}::timestamptz is null or ${row}.at < ${to})`;

const conversations = `select ${conversationColumns} from conversation c
  where c.tenant = $1 and c.project = $2 and ($3::text is null or c.owner = $3) and c.erased_at is null
    and ($4::text is null or c.cid = $4) and ($7::bigint is null or c.id < $7)
    and ($4::text is not null or exists (
      select from block b where b.conv = c.id and b.type = 'feedback' and ${within('b', '$5', '$6')}))
  order by c.id desc limit $8`;

const words = `select ${blockColumns} ${fromLineage} cross join lateral (
    select * from block x where x.conv = l.conv and x.type = 'feedback' and x.seq <= l.upto and ${within('x', '$3', '$4')}
     order by x.seq desc limit ${feedbackBlocksMax}) b
  where c.id = any ($1::bigint[]) and ($2 or l.conv = c.id) order by c.id, b.seq`;
