/**
 * Erasure of a conversation. One write hides it from all readers and enters it into an outbox; workers then remove its
 * data step by step. Its row stays, so that its name is never reused.
 */
export const erasure = `
create table blob_use (                  -- the bytes outside the log that a conversation names, and the first block that does
  conv bigint not null references conversation (id),
  hash text not null,
  seq  bigint not null,
  primary key (conv, hash)
);
create index blob_use_hash on blob_use (hash);

-- A hash is a whole JSON text of the body: within another text its quotes would be escaped.
create function blobs_in(p_body text) returns setof text language sql immutable as $f$
  select distinct x.found[1] from regexp_matches(p_body, '"(sha256:[0-9a-f]{64})"', 'g') as x (found)
$f$;
create function blob_used() returns trigger language plpgsql as $f$
begin
  insert into blob_use (conv, hash, seq) select new.conv, hash, new.seq from blobs_in(new.body) hash on conflict do nothing;
  return null;
end $f$;
create trigger blob_used after insert on block for each row
  when (position('"sha256:' in new.body) > 0) execute function blob_used();
insert into blob_use (conv, hash, seq)
  select b.conv, hash, min(b.seq) from block b cross join lateral blobs_in(b.body) hash
   where position('"sha256:' in b.body) > 0 group by b.conv, hash;

create table erasure (                   -- erased conversations of which something is left
  conv   bigint primary key references conversation (id),
  asked  int not null default 1,         -- again for an ancestor, each time somebody who shares its blocks is erased
  due_at timestamptz not null default clock_timestamp()
);
create index erasure_due on erasure (due_at);
create table blob_removal (              -- bytes that an erased conversation named
  tenant text not null,
  hash   text not null,
  due_at timestamptz not null default clock_timestamp(),
  primary key (tenant, hash)
);
create index blob_removal_due on blob_removal (due_at);
create index accepted_conv on accepted (conv);
create index stored_value_conversation on stored_value
  (split_part(space, '/', 5), split_part(space, '/', 2), split_part(space, '/', 3)) where starts_with(space, 'conversation/');

-- Gone for every reader and writer when it returns; the same answer however often. What was accepted is no longer known
-- but by its name: a late repetition must not say it again.
create function timeline_erase(p_tenant text, p_project text, p_owner text, p_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
#variable_conflict use_column
declare c conversation%rowtype;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid for update;
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

-- The last block that a living conversation shares with this one; 0: none does.
create function erasure_keeps(p_conv bigint) returns bigint language sql stable as $f$
  with recursive line (id, seq, erased_at) as (
    select c.id, c.fork_seq, c.erased_at from conversation c where c.parent = p_conv
    union all
    select c.id, l.seq, c.erased_at from line l join conversation c on c.parent = l.id where l.erased_at is not null)
  select coalesce(max(seq) filter (where erased_at is null), 0) from line
$f$;

-- Some of what is left of an erased conversation, newest first; true: there may be more. The bytes it named are removed
-- later, where nobody else names them.
create function erasure_remove(p_conv bigint, p_snippets int, p_blocks int) returns boolean language plpgsql as $f$
#variable_conflict use_column
declare c conversation%rowtype; keeps bigint; n int;
begin
  select * into c from conversation x where x.id = p_conv and x.erased_at is not null;
  if not found then return false; end if;
  keeps := erasure_keeps(p_conv);
  delete from program_call where conv = p_conv;
  delete from view_window where conv = p_conv and seq > keeps;
  with dropped as (delete from blob_use where conv = p_conv and seq > keeps returning hash)
    insert into blob_removal (tenant, hash) select c.tenant, hash from dropped order by hash
    on conflict on constraint blob_removal_pkey do update set due_at = clock_timestamp();
  delete from snippet s using (
      select conv, seq from snippet where conv = p_conv and seq > keeps order by seq desc limit p_snippets) x
    where s.conv = x.conv and s.seq = x.seq;
  get diagnostics n = row_count;
  if n = p_snippets then return true; end if;
  delete from block b using (
      select conv, seq from block where conv = p_conv and seq > keeps order by seq desc limit p_blocks) x
    where b.conv = x.conv and b.seq = x.seq;
  get diagnostics n = row_count;
  return n = p_blocks;
end $f$;

-- Whoever is forked is held until the fork is there: its erasure, and with it the removal of what is shared, waits.
alter function timeline_fork(text, text, text, text, bigint, text) rename to timeline_fork_held;
create function timeline_fork(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
returns table (status text, conv bigint) language plpgsql as $f$
begin
  perform from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid for share;
  return query select * from timeline_fork_held(p_tenant, p_project, p_owner, p_cid, p_at, p_new_cid);
end $f$;

-- What somebody keeps for a conversation that is erased is dropped: nobody could ever read it.
alter function storage_set(text, text, text, float8, int, int) rename to storage_set_living;
create function storage_set(
  p_space text, p_key text, p_value text, p_ttl_ms float8, p_keys_max int, p_removed_max int
) returns boolean language plpgsql as $f$
begin
  if starts_with(p_space, 'conversation/') and exists (
    select from conversation c where c.tenant = split_part(p_space, '/', 2) and c.project = split_part(p_space, '/', 3)
       and c.cid = split_part(p_space, '/', 5) and c.erased_at is not null
  ) then
    return true;
  end if;
  return storage_set_living(p_space, p_key, p_value, p_ttl_ms, p_keys_max, p_removed_max);
end $f$;
`;
