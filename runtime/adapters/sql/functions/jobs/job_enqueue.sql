-- The name of the queued item; null: the queue is full. Writers of one bundle take turns, so that the limit is never exceeded.
create or replace function job_enqueue(
  p_tenant text, p_project text, p_bundle text, p_job text,
  p_name text, p_key text, p_input text, p_delay_ms float8, p_queue_max int, p_kept_ms float8
) returns text language plpgsql as $f$
declare j bigint; known text; waiting bigint;
begin
  j := job_row(p_tenant, p_project, p_bundle, p_job);
  perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('jobs', p_tenant, p_project, p_bundle)::text, 0));
  -- Some at a time, and not those that somebody else removes.
  delete from errand e using (
    select o.id from errand o where o.over_at <= clock_timestamp() - p_kept_ms * interval '1 millisecond'
     order by o.over_at limit 100 for update skip locked) gone where e.id = gone.id;
  select e.name into known from errand e where e.job = j and (e.name = p_name
    or (e.key = p_key and (e.over_at is null
        or e.over_at > clock_timestamp() - p_kept_ms * interval '1 millisecond')));
  if known is not null then
    return known;
  end if;
  select count(*) into waiting from (
    select from job b join errand e on e.job = b.id
     where b.tenant = p_tenant and b.project = p_project and b.bundle = p_bundle
       and e.over_at is null and e.name is not null limit p_queue_max) x;
  if waiting >= p_queue_max then
    return null;
  end if;
  delete from errand e where e.job = j and e.key = p_key;
  insert into errand (job, name, key, input, due_at)
    values (j, p_name, p_key, p_input, clock_timestamp() + p_delay_ms * interval '1 millisecond');
  return p_name;
end $f$;
