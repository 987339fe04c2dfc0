-- The fork itself, with the source locked by timeline_fork. A turn that is open at p_at stays open for the first owner of
-- the fork to close; events up to there count as answered.
create or replace function timeline_fork_held(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype; k conversation%rowtype;
  source bigint; window_from bigint; open_there text;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner;
  if not found or c.owner <> p_owner or c.erased_at is not null then
    return query select 'gone', null::bigint;
    return;
  elsif p_at not between 1 and c.head then
    return query select 'beyond', null::bigint;
    return;
  end if;
  select l.conv into source from timeline_lineage(c.id) l where l.after_seq < p_at and p_at <= l.upto;
  select w.window_seq into window_from
    from timeline_lineage(c.id) l join view_window w on w.conv = l.conv and w.seq <= least(l.upto, p_at)
   order by w.seq desc limit 1;
  select case b.type when 'turn.open' then b.turn end into open_there
    from timeline_lineage(c.id) l cross join lateral (
      select x.seq, x.type, x.turn from block x
       where x.conv = l.conv and x.seq <= least(l.upto, p_at) and x.type in ('turn.open', 'turn.close')
       order by x.seq desc limit 1) b
   order by b.seq desc limit 1;
  insert into conversation (tenant, project, owner, cid, title, last_at, parent, fork_seq, head, reactive, answered,
                            window_seq, open_turn, due_at)
    values (p_tenant, p_project, p_owner, p_new_cid, c.title, greatest(clock_timestamp(), c.last_at), source, p_at, p_at,
            p_at, p_at, coalesce(window_from, 1), open_there, case when open_there is not null then clock_timestamp() end)
    on conflict do nothing;
  select * into k from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_new_cid and x.owner = p_owner;
  if k.owner = p_owner and k.parent = source and k.fork_seq = p_at and k.erased_at is null then
    return query select 'forked', k.id;
  else
    return query select 'taken', null::bigint;
  end if;
end $f$;
