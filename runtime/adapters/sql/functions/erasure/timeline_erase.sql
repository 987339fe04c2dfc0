-- When it returns, no reader and no writer finds the conversation; it may be repeated. Of an accepted message only the
-- name is kept, so that a late repetition is not accepted again.
create or replace function timeline_erase(p_tenant text, p_project text, p_owner text, p_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
#variable_conflict use_column
declare c conversation%rowtype;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  if not found or c.owner <> p_owner then
    return query select 'gone', null::bigint;
    return;
  end if;
  if c.erased_at is null then
    update conversation v set erased_at = clock_timestamp(), fence = c.fence + 1, lease_by = null, lease_until = null,
        due_at = null, open_turn = null, parked = null, title = null
      where v.id = c.id;
    update accepted a set conv = null, digest = '', turn = null, seq = 0 where a.conv = c.id;
    insert into erasure (conv)
      with recursive line (id, parent) as (
        select c.id, c.parent
        union all
        select p.id, p.parent from line l join conversation p on p.id = l.parent where p.erased_at is not null)
      select id from line order by id
      on conflict on constraint erasure_pkey do update set asked = erasure.asked + 1, due_at = clock_timestamp();
  end if;
  return query select 'erased', c.id;
end $f$;
