/**
 * A conversation's id is unique per user: one user's ids neither block nor reveal those of another user. Values that
 * bundles store for a conversation move into the space of its user with it.
 */
export const conversationNames = `
alter table conversation
  drop constraint conversation_tenant_project_cid_key,
  add unique (tenant, project, cid, owner),
  add column opened bool not null default false;  -- by a bundle, which chose the id
update conversation c set opened = true from accepted a
 where a.conv = c.id and a.digest = 'open' and a.message = 'open_' || c.cid;

-- The functions that find a conversation by its id look among those of the user; nothing else of them changes.
do $d$
declare f record; changed text;
begin
  for f in select p.proname, pg_get_functiondef(p.oid) as text from pg_proc p
            where p.pronamespace = current_schema()::regnamespace
              and p.proname in ('timeline_accept', 'timeline_fork', 'timeline_fork_held', 'timeline_erase') loop
    changed := regexp_replace(f.text, 'x\\.cid = (p_cid|p_new_cid)', '\\& and x.owner = p_owner', 'g');
    if changed = f.text then raise exception '% does not look for an id', f.proname; end if;
    execute replace(changed,
      'insert into conversation (tenant, project, owner, cid) values (p_tenant, p_project, p_owner, p_cid)',
      'insert into conversation (tenant, project, owner, cid, opened) values (p_tenant, p_project, p_owner, p_cid, n = 0)');
  end loop;
end $d$;

-- As encodeURIComponent writes it.
create function uri_component(p_text text) returns text language sql immutable as $f$
  select coalesce(string_agg(case when x.c ~ '[A-Za-z0-9_.!~*''()-]' then x.c
    else regexp_replace(upper(encode(convert_to(x.c, 'UTF8'), 'hex')), '(..)', '%\\1', 'g') end, '' order by x.n), '')
    from regexp_split_to_table(p_text, '') with ordinality as x (c, n)
$f$;
drop index stored_value_conversation;
update stored_value v set space = v.space || '/' || uri_component(c.owner),
    place = storage_place(v.space || '/' || uri_component(c.owner))
  from conversation c
 where starts_with(v.space, 'conversation/') and c.tenant = split_part(v.space, '/', 2)
   and c.project = split_part(v.space, '/', 3) and c.cid = split_part(v.space, '/', 5);
create index stored_value_conversation on stored_value
  (split_part(space, '/', 5), split_part(space, '/', 6), split_part(space, '/', 2), split_part(space, '/', 3))
  where starts_with(space, 'conversation/');

create or replace function storage_set(
  p_space text, p_key text, p_value text, p_ttl_ms float8, p_keys_max int, p_removed_max int
) returns boolean language plpgsql as $f$
begin
  if starts_with(p_space, 'conversation/') and exists (
    select from conversation c where c.tenant = split_part(p_space, '/', 2) and c.project = split_part(p_space, '/', 3)
       and c.cid = split_part(p_space, '/', 5)
       and uri_component(c.owner) = split_part(p_space, '/', 6) and c.erased_at is not null
  ) then
    return true;
  end if;
  return storage_set_living(p_space, p_key, p_value, p_ttl_ms, p_keys_max, p_removed_max);
end $f$;
`;
