-- The write without a fence: finds or creates the conversation, repeats an earlier answer and chooses the turn, all under
-- one lock. p_joining_type and p_joining_path: what an event is called if it joins an open turn (null: the same).
-- '$turn' in a path becomes the chosen turn. A column of drafts may be null if it is null in every draft. p_count is for
-- programs of revision 2: the first p_count drafts open a turn, the rest are the same ones for an open turn.
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
  st text := 'queued'; t text; base bigint; n int := coalesce(p_count, cardinality(p_type));
  now_at timestamptz; log_at timestamptz;
begin
  if cardinality(p_type) > n then
    p_joining_type := p_type[n + 1:]; p_joining_path := p_path[n + 1:];
    p_type := p_type[:n];
  end if;
  if exists (select from unnest(p_type || p_joining_type) x where x !~ p_event_types) then
    raise exception 'an unfenced write carries only events' using errcode = 'check_violation';
  end if;
  insert into accepted (tenant, project, owner, message, digest)
    values (p_tenant, p_project, p_owner, p_message, p_digest)
    on conflict do nothing;  -- a concurrent twin waits here until we commit
  if not found then
    select * into a from accepted x
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    return query select case when a.digest = p_digest then 'duplicate' else 'conflict' end, a.conv, a.cid, a.turn, a.seq,
      a.digest = p_digest and exists (select from block b where b.conv = a.conv and b.seq = a.seq - n and b.type = 'turn.open'),
      coalesce((select x.window_seq from conversation x where x.id = a.conv), 1);
    return;
  end if;

  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  if not found and not p_needs_turn and p_expect_turn is null then
    insert into conversation (tenant, project, owner, cid, opened) values (p_tenant, p_project, p_owner, p_cid, n = 0)
      on conflict do nothing;
    select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  end if;
  t := c.open_turn;
  if c.owner <> p_owner or c.erased_at is not null then st := 'gone';
  elsif p_needs_turn and t is null or p_expect_turn is not null and t is distinct from p_expect_turn then st := 'refused';
  end if;
  if st <> 'queued' then
    delete from accepted x  -- nothing was accepted, so the message may come again
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    return query select st, case when st = 'refused' then c.id end, p_cid,
                        case when st = 'refused' then t end, case when st = 'refused' then coalesce(c.head, 0) else 0 end,
                        false, case when st = 'refused' then coalesce(c.window_seq, 1) else 1 end;
    return;
  end if;

  base := c.head;
  now_at := clock_timestamp();
  log_at := greatest(now_at, c.last_at);
  if t is not null then
    p_type := array(select coalesce(j, ty) from unnest(p_type, p_joining_type) with ordinality x (ty, j, i) order by i);
    p_path := array(select coalesce(j, pa) from unnest(p_path, p_joining_path) with ordinality x (pa, j, i) order by i);
  elsif p_reactive then
    t := p_new_turn; st := 'started'; base := base + 1;
    insert into block (conv, seq, at, type, turn, body) values (c.id, base, log_at, 'turn.open', t, p_open_body);
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select c.id, base + i, log_at, p_type[i], coalesce(t, 'none'), replace(p_path[i], '$turn', coalesce(t, 'none')),
           p_call[i], p_body[i]
      from generate_series(1, n) i;
  if st = 'started' or position('"sha256:' in array_to_string(p_body[:n], '')) > 0 then
    perform blocks_written(c.id, c.head + 1, base + n);
  end if;
  if p_target is not null then
    insert into snippet (conv, seq, at, target, text)
      select c.id, base + i, log_at, ta, wo
        from unnest(p_target[:n], p_words[:n]) with ordinality as x (ta, wo, i) where ta is not null;
  end if;
  update conversation v set
      head = base + n, open_turn = t, last_at = log_at,
      reactive = case when p_reactive then base + n else v.reactive end,
      steer    = case when 'external.steer' = any (p_type) then base + n else v.steer end,
      due_at   = case when p_reactive then least(v.due_at, now_at) else v.due_at end
    where v.id = c.id;
  update accepted x set conv = c.id, cid = p_cid, turn = t, seq = base + n
    where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
  return query select st, c.id, p_cid, t, base + n, st = 'started', c.window_seq;
end $f$;
