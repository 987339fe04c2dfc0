/**
 * The two writes of the log do what triggers did for each row, once per write and only if a block calls for it, and they
 * alone ensure that a block has a conversation: they hold its row. They have new parameters, so the old ones go.
 */
export const directWrites = `
drop trigger if exists turn_opened on block;
drop trigger if exists result_inherited on block;
drop trigger if exists program_ended on block;
drop trigger if exists blob_used on block;
alter table block drop constraint if exists block_conv_fkey;
alter table snippet drop constraint if exists snippet_conv_fkey;
do $d$
declare f record;
begin
  for f in select p.oid::regprocedure as name from pg_proc p
            where p.pronamespace = current_schema()::regnamespace and p.proname in (
              'turn_opened', 'result_inherited', 'program_ended', 'blob_used', 'timeline_append', 'timeline_accept') loop
    execute 'drop function ' || f.name;
  end loop;
end $d$;
`;
