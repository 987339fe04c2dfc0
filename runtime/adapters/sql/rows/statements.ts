import { backOffDoublingsMax, listSnippetsMax } from '../database/limits.ts';
import { conversationColumns } from './rows.ts';
import { isRecalledSnippet, wordBeginnings } from './snippet-columns.ts';

export const blockColumns = `c.cid as conversation, b.seq, iso_utc(b.at) as at, b.type, b.turn, b.path, b.call, b.body`;
/** Every conversation whose blocks are in the log of `$1`, up to the last shared block. */
export const fromLineage = `from conversation c cross join lateral timeline_lineage(c.id) l`;
const free = `erased_at is null and (lease_until is null or lease_until <= clock_timestamp())`;
/** Whether events are pending; events that a parked turn has already seen wait with it. */
const pending = `reactive > greatest(answered, parked)`;
const ms = (param: string) => `${param}::float8 * interval '1 millisecond'`;
const claim = (ttl: string) =>
  `fence = c.fence + 1, attempts = c.attempts + 1, lease_until = clock_timestamp() + ${ms(ttl)}`;
const claimed = `returning ${conversationColumns}, c.fence, c.attempts`;

/** Whether the open turn of a conversation waits for the decision of a person. */
const waits = `(c.open_turn is not null and exists (
    select from block b where b.conv = c.id and b.seq >= c.window_seq and b.turn = c.open_turn and b.type = 'approval.request'
       and not exists (select from block d where d.conv = b.conv and d.path in (
         replace(b.path, '.approval.request.', '.approval.decision.'), replace(b.path, '.approval.request.', '.approval.close.')))))`;
const listedWords = `(('''@s' || memory_scope($1, $2, $3) || '''')::tsquery && ${wordBeginnings('$5')})`;

export const statements = {
  accept: `select * from timeline_accept(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, null, $19, $20)`,
  append: `select * from timeline_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
    $16, $17)`,
  appendPlain: `select * from timeline_append_plain($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
  acquire: `update conversation c set ${claim('$3')}, lease_by = $2 where id = $1 and ${free} ${claimed}`,
  renew: `update conversation set lease_until = clock_timestamp() + ${ms('$3')}
    where id = $1 and fence = $2 and lease_by is not null returning head, reactive, steer`,
  // Rows that a writer has locked are left out: one slow writer must not delay the leases of others.
  renewAll: `with held as materialized (
      select c.id, l.ttl from unnest($1::bigint[], $2::bigint[], $3::float8[]) as l (id, fence, ttl)
        join conversation c on c.id = l.id and c.fence = l.fence and c.lease_by is not null for update of c skip locked)
    update conversation c set lease_until = clock_timestamp() + ${ms('held.ttl')} from held where c.id = held.id
    returning c.id as key, c.head, c.reactive, c.steer`,
  release: `update conversation set lease_by = null, lease_until = null,
      attempts = case when not ${pending} or parked is not null then 0 when $3 then greatest(attempts - 1, 0) else attempts end,
      due_at = case when $3 and ${pending} then least(due_at, clock_timestamp()) else due_at end
    where id = $1 and fence = $2 returning ${pending} as yes`,
  sweep: `with due as materialized (
      select id from conversation where due_at <= clock_timestamp() and ${free}
       order by due_at limit $2 for update skip locked)
    update conversation c set ${claim('$3')}, lease_by = $1,
      due_at = clock_timestamp() + ${ms('$3')} * power(2, least(c.attempts, ${backOffDoublingsMax}))
      from due where c.id = due.id ${claimed}`,
  journal: `select program_journal($1, $2, $3, $4, $5, $6, $7) as yes`,
  programCalls: `select body, outcome from program_call where conv = $1 and program = $2 order by n`,
  fork: `select * from timeline_fork($1, $2, $3, $4, $5, $6)`,
  erase: `select * from timeline_erase($1, $2, $3, $4)`,
  // Seqs have no gaps, so a page is a range of seqs, and each ancestor is queried only for its part of the range.
  read: `select ${blockColumns} ${fromLineage} cross join lateral (
      select * from block x where x.conv = l.conv and x.seq > greatest(l.after_seq, $2::bigint)
         and x.seq <= least(l.upto, $2::bigint + $3::bigint) order by x.seq limit $3) b
    where c.id = $1 and c.erased_at is null order by b.seq`,
  atPath: `select ${blockColumns} ${fromLineage} cross join lateral (
      select * from block x where x.conv = l.conv and x.path = $2 and x.seq <= l.upto order by x.seq desc limit 1) b
    where c.id = $1 and c.erased_at is null order by b.seq desc limit 1`,
  find: `select ${conversationColumns} from conversation c
    where tenant = $1 and project = $2 and cid = $3 and owner = $4 and erased_at is null`,
  findAny: `select ${conversationColumns} from conversation c
    where tenant = $1 and project = $2 and cid = $3 and erased_at is null order by c.opened desc, c.id limit 1`,
  heads: `select id as key, head from conversation where id = any ($1::bigint[]) and erased_at is null`,
  list: `with said as materialized (
      select s.conv from snippet s where $5::text is not null and s.words @@ ${listedWords}
        and not ${isRecalledSnippet('s')} limit ${listSnippetsMax})
    select ${conversationColumns}, ${waits} as waits from conversation c
    where tenant = $1 and project = $2 and owner = $3 and erased_at is null
      and ($5::text is null or strpos(lower(title), lower($5)) > 0 or cid = $5 or c.id in (select conv from said))
      and ($11::boolean is null or ${waits} = $11)
      and ($6::boolean is null or (open_turn is not null) = $6)
      and ($8::boolean is null or ($7::boolean and pinned, iso_utc(last_at), id) < ($7 and $8, $9::text, $10::bigint))
    order by $7 and pinned desc, iso_utc(last_at) desc, id desc limit $4`,
  setPinned: `update conversation set pinned = $2 where id = $1 and erased_at is null`,
  setTitle: `update conversation set title = $2 where id = $1 and erased_at is null`,
} as const;
