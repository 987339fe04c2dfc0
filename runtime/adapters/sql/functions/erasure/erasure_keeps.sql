-- The last block that another conversation, not erased, shares with this one; 0 if there is none.
create or replace function erasure_keeps(p_conv bigint) returns bigint language sql stable as $f$
  with recursive line (id, seq, erased_at) as (
    select c.id, c.fork_seq, c.erased_at from conversation c where c.parent = p_conv
    union all
    select c.id, l.seq, c.erased_at from line l join conversation c on c.parent = l.id where l.erased_at is not null)
  select coalesce(max(seq) filter (where erased_at is null), 0) from line
$f$;
