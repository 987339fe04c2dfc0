-- The write without a fence: finds or creates the conversation, repeats an earlier answer and chooses the turn, all under
-- one lock. The drafts come in one form or in two: the first p_count open a turn, the rest join an open one.
-- '$turn' in a path becomes the chosen turn.
create or replace function timeline_accept(
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
