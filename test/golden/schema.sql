table accepted
  tenant text not null
  project text not null
  owner text not null
  message text not null
  digest text not null
  conv bigint
  cid text
  turn text
  seq bigint
  at timestamp with time zone not null default clock_timestamp()

table blob_removal
  tenant text not null
  hash text not null
  due_at timestamp with time zone not null default clock_timestamp()

table blob_use
  conv bigint not null
  hash text not null
  seq bigint not null

table block
  conv bigint not null
  seq bigint not null
  at timestamp with time zone not null
  type text not null
  turn text not null
  path text
  call text
  body text not null

table conversation
  id bigint not null identity
  tenant text not null
  project text not null
  owner text not null
  cid text not null
  title text
  created_at timestamp with time zone not null default clock_timestamp()
  last_at timestamp with time zone not null default clock_timestamp()
  head bigint not null default 0
  reactive bigint not null default 0
  answered bigint not null default 0
  steer bigint not null default 0
  window_seq bigint not null default 1
  open_turn text
  last_op text
  last_first bigint
  last_status text
  fence bigint not null default 0
  lease_by text
  lease_until timestamp with time zone
  attempts integer not null default 0
  due_at timestamp with time zone
  erased_at timestamp with time zone
  parked bigint
  parent bigint
  fork_seq bigint not null default 0
  opened boolean not null default false
  pinned boolean not null default false

table erasure
  conv bigint not null
  asked integer not null default 1
  due_at timestamp with time zone not null default clock_timestamp()

table errand
  id bigint not null identity
  job bigint not null
  name text
  key text
  input text
  due_at timestamp with time zone not null
  attempts integer not null default 0
  running boolean not null default false
  over_at timestamp with time zone

table function_set
  revision integer not null
  hash text not null

table job
  id bigint not null identity
  tenant text not null
  project text not null
  bundle text not null
  name text not null
  schedule text
  fence bigint not null default 0
  lease_by text
  lease_until timestamp with time zone
  done bigint not null default 0
  failed bigint not null default 0

table job_failure
  id bigint not null identity
  job bigint not null
  errand text
  attempt integer not null
  final boolean not null
  error text not null
  input text
  at timestamp with time zone not null default clock_timestamp()

table lexicon
  word text not null

table migration
  number integer not null

table program_call
  conv bigint not null
  program text not null
  id text not null
  n bigint not null identity
  body text not null
  outcome text

table projection
  id integer not null identity
  name text not null
  position bigint not null default 0
  dimensions integer
  indexed boolean not null default false
  lease_until timestamp with time zone

table snippet
  conv bigint not null
  seq bigint not null
  at timestamp with time zone not null
  target text not null
  text text not null
  id bigint not null identity
  scope bigint not null
  turn text not null
  agent text
  words tsvector not null

table snippet_centre
  space integer not null
  scope bigint not null
  centre bigint not null
  snippet bigint
  sign bit varying

table snippet_vector
  space integer not null
  conv bigint not null
  seq bigint not null
  scope bigint not null
  target text not null
  at timestamp with time zone not null
  sign bit varying
  vector real[]
  centre bigint not null default 0

table stored_value
  space text not null
  place bytea not null
  key text not null
  value text not null
  until timestamp with time zone

table turn
  conv bigint not null
  ordinal bigint not null
  turn text not null
  seq bigint not null
  at timestamp with time zone not null
  scope bigint not null
  agent text

table user_erasure
  tenant text not null
  project text not null
  owner text not null
  asked integer not null default 1
  at timestamp with time zone not null default clock_timestamp()
  due_at timestamp with time zone not null
  late boolean not null default false

table view_window
  conv bigint not null
  seq bigint not null
  window_seq bigint not null

accepted PRIMARY KEY (tenant, project, owner, message)
blob_removal PRIMARY KEY (tenant, hash)
blob_use FOREIGN KEY (conv) REFERENCES conversation(id)
blob_use PRIMARY KEY (conv, hash)
block PRIMARY KEY (conv, seq)
conversation FOREIGN KEY (parent) REFERENCES conversation(id)
conversation PRIMARY KEY (id)
conversation UNIQUE (tenant, project, cid, owner)
erasure FOREIGN KEY (conv) REFERENCES conversation(id)
erasure PRIMARY KEY (conv)
errand FOREIGN KEY (job) REFERENCES job(id) ON DELETE CASCADE
errand PRIMARY KEY (id)
function_set PRIMARY KEY (revision)
job PRIMARY KEY (id)
job UNIQUE (tenant, project, bundle, name)
job_failure FOREIGN KEY (job) REFERENCES job(id) ON DELETE CASCADE
job_failure PRIMARY KEY (id)
lexicon PRIMARY KEY (word)
migration PRIMARY KEY (number)
program_call FOREIGN KEY (conv) REFERENCES conversation(id)
program_call PRIMARY KEY (conv, program, id)
projection PRIMARY KEY (id)
projection UNIQUE (name)
snippet PRIMARY KEY (conv, seq)
snippet_centre FOREIGN KEY (space) REFERENCES projection(id) ON DELETE CASCADE
snippet_centre PRIMARY KEY (space, scope, centre) INCLUDE (sign)
snippet_vector FOREIGN KEY (conv, seq) REFERENCES snippet(conv, seq) ON DELETE CASCADE
snippet_vector FOREIGN KEY (space) REFERENCES projection(id) ON DELETE CASCADE
snippet_vector PRIMARY KEY (space, conv, seq)
stored_value PRIMARY KEY (place, key)
turn FOREIGN KEY (conv) REFERENCES conversation(id)
turn FOREIGN KEY (conv, seq) REFERENCES block(conv, seq) ON DELETE CASCADE
turn PRIMARY KEY (conv, ordinal)
user_erasure PRIMARY KEY (tenant, project, owner)
view_window FOREIGN KEY (conv) REFERENCES conversation(id)
view_window PRIMARY KEY (conv, seq)

