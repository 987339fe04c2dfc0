/**
 * Queues and schedules of bundle jobs. The lease in a job's row keeps the job from overlapping itself: the worker that
 * runs one of its items holds the lease and writes with its fence. The database's clock decides what is due and when a
 * lease expires.
 */
export const jobs = `
create table job (
  id          bigint generated always as identity primary key,
  tenant      text not null,
  project     text not null,
  bundle      text not null,
  name        text not null,
  schedule    text,                      -- null: it is a queue
  fence       bigint not null default 0,
  lease_by    text,
  lease_until timestamptz,
  done        bigint not null default 0,
  failed      bigint not null default 0, -- every attempt that failed
  unique (tenant, project, bundle, name)
);

create table errand (
  id       bigint generated always as identity primary key,
  job      bigint not null references job (id) on delete cascade,
  name     text,                         -- null: the tick of its schedule, which is one row for all of them
  key      text,
  input    text,                         -- JSON as text
  due_at   timestamptz not null,
  attempts int not null default 0,
  running  boolean not null default false, -- an attempt was begun and has not ended
  over_at  timestamptz                   -- it is done, and kept so that its key changes nothing
);
create index errand_due on errand (job, due_at, id) where over_at is null;
create index errand_over on errand (over_at) where over_at is not null;
create unique index errand_name on errand (job, name) where name is not null;
create unique index errand_key on errand (job, key) where key is not null;
create unique index errand_tick on errand (job) where name is null;

create table job_failure (
  id      bigint generated always as identity primary key,
  job     bigint not null references job (id) on delete cascade,
  errand  text,
  attempt int not null,
  final   boolean not null,
  error   text not null,
  input   text,
  at      timestamptz not null default clock_timestamp()
);
create index job_failure_newest on job_failure (job, id desc);

create function job_row(p_tenant text, p_project text, p_bundle text, p_name text) returns bigint language plpgsql as $f$
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

-- The name of the errand; null: the queue is full. Writers of one bundle wait for each other, so that none is one too many.
create function job_enqueue(
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

-- p_words null: it has no schedule any more.
create function job_schedule(
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

create function job_claim(
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

create function job_renew(p_tenant text, p_project text, p_bundle text, p_job text, p_fence bigint, p_ttl_ms float8)
returns boolean language plpgsql as $f$
begin
  update job x set lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
   where x.tenant = p_tenant and x.project = p_project and x.bundle = p_bundle and x.name = p_job
     and x.fence = p_fence and x.lease_by is not null;
  return found;
end $f$;

-- p_error null: it is done. p_retry_ms null: it is not tried again. p_next_ms: when a tick comes again.
create function job_finish(
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
    -- Whoever has this fence and no lease any more has said so already.
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
`;
