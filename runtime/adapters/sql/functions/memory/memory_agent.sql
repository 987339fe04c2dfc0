create or replace function memory_agent(p_open_body text) returns text language sql immutable parallel safe as $f$
  -- The runtime wrote this JSON and escaped every quote within its texts, so a key stands only where it is one.
  select substring(p_open_body from '"bundle":"([^"]*)"') || '/' || substring(p_open_body from '"agent":"([^"]*)"')
$f$;
