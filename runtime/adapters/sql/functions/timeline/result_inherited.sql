-- A call has one result in the whole lineage; block_one_result ensures it within one conversation.
create or replace function result_inherited() returns trigger language plpgsql as $f$
begin
  if exists (select from timeline_lineage(new.conv) l
               join block b on b.conv = l.conv and b.call = new.call and b.type = 'react.tool.result' and b.seq <= l.upto
              where l.conv <> new.conv) then
    raise exception 'a call has one result' using errcode = 'unique_violation';
  end if;
  return null;
end $f$;
