/**
 * The two writes of the log do what triggers did for each row, once per write and only if a block calls for it, and they
 * alone ensure that a block has a conversation: they hold its row. They have new parameters, so the old ones go.
 */
export const directWrites = `
drop trigger turn_opened on block;
drop trigger result_inherited on block;
drop trigger program_ended on block;
drop trigger blob_used on block;
alter table block drop constraint block_conv_fkey;
alter table snippet drop constraint snippet_conv_fkey;
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
