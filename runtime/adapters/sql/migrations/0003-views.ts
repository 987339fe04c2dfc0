/**
 * The two write functions again, with what the views need: a window that the owner sets and that is recorded per seq,
 * parked turns, and events whose form is chosen under the lock.
 */
export const timelineViews = `
alter table conversation add column parked bigint;  -- events up to here wait, with the turn, until due_at

create table view_window (               -- what window_seq was at every seq: from this block on, read from window_seq
  conv       bigint not null references conversation (id),
  seq        bigint not null,
  window_seq bigint not null,
  primary key (conv, seq)
);
insert into view_window (conv, seq, window_seq) select conv, seq, seq from block where type = 'view.compact';

drop function timeline_append;
drop function timeline_accept;

-- The owner's write. p_op: the same op again returns the first answer; one owner, so remembering the last is enough.
-- p_gate: how many leading blocks are written even if a reactive event is newer than p_as_of (null: all).
-- p_window: the first block a reader must fold from now on. p_due_in_ms: the turn is parked until then, or until
-- an event that is newer than p_as_of; any append that does not say so again takes it up.
create function timeline_append(
  p_conv bigint, p_fence bigint, p_op text,
  p_type text[], p_turn text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[],
  p_as_of bigint, p_gate int, p_expect_head bigint,
  p_window bigint default null, p_due_in_ms float8 default null
) returns table (status text, first_seq bigint, head bigint, reactive bigint, steer bigint, open_turn text)
language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype;
  n int := cardinality(p_type);
  st text := 'ok';
  now_at timestamptz := clock_timestamp();
  log_at timestamptz;
  closing text; opening text; marks int;
begin
  -- Serialises: every later statement sees what committed before.
  select * into c from conversation where id = p_conv for update;
  if not found or c.erased_at is not null then
    return query select 'gone', 0::bigint, 0::bigint, 0::bigint, 0::bigint, null::text;
    return;
  elsif c.fence <> p_fence or c.lease_by is null then st := 'fenced';
  elsif c.last_op = p_op then
    return query select c.last_status, c.last_first, c.head, c.reactive, c.steer, c.open_turn;
    return;
  elsif p_expect_head is not null and c.head <> p_expect_head then st := 'moved';
  elsif p_gate is not null and c.reactive > p_as_of then
    n := least(n, p_gate);
    st := case when p_gate = 0 then 'moved' else 'deferred' end;
  end if;
  if st in ('fenced', 'moved') then
    return query select st, 0::bigint, c.head, c.reactive, c.steer, c.open_turn;
    return;
  end if;

  log_at := greatest(now_at, c.last_at);  -- a clock that is set back does not reorder the log
  select max(tu) filter (where ty = 'turn.close'), max(tu) filter (where ty = 'turn.open'),
         count(*) filter (where ty in ('turn.open', 'turn.close'))
    into closing, opening, marks
    from unnest(p_type[1:n], p_turn[1:n]) as x (ty, tu);
  if marks > 1 or opening is not null and c.open_turn is not null
     or closing is not null and (p_as_of is null or closing is distinct from c.open_turn) then
    raise exception 'a turn opens and closes once, in its own name' using errcode = 'check_violation';
  end if;

  if st <> 'ok' then p_window := null; end if;  -- the block that declares it is held back
  if p_window is not null and (n = 0 or p_window not between 1 and c.head + n) then
    raise exception 'a window starts at a written block' using errcode = 'check_violation';
  end if;

  insert into block (conv, seq, at, type, turn, path, call, body)
    select p_conv, c.head + i, log_at, ty, tu, pa, ca, bo
      from unnest(p_type[1:n], p_turn[1:n], p_path[1:n], p_call[1:n], p_body[1:n])
           with ordinality as x (ty, tu, pa, ca, bo, i);
  insert into snippet (conv, seq, at, target, text)
    select p_conv, c.head + i, log_at, ta, wo
      from unnest(p_target[1:n], p_words[1:n]) with ordinality as x (ta, wo, i) where ta is not null;
  if p_window is not null then  -- valid from the block that declares it
    insert into view_window (conv, seq, window_seq) values
      (p_conv, c.head + coalesce(array_position(p_type[1:n], 'view.compact'), 1), p_window);
  end if;
  update conversation v set
      head = c.head + n, last_at = log_at, last_op = p_op, last_first = c.head + 1, last_status = st,
      open_turn  = case when closing is not null then null else coalesce(opening, v.open_turn) end,
      answered   = case when closing is not null then greatest(v.answered, p_as_of) else v.answered end,
      attempts   = case when closing is not null or 'round.close' = any (p_type[1:n]) then 0 else v.attempts end,
      window_seq = coalesce(p_window, v.window_seq),
      parked     = case when p_due_in_ms is not null and closing is null then p_as_of end,
      due_at     = case when closing is not null then case when v.reactive > p_as_of then now_at end
                        when p_due_in_ms is not null and v.reactive <= p_as_of
                        then now_at + p_due_in_ms * interval '1 millisecond'
                        when p_due_in_ms is not null or v.parked is not null then least(v.due_at, now_at)
                        when opening is not null then coalesce(v.due_at, now_at)
                        else v.due_at end
    where v.id = p_conv
    returning v.head, v.open_turn into c.head, c.open_turn;
  return query select st, c.head - n + 1, c.head, c.reactive, c.steer, c.open_turn;
end $f$;

-- The world's write: finds or makes the conversation, repeats its answer, chooses the turn, all under one lock.
-- The drafts come in one form or in two: the first p_count open a turn, the rest are the same joining an open one.
-- '$turn' in a path becomes the chosen turn, so the turn that the sender is told is true.
create function timeline_accept(
  p_tenant text, p_project text, p_owner text, p_cid text, p_message text, p_digest text,
  p_type text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[],
  p_event_types text, p_reactive bool, p_new_turn text, p_open_body text, p_expect_turn text, p_needs_turn bool,
  p_count int default null
) returns table (status text, conv bigint, cid text, turn text, seq bigint)
language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype; a accepted%rowtype;
  st text := 'queued'; t text; base bigint; n int := coalesce(p_count, cardinality(p_type));
  lo int := 1; hi int; now_at timestamptz; log_at timestamptz;
begin
  if exists (select from unnest(p_type) x where x !~ p_event_types) then
    raise exception 'an unfenced write carries only events' using errcode = 'check_violation';
  end if;
  insert into accepted (tenant, project, owner, message, digest)
    values (p_tenant, p_project, p_owner, p_message, p_digest)
    on conflict do nothing;  -- a concurrent twin waits here until we commit
  if not found then
    select * into a from accepted x
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    return query select case when a.digest = p_digest then 'duplicate' else 'conflict' end, a.conv, a.cid, a.turn, a.seq;
    return;
  end if;

  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid for update;
  if not found and not p_needs_turn and p_expect_turn is null then
    insert into conversation (tenant, project, owner, cid) values (p_tenant, p_project, p_owner, p_cid)
      on conflict do nothing;
    select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid for update;
  end if;
  t := c.open_turn;
  if c.owner <> p_owner or c.erased_at is not null then st := 'gone';
  elsif p_needs_turn and t is null or p_expect_turn is not null and t is distinct from p_expect_turn then st := 'refused';
  end if;
  if st <> 'queued' then
    delete from accepted x  -- nothing was accepted, so the message may come again
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    return query select st, case when st = 'refused' then c.id end, p_cid,
                        case when st = 'refused' then t end, case when st = 'refused' then coalesce(c.head, 0) else 0 end;
    return;
  end if;

  base := c.head;
  now_at := clock_timestamp();
  log_at := greatest(now_at, c.last_at);
  if t is not null and n < cardinality(p_type) then lo := n + 1; end if;
  hi := lo + n - 1;
  if t is null and p_reactive then
    t := p_new_turn; st := 'started'; base := base + 1;
    insert into block (conv, seq, at, type, turn, body) values (c.id, base, log_at, 'turn.open', t, p_open_body);
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select c.id, base + i, log_at, ty, coalesce(t, 'none'), replace(pa, '$turn', coalesce(t, 'none')), ca, bo
      from unnest(p_type[lo:hi], p_path[lo:hi], p_call[lo:hi], p_body[lo:hi]) with ordinality as x (ty, pa, ca, bo, i);
  insert into snippet (conv, seq, at, target, text)
    select c.id, base + i, log_at, ta, wo
      from unnest(p_target[lo:hi], p_words[lo:hi]) with ordinality as x (ta, wo, i) where ta is not null;
  update conversation v set
      head = base + n, open_turn = t, last_at = log_at,
      reactive = case when p_reactive then base + n else v.reactive end,
      steer    = case when 'external.steer' = any (p_type[lo:hi]) then base + n else v.steer end,
      due_at   = case when p_reactive then least(v.due_at, now_at) else v.due_at end
    where v.id = c.id;
  update accepted x set conv = c.id, cid = p_cid, turn = t, seq = base + n
    where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
  return query select st, c.id, p_cid, t, base + n;
end $f$;
`;
