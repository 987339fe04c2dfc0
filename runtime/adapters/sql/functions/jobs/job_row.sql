-- The id of a job, which is created when it is first named.
create or replace function job_row(p_tenant text, p_project text, p_bundle text, p_name text) returns bigint language plpgsql as $f$
declare found_id bigint;
begin
  select j.id into found_id from job j
   where j.tenant = p_tenant and j.project = p_project and j.bundle = p_bundle and j.name = p_name;
  if found_id is null then
    insert into job (tenant, project, bundle, name) values (p_tenant, p_project, p_bundle, p_name)
      on conflict do nothing;
    select j.id into found_id from job j
     where j.tenant = p_tenant and j.project = p_project and j.bundle = p_bundle and j.name = p_name;
  end if;
  return found_id;
end $f$;
