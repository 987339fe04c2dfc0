create or replace function job_renew(p_tenant text, p_project text, p_bundle text, p_job text, p_fence bigint, p_ttl_ms float8)
returns boolean language plpgsql as $f$
begin
  update job x set lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
   where x.tenant = p_tenant and x.project = p_project and x.bundle = p_bundle and x.name = p_job
     and x.fence = p_fence and x.lease_by is not null;
  return found;
end $f$;
