/**
 * Calls of running programs: the intent before the effect, the outcome when it is known. Written by the owner of the
 * log under the same fence, with a shared row lock, so that the owner cannot change in between. Removed with the
 * program's result.
 */
export const programCalls = `
create table program_call (
  conv    bigint not null references conversation (id),
  program text not null,                 -- the call that runs it
  id      text not null,                 -- as JSON: a program names its calls as it likes
  n       bigint generated always as identity,
  body    text not null,
  outcome text,                          -- null: nobody knows
  primary key (conv, program, id)
);

create function program_journal(
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

create function program_ended() returns trigger language plpgsql as $f$
begin
  delete from program_call p where p.conv = new.conv and p.program = new.call;
  return null;
end $f$;
create trigger program_ended after insert on block
  for each row when (new.type = 'react.tool.result') execute function program_ended();
`;
