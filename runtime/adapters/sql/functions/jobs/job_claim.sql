-- Claims the item that has been due longest, of a job that no other worker is running.
create or replace function job_claim(
  p_tenants text[], p_projects text[], p_bundles text[], p_jobs text[], p_words text[], p_by text, p_ttl_ms float8
) returns table (tenant text, project text, bundle text, name text, fence bigint, row_id bigint, errand text, input text,
                 attempt int, interrupted boolean, due_ms float8, now_ms float8) language plpgsql as $f$
declare j job; e errand; mine text; seen bigint[] := '{}';
begin
  loop
    select x.id, s.words into j.id, mine
      from unnest(p_tenants, p_projects, p_bundles, p_jobs, p_words) s (tenant, project, bundle, name, words)
      join job x on x.tenant = s.tenant and x.project = s.project and x.bundle = s.bundle and x.name = s.name
      cross join lateral (
        select d.due_at from errand d where d.job = x.id and d.over_at is null and d.due_at <= clock_timestamp()
           and (d.name is not null or x.schedule = s.words)
         order by d.due_at, d.id limit 1) due
     where (x.lease_until is null or x.lease_until <= clock_timestamp()) and not x.id = any(seen)
     order by due.due_at, x.id limit 1 for update of x skip locked;
    exit when not found;
    select * into j from job x where x.id = j.id;
    -- A new look: somebody else may have performed it before the row was ours.
    select * into e from errand d where d.job = j.id and d.over_at is null and d.due_at <= clock_timestamp()
       and (d.name is not null or j.schedule = mine)
     order by d.due_at, d.id limit 1 for update;
    if found then
      update job x set fence = x.fence + 1, lease_by = p_by,
             lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
       where x.id = j.id;
      update errand d set running = true, attempts = e.attempts + case when e.running then 0 else 1 end where d.id = e.id;
      return query select j.tenant, j.project, j.bundle, j.name, j.fence + 1, e.id, e.name, e.input,
        e.attempts + case when e.running then 0 else 1 end, e.running, (extract(epoch from e.due_at) * 1000)::float8,
        (extract(epoch from clock_timestamp()) * 1000)::float8;
      return;
    end if;
    seen := seen || j.id;
  end loop;
end $f$;
