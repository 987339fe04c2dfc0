/** The log, its rows, and its two writes. Both lock the conversation's row first; isolation is READ COMMITTED; the database's clock only. */
export const timelineTables = `
create table conversation (
  id         bigint generated always as identity primary key,
  tenant     text not null,
  project    text not null,
  owner      text not null,
  cid        text not null,
  title      text,
  created_at timestamptz not null default clock_timestamp(),
  last_at    timestamptz not null default clock_timestamp(),
  head       bigint not null default 0,
  reactive   bigint not null default 0,  -- seq of the last reactive event
  answered   bigint not null default 0,  -- reactive events up to here were rendered by a turn that closed
  steer      bigint not null default 0,
  window_seq bigint not null default 1,  -- first block a reader must fold
  open_turn  text,
  last_op    text,                       -- makes the owner's append repeatable after a lost reply
  last_first bigint,
  last_status text,
  fence      bigint not null default 0,
  lease_by   text,
  lease_until timestamptz,
  attempts   int not null default 0,     -- take-overs since the last closed round
  due_at     timestamptz,                -- somebody must look at it then; the only indexed volatile column
  erased_at  timestamptz,
  unique (tenant, project, cid)
) with (fillfactor = 60);
create index conversation_due on conversation (due_at) where due_at is not null;
create index conversation_owner on conversation (tenant, project, owner);

create table block (
  conv bigint not null references conversation (id),
  seq  bigint not null,
  at   timestamptz not null,
  type text not null,
  turn text not null,
  path text,
  call text,
  body text not null,                    -- JSON as text: jsonb reorders, rewrites numbers, refuses NUL
  primary key (conv, seq)
);
create unique index block_one_close on block (conv, turn) where type = 'turn.close';
create unique index block_one_result on block (conv, call) where type = 'react.tool.result';
create index block_path on block (conv, path, seq desc) where path is not null;

create table accepted (                  -- idempotency belongs to the sender, not to the conversation
  tenant text not null, project text not null, owner text not null, message text not null,
  digest text not null,
  conv   bigint, cid text, turn text, seq bigint,
  at     timestamptz not null default clock_timestamp(),
  primary key (tenant, project, owner, message)
);

create table snippet (                   -- what can be found again by its words; rebuildable from blocks
  conv   bigint not null references conversation (id),
  seq    bigint not null,
  at     timestamptz not null,
  target text not null,
  text   text not null,
  words  tsvector generated always as (to_tsvector('english', text)) stored,
  primary key (conv, seq)
);
create index snippet_words on snippet using gin (words);

create function iso_utc(p_at timestamptz) returns text language sql immutable as $f$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$f$;

-- Trigrams find misspelt words; where the extension may not be installed, search is by words alone.
do $d$ begin
  create extension if not exists pg_trgm;
exception when insufficient_privilege or undefined_file or feature_not_supported then null;
end $d$;
`;
