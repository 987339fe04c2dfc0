-- p_words null: the job has no schedule any more.
create or replace function job_schedule(
  p_tenant text, p_project text, p_bundle text, p_job text, p_words text, p_due_ms float8
) returns void language plpgsql as $f$
declare j job; j_id bigint := job_row(p_tenant, p_project, p_bundle, p_job);
begin
  select * into j from job x where x.id = j_id for update;
  if j.schedule is not distinct from p_words then
    return;
  end if;
  update job x set schedule = p_words where x.id = j.id;
  delete from errand e where e.job = j.id and e.name is null;
  if p_words is not null then
    insert into errand (job, due_at) values (j.id, to_timestamp(p_due_ms / 1000));
  end if;
end $f$;