CREATE INDEX accepted_conv ON public.accepted USING btree (conv)
CREATE UNIQUE INDEX accepted_pkey ON public.accepted USING btree (tenant, project, owner, message)
CREATE INDEX blob_removal_due ON public.blob_removal USING btree (due_at)
CREATE UNIQUE INDEX blob_removal_pkey ON public.blob_removal USING btree (tenant, hash)
CREATE INDEX blob_use_hash ON public.blob_use USING btree (hash)
CREATE UNIQUE INDEX blob_use_pkey ON public.blob_use USING btree (conv, hash)
CREATE INDEX block_feedback ON public.block USING btree (conv, seq) WHERE (type = 'feedback'::text)
CREATE INDEX block_model_call ON public.block USING btree (at, conv) WHERE (type = 'model.call'::text)
CREATE UNIQUE INDEX block_one_close ON public.block USING btree (conv, turn) WHERE (type = 'turn.close'::text)
CREATE UNIQUE INDEX block_one_result ON public.block USING btree (conv, call) WHERE (type = 'react.tool.result'::text)
CREATE INDEX block_path ON public.block USING btree (conv, path, seq DESC) WHERE (path IS NOT NULL)
CREATE UNIQUE INDEX block_pkey ON public.block USING btree (conv, seq)
CREATE INDEX block_turns ON public.block USING btree (conv, seq) WHERE (type = ANY (ARRAY['turn.open'::text, 'turn.close'::text]))
CREATE INDEX conversation_due ON public.conversation USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX conversation_owner ON public.conversation USING btree (tenant, project, owner)
CREATE INDEX conversation_parent ON public.conversation USING btree (parent) WHERE (parent IS NOT NULL)
CREATE UNIQUE INDEX conversation_pkey ON public.conversation USING btree (id)
CREATE UNIQUE INDEX conversation_tenant_project_cid_owner_key ON public.conversation USING btree (tenant, project, cid, owner)
CREATE INDEX erasure_due ON public.erasure USING btree (due_at)
CREATE UNIQUE INDEX erasure_pkey ON public.erasure USING btree (conv)
CREATE INDEX errand_due ON public.errand USING btree (job, due_at, id) WHERE (over_at IS NULL)
CREATE UNIQUE INDEX errand_key ON public.errand USING btree (job, key) WHERE (key IS NOT NULL)
CREATE UNIQUE INDEX errand_name ON public.errand USING btree (job, name) WHERE (name IS NOT NULL)
CREATE INDEX errand_over ON public.errand USING btree (over_at) WHERE (over_at IS NOT NULL)
CREATE UNIQUE INDEX errand_pkey ON public.errand USING btree (id)
CREATE UNIQUE INDEX errand_tick ON public.errand USING btree (job) WHERE (name IS NULL)
CREATE UNIQUE INDEX function_set_pkey ON public.function_set USING btree (revision)
CREATE INDEX job_failure_newest ON public.job_failure USING btree (job, id DESC)
CREATE UNIQUE INDEX job_failure_pkey ON public.job_failure USING btree (id)
CREATE UNIQUE INDEX job_pkey ON public.job USING btree (id)
CREATE UNIQUE INDEX job_tenant_project_bundle_name_key ON public.job USING btree (tenant, project, bundle, name)
CREATE INDEX lexicon_alike ON public.lexicon USING gin (word gin_trgm_ops)
CREATE UNIQUE INDEX lexicon_pkey ON public.lexicon USING btree (word)
CREATE UNIQUE INDEX migration_pkey ON public.migration USING btree (number)
CREATE UNIQUE INDEX program_call_pkey ON public.program_call USING btree (conv, program, id)
CREATE UNIQUE INDEX projection_name_key ON public.projection USING btree (name)
CREATE UNIQUE INDEX projection_pkey ON public.projection USING btree (id)
CREATE UNIQUE INDEX snippet_centre_pkey ON public.snippet_centre USING btree (space, scope, centre) INCLUDE (sign)
CREATE INDEX snippet_centre_snippet ON public.snippet_centre USING btree (snippet)
CREATE UNIQUE INDEX snippet_id ON public.snippet USING btree (id)
CREATE UNIQUE INDEX snippet_pkey ON public.snippet USING btree (conv, seq)
CREATE INDEX snippet_time ON public.snippet USING btree (scope, at DESC)
CREATE INDEX snippet_vector_near ON public.snippet_vector USING btree (space, scope, centre) INCLUDE (conv, seq, target, at, sign)
CREATE INDEX snippet_vector_of ON public.snippet_vector USING btree (conv, seq)
CREATE UNIQUE INDEX snippet_vector_pkey ON public.snippet_vector USING btree (space, conv, seq)
CREATE INDEX snippet_words ON public.snippet USING gin (words)
CREATE INDEX stored_value_conversation ON public.stored_value USING btree (split_part(space, '/'::text, 5), split_part(space, '/'::text, 6), split_part(space, '/'::text, 2), split_part(space, '/'::text, 3)) WHERE starts_with(space, 'conversation/'::text)
CREATE UNIQUE INDEX stored_value_pkey ON public.stored_value USING btree (place, key)
CREATE INDEX stored_value_until ON public.stored_value USING btree (until) WHERE (until IS NOT NULL)
CREATE INDEX stored_value_user ON public.stored_value USING btree (split_part(space, '/'::text, 5), split_part(space, '/'::text, 2), split_part(space, '/'::text, 3)) WHERE (split_part(space, '/'::text, 1) = ANY (ARRAY['user'::text, 'secret'::text, 'user-props'::text]))
CREATE UNIQUE INDEX turn_name ON public.turn USING btree (conv, turn)
CREATE UNIQUE INDEX turn_pkey ON public.turn USING btree (conv, ordinal)
CREATE INDEX turn_seq ON public.turn USING btree (conv, seq)
CREATE INDEX turn_time ON public.turn USING btree (scope, at, conv, ordinal)
CREATE INDEX user_erasure_due ON public.user_erasure USING btree (due_at)
CREATE UNIQUE INDEX user_erasure_pkey ON public.user_erasure USING btree (tenant, project, owner)
CREATE UNIQUE INDEX view_window_pkey ON public.view_window USING btree (conv, seq)

