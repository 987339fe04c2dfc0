-- The write of the owner. An append with the same p_op again gets the first answer; there is one owner, so only the last
-- p_op is kept. p_gate: how many leading blocks are written even if a reactive event is newer than p_as_of (null: all).
-- p_window: the first block that a reader must fold from now on. p_due_in_ms: the turn is parked until then, or until an
-- event that is newer than p_as_of; an append without it ends the parking.
create or replace function timeline_append(
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
