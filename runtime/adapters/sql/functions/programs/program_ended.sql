-- The journal of a program is removed with its result.
create or replace function program_ended() returns trigger language plpgsql as $f$
begin
  delete from program_call p where p.conv = new.conv and p.program = new.call;
  return null;
end $f$;
