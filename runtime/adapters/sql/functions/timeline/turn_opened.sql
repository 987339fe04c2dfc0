-- The turns of a fork continue the count of the turns that it shares.
create or replace function turn_opened() returns trigger language plpgsql as $f$
begin
  insert into turn (conv, ordinal, turn, seq, at, scope, agent)
    select new.conv,
           1 + coalesce((select max(t.ordinal) from timeline_lineage(new.conv) l
                           join turn t on t.conv = l.conv and t.seq <= l.upto), 0),
           new.turn, new.seq, new.at, memory_scope(c.tenant, c.project, c.owner),
           memory_agent(new.body)
      from conversation c where c.id = new.conv
    on conflict do nothing;
  return null;
end $f$;
