-- The user as one number. It only narrows a search; the conversation's row decides what may be shown.
create or replace function memory_scope(p_tenant text, p_project text, p_owner text) returns bigint language sql immutable as $f$
  select hashtextextended(p_tenant || E'\x1f' || p_project || E'\x1f' || p_owner, 0)
$f$;
