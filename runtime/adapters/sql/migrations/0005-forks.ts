/**
 * Forks: a conversation that continues from a block of another one. Nothing is copied: its log is the blocks of its
 * ancestors up to the fork, followed by its own.
 */
export const timelineForks = `
alter table conversation
  add column parent   bigint references conversation (id),  -- who wrote the block at fork_seq
  add column fork_seq bigint not null default 0;            -- blocks up to here are the parent's; 0: no fork
create index conversation_parent on conversation (parent) where parent is not null;
create index block_turns on block (conv, seq) where type in ('turn.open', 'turn.close');

-- Whose blocks make up the log of a conversation: of each, those after after_seq and up to upto. In plpgsql, because
-- its plan is kept and it is not inlined: most conversations have one row here, which a planner would not guess.
create function timeline_lineage(p_conv bigint) returns table (conv bigint, after_seq bigint, upto bigint)
language plpgsql stable strict rows 2 as $f$
declare ancestor bigint;
begin
  upto := 9223372036854775807;
  loop
    select c.id, c.fork_seq, c.parent into conv, after_seq, ancestor from conversation c where c.id = p_conv;
    exit when not found;
    return next;
    exit when ancestor is null;
    p_conv := ancestor; upto := after_seq;
  end loop;
end $f$;

-- Goes on from the block at p_at under a new name; the same fork again gets the first answer. The turn that is open
-- there stays open for the fork's first owner to close; nothing that was said up to there is left to answer.
create function timeline_fork(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c conversation%rowtype; k conversation%rowtype;
  source bigint; window_from bigint; open_there text;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid;
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
  select * into k from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_new_cid;
  if k.owner = p_owner and k.parent = source and k.fork_seq = p_at and k.erased_at is null then
    return query select 'forked', k.id;
  else
    return query select 'taken', null::bigint;
  end if;
end $f$;

-- A call has one result, whoever of the line wrote it; block_one_result holds this for the conversation's own.
create function result_inherited() returns trigger language plpgsql as $f$
begin
  if exists (select from timeline_lineage(new.conv) l
               join block b on b.conv = l.conv and b.call = new.call and b.type = 'react.tool.result' and b.seq <= l.upto
              where l.conv <> new.conv) then
    raise exception 'a call has one result' using errcode = 'unique_violation';
  end if;
  return null;
end $f$;
create trigger result_inherited after insert on block for each row
  when (new.type = 'react.tool.result' and new.call is not null) execute function result_inherited();
`;
