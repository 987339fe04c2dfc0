-- The write of the owner. An append with the same p_op again gets the first answer; there is one owner, so only the last
-- p_op is kept. p_gate: how many leading blocks are written even if a reactive event is newer than p_as_of (null: all).
-- p_window: the first block that a reader must fold from now on. p_due_in_ms: the turn is parked until then, or until an
-- event that is newer than p_as_of; an append without it ends the parking. p_known_head: the last block that the owner has;
-- missed then has the later blocks of other writers, if there are at most p_missed_max (null: read them). A column of
-- drafts may be null if it is null in every draft.
-- Few statements and expressions: Postgres prepares each of them again in every transaction.
create or replace function timeline_append(
  p_conv bigint, p_fence bigint, p_op text,
  p_type text[], p_turn text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[],
  p_as_of bigint, p_gate int, p_expect_head bigint,
  p_window bigint default null, p_due_in_ms float8 default null,
  p_known_head bigint default null, p_missed_max int default 0
) returns table (status text, first_seq bigint, head bigint, reactive bigint, steer bigint, open_turn text,
                 cid text, at text, missed text)
language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype;
  log_at timestamptz;
  closing text; opening text; is_legal bool; is_deferred bool;
begin
  loop
    if p_type && '{turn.open,turn.close}' then
      closing := p_turn[array_position(p_type, 'turn.close')];
      opening := p_turn[array_position(p_type, 'turn.open')];
      is_legal := cardinality(array_positions(p_type, 'turn.close')) + cardinality(array_positions(p_type, 'turn.open')) = 1
                  and (closing is null or p_as_of is not null);
    end if;
    -- Locks the row, checks everything and moves the head in one statement: a concurrent writer waits here, and the one
    -- that waited sees the row as it was committed.
    update conversation v set
        head = v.head + cardinality(p_type),
        last_at = greatest(now(), v.last_at),  -- a clock that is set back does not reorder the log
        last_op = p_op, last_first = v.head + 1, last_status = case when is_deferred then 'deferred' else 'ok' end,
        open_turn  = case when closing is not null then null else coalesce(opening, v.open_turn) end,
        answered   = case when closing is not null then greatest(v.answered, p_as_of) else v.answered end,
        attempts   = case when closing is not null or 'round.close' = any (p_type) then 0 else v.attempts end,
        window_seq = coalesce(p_window, v.window_seq),
        parked     = case when p_due_in_ms is not null and closing is null then p_as_of end,
        due_at     = case when closing is not null then case when v.reactive > p_as_of then now() end
                          when p_due_in_ms is not null and v.reactive <= p_as_of
                          then now() + p_due_in_ms * interval '1 millisecond'
                          when p_due_in_ms is not null or v.parked is not null then least(v.due_at, now())
                          -- Progress ends the back-off of the sweep.
                          when 'round.close' = any (p_type) then least(v.due_at, now())
                          when opening is not null then coalesce(v.due_at, now())
                          else v.due_at end
      where v.id = p_conv and v.fence = p_fence and v.lease_by is not null and v.erased_at is null
        and v.last_op is distinct from p_op and v.head = coalesce(p_expect_head, v.head)
        and (p_gate is null or v.reactive <= p_as_of)
        and (is_legal is null or is_legal and (opening is null or v.open_turn is null) and (closing is null or v.open_turn = closing))
        and (p_window is null or cardinality(p_type) > 0 and p_window between 1 and v.head + cardinality(p_type))
      returning v.last_status, v.last_first, v.head, v.reactive, v.steer, v.open_turn, v.cid, v.last_at,
                to_char(v.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                case when p_known_head = v.last_first - 1 then '[]' end
      into status, first_seq, head, reactive, steer, open_turn, cid, log_at, at, missed;
    exit when found;

    -- Not as it stands. None of these reasons goes away, so a second look finds the same.
    select * into c from conversation where id = p_conv for update;
    if not found or c.erased_at is not null then
      return query select 'gone', 0::bigint, 0::bigint, 0::bigint, 0::bigint, null::text, null::text, null::text, null::text;
      return;
    elsif c.fence <> p_fence or c.lease_by is null then status := 'fenced';
    elsif c.last_op = p_op then status := c.last_status;
    elsif c.head <> p_expect_head or p_gate = 0 and c.reactive > p_as_of then status := 'moved';
    elsif p_gate is not null and c.reactive > p_as_of then
      is_deferred := true;
      p_type := p_type[:p_gate]; p_target := p_target[:p_gate];
      p_window := null;  -- the block that declares it is held back
      p_gate := null; closing := null; opening := null; is_legal := null;
      continue;
    elsif not (is_legal and (opening is null or c.open_turn is null) and (closing is null or c.open_turn = closing)) then
      raise exception 'a turn opens and closes once, in its own name' using errcode = 'check_violation';
    else
      raise exception 'a window starts at a written block' using errcode = 'check_violation';
    end if;
    first_seq := case when status in ('fenced', 'moved') then 0 else c.last_first end;
    head := c.head; reactive := c.reactive; steer := c.steer; open_turn := c.open_turn; cid := c.cid;
    if status = 'moved' then
      missed := timeline_missed(p_conv, p_known_head, c.head, p_missed_max);
    end if;
    return next;
    return;
  end loop;

  insert into block (conv, seq, at, type, turn, path, call, body)
    select p_conv, first_seq - 1 + i, log_at, ty, tu, pa, ca, bo
      from unnest(p_type, p_turn, p_path, p_call, p_body) with ordinality as x (ty, tu, pa, ca, bo, i)
     where i <= cardinality(p_type);
  if p_target is not null or p_window is not null or p_type && '{turn.open,react.tool.result}'
     or position('"sha256:' in array_to_string(p_body, '')) > 0 then
    perform blocks_written(p_conv, first_seq, head);
    if p_target is not null then
      insert into snippet (conv, seq, at, target, text)
        select p_conv, first_seq - 1 + i, log_at, ta, wo
          from unnest(p_target, p_words) with ordinality as x (ta, wo, i) where ta is not null;
    end if;
    if p_window is not null then  -- valid from the block that declares it
      insert into view_window (conv, seq, window_seq) values
        (p_conv, first_seq - 1 + coalesce(array_position(p_type, 'view.compact'), 1), p_window);
    end if;
  end if;
  if missed is null and p_known_head is not null then
    missed := timeline_missed(p_conv, p_known_head, first_seq - 1, p_missed_max);
  end if;
  return next;
end $f$;
