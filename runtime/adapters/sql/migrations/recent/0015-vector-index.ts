/**
 * Vectors with centre 0 are those in the index of pgvector. Vectors from before there were centres, in a space without an
 * index, get another name for the place that they share. The search function of each space gives way to one for all.
 */
export const vectorIndex = `
update snippet_centre c set centre = 9223372036854775807 from projection p
 where p.id = c.space and not p.indexed and c.centre = 0;
update snippet_vector v set centre = 9223372036854775807 from projection p
 where p.id = v.space and not p.indexed and v.centre = 0 and v.vector is not null;
do $d$
declare f record;
begin
  for f in select p.oid::regprocedure as name from pg_proc p
            where p.pronamespace = current_schema()::regnamespace and p.proname ~ '^memory_near_[0-9]+$' loop
    execute 'drop function ' || f.name;
  end loop;
end $d$;
`;
