-- Calls of a running program, written under the fence with a shared row lock. False: the program or the lease has ended.
create or replace function program_journal(
  p_conv bigint, p_fence bigint, p_program text, p_id text[], p_body text[], p_ended text[], p_outcome text[]
) returns boolean language plpgsql as $f$
begin
  perform from conversation c
    where c.id = p_conv and c.fence = p_fence and c.lease_by is not null and c.erased_at is null for share;
  if not found or exists (
    select from block b where b.conv = p_conv and b.call = p_program and b.type = 'react.tool.result'
  ) then
    return false;
  end if;
  update program_call p set outcome = x.outcome
    from unnest(p_ended, p_outcome) as x (id, outcome)
    where p.conv = p_conv and p.program = p_program and p.id = x.id;
  insert into program_call (conv, program, id, body)
    select p_conv, p_program, id, body
      from unnest(p_id, p_body) with ordinality as x (id, body, i) order by i
    on conflict do nothing;  -- the same words again, after a lost reply
  return true;
end $f$;
