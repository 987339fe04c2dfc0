-- The conversations whose blocks make up the log of a conversation: of each, the blocks after after_seq and up to upto.
-- In plpgsql, so that its plan is kept and it is not inlined: for most conversations it returns one row, which a planner
-- would not guess.
create or replace function timeline_lineage(p_conv bigint) returns table (conv bigint, after_seq bigint, upto bigint)
language plpgsql stable strict rows 2 as $f$
declare ancestor bigint;
begin
  upto := 9223372036854775807;
  loop
    select c.id, c.fork_seq, c.parent into conv, after_seq, ancestor from conversation c where c.id = p_conv;
    exit when not found;
    return next;
    exit when ancestor is null;
    p_conv := ancestor; upto := after_seq;
  end loop;
end $f$;
