-- The write without a fence: finds or creates the conversation, repeats an earlier answer and chooses the turn, all under
-- the lock of the conversation's row. p_joining_type and p_joining_path: what an event is called if it joins an open turn
-- (null: the same). '$turn' in a path becomes the chosen turn. A column of drafts may be null if it is null in every draft.
-- p_count is unused; programs of revision 5 pass it.
create or replace function timeline_accept(
  p_tenant text, p_project text, p_owner text, p_cid text, p_message text, p_digest text,
  p_type text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[],
  p_event_types text, p_reactive bool, p_new_turn text, p_open_body text, p_expect_turn text, p_needs_turn bool,
  p_count int default null, p_joining_type text[] default null, p_joining_path text[] default null
) returns table (status text, conv bigint, cid text, turn text, seq bigint, opened bool, window_seq bigint)
language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype; a accepted%rowtype;
  t text; first bigint; opening int; log_at timestamptz; is_new bool := false;
  ordinal bigint := 0; scope bigint; agent text;
  n int := cardinality(p_type);
begin
  if exists (select from unnest(p_type || p_joining_type) x where x !~ p_event_types) then
    raise exception 'an unfenced write carries only events' using errcode = 'check_violation';
  end if;
  select * into c from conversation x
    where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  if not found and not p_needs_turn and p_expect_turn is null then
    insert into conversation (tenant, project, owner, cid, opened)
      values (p_tenant, p_project, p_owner, p_cid, n = 0) on conflict do nothing returning * into c;
    is_new := found;
    if not is_new then
      select * into c from conversation x
        where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
    end if;
  end if;

  status := 'queued';
  t := c.open_turn;
  if c.erased_at is not null or c.id is null and not p_needs_turn and p_expect_turn is null then status := 'gone';
  elsif p_needs_turn and t is null or p_expect_turn is not null and t is distinct from p_expect_turn then status := 'refused';
  elsif t is null and p_reactive then status := 'started'; t := p_new_turn;
  end if;
  opening := (status = 'started')::int;
  first := c.head + 1;
  seq := c.head + opening + n;
  if status in ('queued', 'started') then
    insert into accepted (tenant, project, owner, message, digest, conv, cid, turn, seq)
      values (p_tenant, p_project, p_owner, p_message, p_digest, c.id, p_cid, t, seq)
      on conflict do nothing;  -- a concurrent twin in another conversation waits here until we commit
    if not found then status := 'duplicate'; end if;
  end if;
  if status not in ('queued', 'started') then
    select * into a from accepted x
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    if found then
      if is_new then delete from conversation x where x.id = c.id; end if;
      return query select case when a.digest = p_digest then 'duplicate' else 'conflict' end, a.conv, a.cid, a.turn, a.seq,
        a.digest = p_digest and exists (select from block b where b.conv = a.conv and b.seq = a.seq - n and b.type = 'turn.open'),
        coalesce((select x.window_seq from conversation x where x.id = a.conv), 1);
    elsif status = 'refused' then
      return query select status, c.id, p_cid, t, coalesce(c.head, 0), false, coalesce(c.window_seq, 1);
    else
      return query select status, null::bigint, p_cid, null::text, 0::bigint, false, 1::bigint;
    end if;
    return;
  end if;

  log_at := greatest(clock_timestamp(), c.last_at);
  if c.open_turn is not null and (p_joining_type is not null or p_joining_path is not null) then
    p_type := array(select coalesce(j, ty) from unnest(p_type, p_joining_type) with ordinality x (ty, j, i) order by i);
    p_path := array(select coalesce(j, pa) from unnest(p_path, p_joining_path) with ordinality x (pa, j, i) order by i);
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select c.id, c.head + opening + i, log_at, case when i = 0 then 'turn.open' else p_type[i] end, coalesce(t, 'none'),
           replace(p_path[i], '$turn', coalesce(t, 'none')), p_call[i], case when i = 0 then p_open_body else p_body[i] end
      -- Not generate_series, whose expected number of rows makes Postgres plan this statement again in every call.
      from (select k - opening as i from unnest(array_fill(0, array[opening + n])) with ordinality x (zero, k)) x;
  if opening = 1 then
    if not is_new then
      ordinal := coalesce((select max(x.ordinal) from timeline_lineage(c.id) l
                             join turn x on x.conv = l.conv and x.seq <= l.upto), 0);
    end if;
    scope := memory_scope(p_tenant, p_project, p_owner);
    agent := memory_agent(p_open_body);
    insert into turn (conv, ordinal, turn, seq, at, scope, agent)
      values (c.id, ordinal + 1, t, first, log_at, scope, agent) on conflict do nothing;
  end if;
  if position('"sha256:' in array_to_string(p_body, '')) > 0 then perform blocks_written(c.id, first, seq); end if;
  if p_target is not null then
    insert into snippet (conv, seq, at, target, text, scope, turn, agent)
      select c.id, c.head + opening + i, log_at, ta, wo, scope, t, agent
        from unnest(p_target, p_words) with ordinality as x (ta, wo, i) where ta is not null;
  end if;
  update conversation v set
      head = seq, open_turn = t, last_at = log_at,
      reactive = case when p_reactive then seq else v.reactive end,
      steer    = case when 'external.steer' = any (p_type) then seq else v.steer end,
      due_at   = case when p_reactive then least(v.due_at, clock_timestamp()) else v.due_at end
    where v.id = c.id;
  conv := c.id; cid := p_cid; turn := t; opened := opening = 1; window_seq := c.window_seq;
  return next;
end $f$;
