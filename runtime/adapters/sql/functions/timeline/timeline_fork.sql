-- Creates a conversation that continues from the block at p_at; the same fork again gets the first answer. The source is
-- locked until the fork exists: its erasure, and the removal of what is shared, wait.
create or replace function timeline_fork(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
begin
  perform from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for share;
  return query select * from timeline_fork_held(p_tenant, p_project, p_owner, p_cid, p_at, p_new_cid);
end $f$;
