-- p_error null: it succeeded. p_retry_ms null: there is no retry. p_next_ms: the next tick of a schedule.
create or replace function job_finish(
  p_tenant text, p_project text, p_bundle text, p_job text, p_fence bigint, p_row bigint, p_errand text,
  p_error text, p_retry_ms float8, p_next_ms float8, p_failures_max int
) returns boolean language plpgsql as $f$
declare j bigint; e errand;
begin
  update job x set lease_by = null, lease_until = null,
         done = x.done + case when p_error is null then 1 else 0 end,
         failed = x.failed + case when p_error is null then 0 else 1 end
   where x.tenant = p_tenant and x.project = p_project and x.bundle = p_bundle and x.name = p_job
     and x.fence = p_fence and x.lease_by is not null
   returning x.id into j;
  if j is null then
    -- The holder of this fence has reported the outcome already.
    return exists (select from job x where x.tenant = p_tenant and x.project = p_project and x.bundle = p_bundle
                      and x.name = p_job and x.fence = p_fence and x.lease_by is null);
  end if;
  -- Not there: its schedule went meanwhile, and the tick with it.
  update errand d set running = false where d.id = p_row and d.job = j returning * into e;
  if p_error is not null then
    insert into job_failure (job, errand, attempt, final, error, input)
      values (j, p_errand, coalesce(e.attempts, 1), p_retry_ms is null, p_error, e.input);
    delete from job_failure f where f.job = j and f.id <= (
      select o.id from job_failure o where o.job = j order by o.id desc offset p_failures_max limit 1);
  end if;
  if p_error is not null and p_retry_ms is not null then
    update errand d set due_at = clock_timestamp() + p_retry_ms * interval '1 millisecond' where d.id = e.id;
  elsif p_errand is null then
    update errand d set attempts = 0, due_at = to_timestamp(p_next_ms / 1000)
     where d.id = e.id and p_next_ms is not null;
  elsif e.key is null then
    delete from errand d where d.id = e.id;
  else
    update errand d set over_at = clock_timestamp(), input = null where d.id = e.id;
  end if;
  return true;
end $f$;