CREATE OR REPLACE FUNCTION public.blobs_in(p_body text)
 RETURNS SETOF text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select distinct x.found[1] from regexp_matches(p_body, '"(sha256:[0-9a-f]{64})"', 'g') as x (found)
$function$

CREATE OR REPLACE FUNCTION public.blocks_written(p_conv bigint, p_first bigint, p_last bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into turn (conv, ordinal, turn, seq, at, scope, agent)
    select b.conv,
           1 + coalesce((select max(t.ordinal) from timeline_lineage(b.conv) l
                           join turn t on t.conv = l.conv and t.seq <= l.upto), 0),
           b.turn, b.seq, b.at, memory_scope(c.tenant, c.project, c.owner), memory_agent(b.body)
      from block b join conversation c on c.id = b.conv
     where b.conv = p_conv and b.seq between p_first and p_last and b.type = 'turn.open'
    on conflict do nothing;
  if exists (select from block n
               join timeline_lineage(p_conv) l on l.conv <> p_conv
               join block b on b.conv = l.conv and b.call = n.call and b.type = 'react.tool.result' and b.seq <= l.upto
              where n.conv = p_conv and n.seq between p_first and p_last and n.type = 'react.tool.result') then
    raise exception 'a call has one result' using errcode = 'unique_violation';
  end if;
  delete from program_call p using block b
    where b.conv = p_conv and b.seq between p_first and p_last and b.type = 'react.tool.result'
      and p.conv = b.conv and p.program = b.call;
  insert into blob_use (conv, hash, seq)
    select b.conv, hash, b.seq from block b cross join lateral blobs_in(b.body) hash
     where b.conv = p_conv and b.seq between p_first and p_last and position('"sha256:' in b.body) > 0 order by b.seq
    on conflict do nothing;
end $function$

CREATE OR REPLACE FUNCTION public.erasure_keeps(p_conv bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  with recursive line (id, seq, erased_at) as (
    select c.id, c.fork_seq, c.erased_at from conversation c where c.parent = p_conv
    union all
    select c.id, l.seq, c.erased_at from line l join conversation c on c.parent = l.id where l.erased_at is not null)
  select coalesce(max(seq) filter (where erased_at is null), 0) from line
$function$

CREATE OR REPLACE FUNCTION public.erasure_remove(p_conv bigint, p_snippets integer, p_blocks integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare c conversation%rowtype; keeps bigint; n int;
begin
  select * into c from conversation x where x.id = p_conv and x.erased_at is not null;
  if not found then return false; end if;
  keeps := erasure_keeps(p_conv);
  delete from program_call where conv = p_conv;
  delete from view_window where conv = p_conv and seq > keeps;
  with dropped as (delete from blob_use where conv = p_conv and seq > keeps returning hash)
    insert into blob_removal (tenant, hash) select c.tenant, hash from dropped order by hash
    on conflict on constraint blob_removal_pkey do update set due_at = clock_timestamp();
  delete from snippet s using (
      select conv, seq from snippet where conv = p_conv and seq > keeps order by seq desc limit p_snippets) x
    where s.conv = x.conv and s.seq = x.seq;
  get diagnostics n = row_count;
  if n = p_snippets then return true; end if;
  delete from block b using (
      select conv, seq from block where conv = p_conv and seq > keeps order by seq desc limit p_blocks) x
    where b.conv = x.conv and b.seq = x.seq;
  get diagnostics n = row_count;
  return n = p_blocks;
end $function$

CREATE OR REPLACE FUNCTION public.iso_utc(p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$

CREATE OR REPLACE FUNCTION public.job_claim(p_tenants text[], p_projects text[], p_bundles text[], p_jobs text[], p_words text[], p_by text, p_ttl_ms double precision)
 RETURNS TABLE(tenant text, project text, bundle text, name text, fence bigint, row_id bigint, errand text, input text, attempt integer, interrupted boolean, due_ms double precision, now_ms double precision)
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.job_enqueue(p_tenant text, p_project text, p_bundle text, p_job text, p_name text, p_key text, p_input text, p_delay_ms double precision, p_queue_max integer, p_kept_ms double precision)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.job_finish(p_tenant text, p_project text, p_bundle text, p_job text, p_fence bigint, p_row bigint, p_errand text, p_error text, p_retry_ms double precision, p_next_ms double precision, p_failures_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.job_renew(p_tenant text, p_project text, p_bundle text, p_job text, p_fence bigint, p_ttl_ms double precision)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  update job x set lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
   where x.tenant = p_tenant and x.project = p_project and x.bundle = p_bundle and x.name = p_job
     and x.fence = p_fence and x.lease_by is not null;
  return found;
end $function$

CREATE OR REPLACE FUNCTION public.job_row(p_tenant text, p_project text, p_bundle text, p_name text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.job_schedule(p_tenant text, p_project text, p_bundle text, p_job text, p_words text, p_due_ms double precision)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.lexicon_add()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into lexicon (word)
    select distinct x.lexeme from fresh, unnest(fresh.words) x
     where lexicon_word(x.lexeme) and not exists (select from lexicon l where l.word = x.lexeme) order by 1
    on conflict do nothing;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.lexicon_drop()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from lexicon l using (select distinct x.lexeme from gone, unnest(gone.words) x where lexicon_word(x.lexeme)) g
   where l.word = g.lexeme and not exists (select from snippet s where s.words @@ quote_literal(g.lexeme)::tsquery);
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.lexicon_word(p_lexeme text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select length(p_lexeme) <= 40 and (length(p_lexeme) >= 4 or octet_length(p_lexeme) > length(p_lexeme))
     and p_lexeme ~ '^[a-z\u0080-\U0010FFFF]+$'
$function$

CREATE OR REPLACE FUNCTION public.memory_agent(p_open_body text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  -- The runtime wrote this JSON and escaped every quote within its texts, so a key stands only where it is one.
  select substring(p_open_body from '"bundle":"([^"]*)"') || '/' || substring(p_open_body from '"agent":"([^"]*)"')
$function$

CREATE OR REPLACE FUNCTION public.memory_near(p_space integer, p_dimensions integer, p_vector real[], p_scope bigint, p_convs bigint[], p_uptos bigint[], p_targets text[], p_from timestamp with time zone, p_to timestamp with time zone, p_except text, p_agent text, p_limit integer, p_exact_max integer)
 RETURNS TABLE(conv bigint, seq bigint, near double precision)
 LANGUAGE plpgsql
AS $function$
declare
  place text := case when p_convs is null then 'v.scope = $2' else 'v.conv = any ($3)' end;
  filters text := format('v.space = %s and v.vector is not null and ' || place || ' and v.target = any ($5)
    and ($6 is null or v.at >= $6) and ($7 is null or v.at < $7)
    and ($3 is null or v.seq <= $4[array_position($3, v.conv)])', p_space);
  snippets text := 'exists (select from snippet s where s.conv = v.conv and s.seq = v.seq
    and ($8 is null or s.turn <> $8) and ($9 is null or s.agent = $9))';
  kind text := case when p_dimensions between 2001 and 4000 then 'halfvec' else 'vector' end;
  apart text := format('v.vector::%1$s(%2$s) <=> $1::%1$s(%2$s)', kind, p_dimensions);
  signs text := format('binary_quantize(%s::vector(%2$s))::bit(%2$s)', '%s', p_dimensions);
  found text;
  vectors bigint;
begin
  execute 'select count(*) from (select from snippet_vector v where v.space = $1 and ' || place || ' limit $4) x'
    into vectors using p_space, p_scope, p_convs, p_exact_max::bigint + 1;
  if vectors <= p_exact_max then
    found := 'select v.conv, v.seq, ' || apart || ' as apart from snippet_vector v where ' || filters
      || ' and ' || snippets || ' offset 0';
  else
    perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true),
      set_config('hnsw.max_scan_tuples', '100000', true), set_config('hnsw.scan_mem_multiplier', '8', true);
    found := 'select v.conv, v.seq, ' || apart || ' as apart from (select * from snippet_vector v where ' || filters
      || ' and v.centre = 0 and ' || snippets || ' order by ' || case when p_dimensions <= 4000 then apart
        else format(signs, 'v.vector') || ' <~> ' || format(signs, '$1') end || format(' limit %s) v', p_limit * case when p_dimensions <= 4000 then 1 else 4 end);
  end if;
  return query execute 'select x.conv, x.seq, 1 - coalesce(nullif(x.apart, ''NaN''), 1) from (' || found
    || ') x order by x.apart limit $10'
    using p_vector, p_scope, p_convs, p_uptos, p_targets, p_from, p_to, p_except, p_agent, p_limit;
end $function$

CREATE OR REPLACE FUNCTION public.memory_place(p_space integer, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare of_scope bigint; moved int;
begin
  -- Writers of vectors lock this row, too: none of them gives a vector a centre that is being removed.
  perform from projection p where p.id = p_space and p.indexed for update;
  if not found then
    return false;
  end if;
  select c.scope into of_scope from snippet_centre c where c.space = p_space limit 1;
  if not found then
    return false;
  end if;
  update snippet_vector v set centre = 0 from (
    select o.conv, o.seq from snippet_vector o where o.space = p_space and o.scope = of_scope and o.centre > 0
     limit p_limit for update) x
    where v.space = p_space and v.conv = x.conv and v.seq = x.seq;
  get diagnostics moved = row_count;
  if moved < p_limit then
    delete from snippet_centre c where c.space = p_space and c.scope = of_scope;
  end if;
  return true;
end $function$

CREATE OR REPLACE FUNCTION public.memory_plain(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select lower(normalize(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]+', '', 'g'), NFC))
$function$

CREATE OR REPLACE FUNCTION public.memory_scope(p_tenant text, p_project text, p_owner text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select hashtextextended(p_tenant || E'\x1f' || p_project || E'\x1f' || p_owner, 0)
$function$

CREATE OR REPLACE FUNCTION public.program_journal(p_conv bigint, p_fence bigint, p_program text, p_id text[], p_body text[], p_ended text[], p_outcome text[])
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform from conversation c
    where c.id = p_conv and c.fence = p_fence and c.lease_by is not null and c.erased_at is null for share;
  if not found or exists (
    select from block b where b.conv = p_conv and b.call = p_program and b.type = 'react.tool.result'
  ) then
    return false;
  end if;
  update program_call p set outcome = x.outcome
    from unnest(p_ended, p_outcome) as x (id, outcome)
    where p.conv = p_conv and p.program = p_program and p.id = x.id;
  insert into program_call (conv, program, id, body)
    select p_conv, p_program, id, body
      from unnest(p_id, p_body) with ordinality as x (id, body, i) order by i
    on conflict do nothing;  -- the same words again, after a lost reply
  return true;
end $function$

CREATE OR REPLACE FUNCTION public.snippet_centre_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update snippet_centre c set (snippet, sign) = (
    select s.id, v.sign from snippet_vector v join snippet s on s.conv = v.conv and s.seq = v.seq
     where v.space = c.space and v.scope = c.scope and v.centre = c.centre limit 1)
    from gone where c.snippet = gone.id;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.snippet_centre_of(p_space integer, p_scope bigint, p_id bigint, p_sign bit varying)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare nearest bigint; centres bigint;
begin
  select count(*) into centres from snippet_centre c where c.space = p_space and c.scope = p_scope;
  if random() * centres ^ 2 > 6400 then
    select c.centre into nearest from snippet_centre c where c.space = p_space and c.scope = p_scope
     order by bit_count(c.sign # p_sign) limit 1;
    return nearest;
  end if;
  insert into snippet_centre values (p_space, p_scope, p_id, p_id, p_sign) on conflict do nothing;
  return p_id;
end $function$

CREATE OR REPLACE FUNCTION public.snippet_placed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sep int := position(E'\x1f' in new.text);
begin
  if new.scope is null then
    select memory_scope(c.tenant, c.project, c.owner), b.turn, t.agent into new.scope, new.turn, new.agent
      from conversation c join block b on b.conv = c.id and b.seq = new.seq
      left join turn t on t.conv = b.conv and t.turn = b.turn
     where c.id = new.conv;
  end if;
  new.words := setweight(to_tsvector('simple', memory_plain(substr(new.text, sep + 1))), 'B')
    || array_to_tsvector(array['@s' || new.scope, '@c' || new.conv, '@a' || new.scope || '/' || coalesce(new.agent, '')]);
  if sep > 0 then
    new.words := setweight(to_tsvector('simple', memory_plain(left(new.text, sep - 1))), 'A') || new.words;
  end if;
  return new;
end $function$

CREATE OR REPLACE FUNCTION public.storage_place(p_space text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to(p_space, 'UTF8'))
$function$

CREATE OR REPLACE FUNCTION public.storage_set(p_space text, p_key text, p_value text, p_ttl_ms double precision, p_keys_max integer, p_removed_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if starts_with(p_space, 'conversation/') and exists (
    select from conversation c where c.tenant = split_part(p_space, '/', 2) and c.project = split_part(p_space, '/', 3)
       and c.cid = split_part(p_space, '/', 5)
       and uri_component(c.owner) = split_part(p_space, '/', 6) and c.erased_at is not null
  ) then
    return true;
  end if;
  return storage_set_living(p_space, p_key, p_value, p_ttl_ms, p_keys_max, p_removed_max);
end $function$

CREATE OR REPLACE FUNCTION public.storage_set_living(p_space text, p_key text, p_value text, p_ttl_ms double precision, p_keys_max integer, p_removed_max integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare p_place bytea := storage_place(p_space); p_until timestamptz; others bigint;
begin
  p_until := clock_timestamp() + p_ttl_ms * interval '1 millisecond';
  update stored_value v set value = p_value, until = p_until
    where v.place = p_place and v.key = p_key and (v.until is null or v.until > clock_timestamp());
  if not found then
    perform pg_advisory_xact_lock(hashtextextended(p_space, 0));
    select count(*) into others from (
      select from stored_value v where v.place = p_place and v.key <> p_key
         and (v.until is null or v.until > clock_timestamp()) limit p_keys_max) x;
    if others >= p_keys_max then
      return false;
    end if;
    insert into stored_value values (p_space, p_place, p_key, p_value, p_until)
      on conflict (place, key) do update set value = excluded.value, until = excluded.until;
  end if;
  -- Last, and of nobody who is at work on one: so no two writers wait for each other.
  delete from stored_value v using (
    select place, key from stored_value where until <= clock_timestamp()
     order by until limit p_removed_max for update skip locked) gone
    where v.place = gone.place and v.key = gone.key;
  return true;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_accept(p_tenant text, p_project text, p_owner text, p_cid text, p_message text, p_digest text, p_type text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[], p_event_types text, p_reactive boolean, p_new_turn text, p_open_body text, p_expect_turn text, p_needs_turn boolean, p_count integer DEFAULT NULL::integer, p_joining_type text[] DEFAULT NULL::text[], p_joining_path text[] DEFAULT NULL::text[])
 RETURNS TABLE(status text, conv bigint, cid text, turn text, seq bigint, opened boolean, window_seq bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  c conversation%rowtype; a accepted%rowtype;
  t text; first bigint; opening int; log_at timestamptz; is_new bool := false;
  ordinal bigint := 0; scope bigint; agent text;
  n int := cardinality(p_type);
begin
  if exists (select from unnest(p_type || p_joining_type) x where x !~ p_event_types) then
    raise exception 'an unfenced write carries only events' using errcode = 'check_violation';
  end if;
  select * into c from conversation x
    where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  if not found and not p_needs_turn and p_expect_turn is null then
    insert into conversation (tenant, project, owner, cid, opened)
      values (p_tenant, p_project, p_owner, p_cid, n = 0) on conflict do nothing returning * into c;
    is_new := found;
    if not is_new then
      select * into c from conversation x
        where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
    end if;
  end if;

  status := 'queued';
  t := c.open_turn;
  if c.erased_at is not null or c.id is null and not p_needs_turn and p_expect_turn is null then status := 'gone';
  elsif p_needs_turn and t is null or p_expect_turn is not null and t is distinct from p_expect_turn then status := 'refused';
  elsif t is null and p_reactive then status := 'started'; t := p_new_turn;
  end if;
  opening := (status = 'started')::int;
  first := c.head + 1;
  seq := c.head + opening + n;
  if status in ('queued', 'started') then
    insert into accepted (tenant, project, owner, message, digest, conv, cid, turn, seq)
      values (p_tenant, p_project, p_owner, p_message, p_digest, c.id, p_cid, t, seq)
      on conflict do nothing;  -- a concurrent twin in another conversation waits here until we commit
    if not found then status := 'duplicate'; end if;
  end if;
  if status not in ('queued', 'started') then
    select * into a from accepted x
      where x.tenant = p_tenant and x.project = p_project and x.owner = p_owner and x.message = p_message;
    if found then
      if is_new then delete from conversation x where x.id = c.id; end if;
      return query select case when a.digest = p_digest then 'duplicate' else 'conflict' end, a.conv, a.cid, a.turn, a.seq,
        a.digest = p_digest and exists (select from block b where b.conv = a.conv and b.seq = a.seq - n and b.type = 'turn.open'),
        coalesce((select x.window_seq from conversation x where x.id = a.conv), 1);
    elsif status = 'refused' then
      return query select status, c.id, p_cid, t, coalesce(c.head, 0), false, coalesce(c.window_seq, 1);
    else
      return query select status, null::bigint, p_cid, null::text, 0::bigint, false, 1::bigint;
    end if;
    return;
  end if;

  log_at := greatest(clock_timestamp(), c.last_at);
  if c.open_turn is not null and (p_joining_type is not null or p_joining_path is not null) then
    p_type := array(select coalesce(j, ty) from unnest(p_type, p_joining_type) with ordinality x (ty, j, i) order by i);
    p_path := array(select coalesce(j, pa) from unnest(p_path, p_joining_path) with ordinality x (pa, j, i) order by i);
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select c.id, c.head + opening + i, log_at, case when i = 0 then 'turn.open' else p_type[i] end, coalesce(t, 'none'),
           replace(p_path[i], '$turn', coalesce(t, 'none')), p_call[i], case when i = 0 then p_open_body else p_body[i] end
      -- Not generate_series, whose expected number of rows makes Postgres plan this statement again in every call.
      from (select k - opening as i from unnest(array_fill(0, array[opening + n])) with ordinality x (zero, k)) x;
  if opening = 1 then
    if not is_new then
      ordinal := coalesce((select max(x.ordinal) from timeline_lineage(c.id) l
                             join turn x on x.conv = l.conv and x.seq <= l.upto), 0);
    end if;
    scope := memory_scope(p_tenant, p_project, p_owner);
    agent := memory_agent(p_open_body);
    insert into turn (conv, ordinal, turn, seq, at, scope, agent)
      values (c.id, ordinal + 1, t, first, log_at, scope, agent) on conflict do nothing;
  end if;
  if position('"sha256:' in array_to_string(p_body, '')) > 0 then perform blocks_written(c.id, first, seq); end if;
  if p_target is not null then
    insert into snippet (conv, seq, at, target, text, scope, turn, agent)
      select c.id, c.head + opening + i, log_at, ta, wo, scope, t, agent
        from unnest(p_target, p_words) with ordinality as x (ta, wo, i) where ta is not null;
  end if;
  update conversation v set
      head = seq, open_turn = t, last_at = log_at,
      reactive = case when p_reactive then seq else v.reactive end,
      steer    = case when 'external.steer' = any (p_type) then seq else v.steer end,
      due_at   = case when p_reactive then least(v.due_at, clock_timestamp()) else v.due_at end
    where v.id = c.id;
  conv := c.id; cid := p_cid; turn := t; opened := opening = 1; window_seq := c.window_seq;
  return next;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_append(p_conv bigint, p_fence bigint, p_op text, p_type text[], p_turn text[], p_path text[], p_call text[], p_body text[], p_target text[], p_words text[], p_as_of bigint, p_gate integer, p_expect_head bigint, p_window bigint DEFAULT NULL::bigint, p_due_in_ms double precision DEFAULT NULL::double precision, p_known_head bigint DEFAULT NULL::bigint, p_missed_max integer DEFAULT 0)
 RETURNS TABLE(status text, first_seq bigint, head bigint, reactive bigint, steer bigint, open_turn text, cid text, at text, missed text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  c conversation%rowtype;
  log_at timestamptz;
  closing text; opening text; is_legal bool; is_deferred bool;
begin
  loop
    if p_type && '{turn.open,turn.close}' then
      closing := p_turn[array_position(p_type, 'turn.close')];
      opening := p_turn[array_position(p_type, 'turn.open')];
      is_legal := cardinality(array_positions(p_type, 'turn.close')) + cardinality(array_positions(p_type, 'turn.open')) = 1
                  and (closing is null or p_as_of is not null);
    end if;
    -- Locks the row, checks everything and moves the head in one statement: a concurrent writer waits here, and the one
    -- that waited sees the row as it was committed.
    update conversation v set
        head = v.head + cardinality(p_type),
        last_at = greatest(now(), v.last_at),  -- a clock that is set back does not reorder the log
        last_op = p_op, last_first = v.head + 1, last_status = case when is_deferred then 'deferred' else 'ok' end,
        open_turn  = case when closing is not null then null else coalesce(opening, v.open_turn) end,
        answered   = case when closing is not null then greatest(v.answered, p_as_of) else v.answered end,
        attempts   = case when closing is not null or 'round.close' = any (p_type) then 0 else v.attempts end,
        window_seq = coalesce(p_window, v.window_seq),
        parked     = case when p_due_in_ms is not null and closing is null then p_as_of end,
        due_at     = case when closing is not null then case when v.reactive > p_as_of then now() end
                          when p_due_in_ms is not null and v.reactive <= p_as_of
                          then now() + p_due_in_ms * interval '1 millisecond'
                          when p_due_in_ms is not null or v.parked is not null then least(v.due_at, now())
                          -- Progress ends the back-off of the sweep.
                          when 'round.close' = any (p_type) then least(v.due_at, now())
                          when opening is not null then coalesce(v.due_at, now())
                          else v.due_at end
      where v.id = p_conv and v.fence = p_fence and v.lease_by is not null and v.erased_at is null
        and v.last_op is distinct from p_op and v.head = coalesce(p_expect_head, v.head)
        and (p_gate is null or v.reactive <= p_as_of)
        and (is_legal is null or is_legal and (opening is null or v.open_turn is null) and (closing is null or v.open_turn = closing))
        and (p_window is null or cardinality(p_type) > 0 and p_window between 1 and v.head + cardinality(p_type))
      returning v.last_status, v.last_first, v.head, v.reactive, v.steer, v.open_turn, v.cid, v.last_at,
                to_char(v.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                case when p_known_head = v.last_first - 1 then '[]' end
      into status, first_seq, head, reactive, steer, open_turn, cid, log_at, at, missed;
    exit when found;

    -- Not as it stands. None of these reasons goes away, so a second look finds the same.
    select * into c from conversation where id = p_conv for update;
    if not found or c.erased_at is not null then
      return query select 'gone', 0::bigint, 0::bigint, 0::bigint, 0::bigint, null::text, null::text, null::text, null::text;
      return;
    elsif c.fence <> p_fence or c.lease_by is null then status := 'fenced';
    elsif c.last_op = p_op then status := c.last_status;
    elsif c.head <> p_expect_head or p_gate = 0 and c.reactive > p_as_of then status := 'moved';
    elsif p_gate is not null and c.reactive > p_as_of then
      is_deferred := true;
      p_type := p_type[:p_gate]; p_target := p_target[:p_gate];
      p_window := null;  -- the block that declares it is held back
      p_gate := null; closing := null; opening := null; is_legal := null;
      continue;
    elsif not (is_legal and (opening is null or c.open_turn is null) and (closing is null or c.open_turn = closing)) then
      raise exception 'a turn opens and closes once, in its own name' using errcode = 'check_violation';
    else
      raise exception 'a window starts at a written block' using errcode = 'check_violation';
    end if;
    first_seq := case when status in ('fenced', 'moved') then 0 else c.last_first end;
    head := c.head; reactive := c.reactive; steer := c.steer; open_turn := c.open_turn; cid := c.cid;
    if status = 'moved' then
      missed := timeline_missed(p_conv, p_known_head, c.head, p_missed_max);
    end if;
    return next;
    return;
  end loop;

  insert into block (conv, seq, at, type, turn, path, call, body)
    select p_conv, first_seq - 1 + i, log_at, ty, tu, pa, ca, bo
      from unnest(p_type, p_turn, p_path, p_call, p_body) with ordinality as x (ty, tu, pa, ca, bo, i)
     where i <= cardinality(p_type);
  if p_target is not null or p_window is not null or p_type && '{turn.open,react.tool.result}'
     or position('"sha256:' in array_to_string(p_body, '')) > 0 then
    perform blocks_written(p_conv, first_seq, head);
    if p_target is not null then
      insert into snippet (conv, seq, at, target, text)
        select p_conv, first_seq - 1 + i, log_at, ta, wo
          from unnest(p_target, p_words) with ordinality as x (ta, wo, i) where ta is not null;
    end if;
    if p_window is not null then  -- valid from the block that declares it
      insert into view_window (conv, seq, window_seq) values
        (p_conv, first_seq - 1 + coalesce(array_position(p_type, 'view.compact'), 1), p_window);
    end if;
  end if;
  if missed is null and p_known_head is not null then
    missed := timeline_missed(p_conv, p_known_head, first_seq - 1, p_missed_max);
  end if;
  return next;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_append_plain(p_conv bigint, p_fence bigint, p_op text, p_known_head bigint, p_missed_max integer, p_type text[], p_turn text[], p_path text[], p_call text[], p_body text[], p_has_blobs boolean)
 RETURNS TABLE(status text, first_seq bigint, head bigint, reactive bigint, steer bigint, open_turn text, cid text, at text, missed text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  log_at timestamptz;
begin
  update conversation v set
      head = v.head + cardinality(p_type), last_at = greatest(now(), v.last_at),
      last_op = p_op, last_first = v.head + 1, last_status = 'ok'
    where v.id = p_conv and v.fence = p_fence and v.lease_by is not null and v.erased_at is null and v.parked is null
      and v.last_op is distinct from p_op and v.head = coalesce(p_known_head, v.head)
    returning v.last_status, v.last_first, v.head, v.reactive, v.steer, v.open_turn, v.cid, v.last_at,
              to_char(v.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
              case when p_known_head is not null then '[]' end
    into status, first_seq, head, reactive, steer, open_turn, cid, log_at, at, missed;
  if not found then
    return query select * from timeline_append(p_conv, p_fence, p_op, p_type, p_turn, p_path, p_call, p_body, null, null,
                                               null, null, null, null, null, p_known_head, p_missed_max);
    return;
  end if;
  insert into block (conv, seq, at, type, turn, path, call, body)
    select p_conv, first_seq - 1 + i, log_at, ty, tu, pa, ca, bo
      from unnest(p_type, p_turn, p_path, p_call, p_body) with ordinality as x (ty, tu, pa, ca, bo, i);
  if p_has_blobs then perform blocks_written(p_conv, first_seq, head); end if;
  return next;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_erase(p_tenant text, p_project text, p_owner text, p_cid text)
 RETURNS TABLE(status text, conv bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare c conversation%rowtype;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for update;
  if not found or c.owner <> p_owner then
    return query select 'gone', null::bigint;
    return;
  end if;
  if c.erased_at is null then
    update conversation v set erased_at = clock_timestamp(), fence = c.fence + 1, lease_by = null, lease_until = null,
        due_at = null, open_turn = null, parked = null, title = null
      where v.id = c.id;
    update accepted a set conv = null, digest = '', turn = null, seq = 0 where a.conv = c.id;
    insert into erasure (conv)
      with recursive line (id, parent) as (
        select c.id, c.parent
        union all
        select p.id, p.parent from line l join conversation p on p.id = l.parent where p.erased_at is not null)
      select id from line order by id
      on conflict on constraint erasure_pkey do update set asked = erasure.asked + 1, due_at = clock_timestamp();
  end if;
  return query select 'erased', c.id;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_fork(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
 RETURNS TABLE(status text, conv bigint)
 LANGUAGE plpgsql
AS $function$
begin
  perform from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner for share;
  return query select * from timeline_fork_held(p_tenant, p_project, p_owner, p_cid, p_at, p_new_cid);
end $function$

CREATE OR REPLACE FUNCTION public.timeline_fork_held(p_tenant text, p_project text, p_owner text, p_cid text, p_at bigint, p_new_cid text)
 RETURNS TABLE(status text, conv bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  c conversation%rowtype; k conversation%rowtype;
  source bigint; window_from bigint; open_there text;
begin
  select * into c from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_cid and x.owner = p_owner;
  if not found or c.owner <> p_owner or c.erased_at is not null then
    return query select 'gone', null::bigint;
    return;
  elsif p_at not between 1 and c.head then
    return query select 'beyond', null::bigint;
    return;
  end if;
  select l.conv into source from timeline_lineage(c.id) l where l.after_seq < p_at and p_at <= l.upto;
  select w.window_seq into window_from
    from timeline_lineage(c.id) l join view_window w on w.conv = l.conv and w.seq <= least(l.upto, p_at)
   order by w.seq desc limit 1;
  select case b.type when 'turn.open' then b.turn end into open_there
    from timeline_lineage(c.id) l cross join lateral (
      select x.seq, x.type, x.turn from block x
       where x.conv = l.conv and x.seq <= least(l.upto, p_at) and x.type in ('turn.open', 'turn.close')
       order by x.seq desc limit 1) b
   order by b.seq desc limit 1;
  insert into conversation (tenant, project, owner, cid, title, last_at, parent, fork_seq, head, reactive, answered,
                            window_seq, open_turn, due_at)
    values (p_tenant, p_project, p_owner, p_new_cid, c.title, greatest(clock_timestamp(), c.last_at), source, p_at, p_at,
            p_at, p_at, coalesce(window_from, 1), open_there, case when open_there is not null then clock_timestamp() end)
    on conflict do nothing;
  select * into k from conversation x where x.tenant = p_tenant and x.project = p_project and x.cid = p_new_cid and x.owner = p_owner;
  if k.owner = p_owner and k.parent = source and k.fork_seq = p_at and k.erased_at is null then
    return query select 'forked', k.id;
  else
    return query select 'taken', null::bigint;
  end if;
end $function$

CREATE OR REPLACE FUNCTION public.timeline_lineage(p_conv bigint)
 RETURNS TABLE(conv bigint, after_seq bigint, upto bigint)
 LANGUAGE plpgsql
 STABLE STRICT ROWS 2
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.timeline_missed(p_conv bigint, p_after bigint, p_upto bigint, p_max integer)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case when count(*) = p_upto - p_after then
      coalesce(json_agg(json_build_object('seq', b.seq, 'at', iso_utc(b.at), 'type', b.type, 'turn', b.turn, 'path', b.path,
                                          'call', b.call, 'body', b.body) order by b.seq)::text, '[]') end
    from block b
   where b.conv = p_conv and b.seq > p_after and b.seq <= p_upto and p_upto - p_after <= p_max
$function$

CREATE OR REPLACE FUNCTION public.uri_component(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(string_agg(case when x.c ~ '[A-Za-z0-9_.!~*''()-]' then x.c
    else regexp_replace(upper(encode(convert_to(x.c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by x.n), '')
    from regexp_split_to_table(p_text, '') with ordinality as x (c, n)
$function$

