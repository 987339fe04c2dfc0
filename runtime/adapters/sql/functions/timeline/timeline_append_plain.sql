-- timeline_append for most appends: without rules, searchable texts, ends of turns and rounds, and results. Postgres
-- prepares each expression of a function again in every transaction, so the few that these appends need have a function of
-- their own. Where it cannot write as it stands, timeline_append decides. p_has_blobs: a body names bytes outside the log.
create or replace function timeline_append_plain(
  p_conv bigint, p_fence bigint, p_op text, p_known_head bigint, p_missed_max int,
  p_type text[], p_turn text[], p_path text[], p_call text[], p_body text[], p_has_blobs bool
) returns table (status text, first_seq bigint, head bigint, reactive bigint, steer bigint, open_turn text,
                 cid text, at text, missed text)
language plpgsql as $f$
#variable_conflict use_column
declare
  log_at timestamptz;
begin
  update conversation v set
      head = v.head + cardinality(p_type), last_at = greatest(now(), v.last_at),
      last_op = p_op, last_first = v.head + 1, last_status = 'ok'
    where v.id = p_conv and v.fence = p_fence and v.lease_by is not null and v.erased_at is null and v.parked is null
      and v.last_op is distinct from p_op and v.head = coalesce(p_known_head, v.head)
    returning v.last_status, v.last_first, v.head, v.reactive, v.steer, v.open_turn, v.cid, v.last_at,
              to_char(v.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
              case when p_known_head is not null then '[]' end
    into status, first_seq, head, reactive, steer, open_turn, cid, log_at, at, missed;
  if not found then
    return query select * from timeline_append(p_conv, p_fence, p_op, p_type, p_turn, p_path, p_call, p_body, null, null,
                                               null, null, null, null, null, p_known_head, p_missed_max);
    return;
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select p_conv, first_seq - 1 + i, log_at, ty, tu, pa, ca, bo
      from unnest(p_type, p_turn, p_path, p_call, p_body) with ordinality as x (ty, tu, pa, ca, bo, i);
  if p_has_blobs then perform blocks_written(p_conv, first_seq, head); end if;
  return next;
end $f$;
