/**
 * The search index of memory: turns in order, words with their scopes, a lexicon for misspelt words, and vectors. All of
 * it can be rebuilt from blocks.
 */
export const timelineMemory = `
-- One number for whose memory it is. It only narrows a search; what may be shown is decided by the conversation's row.
create function memory_scope(p_tenant text, p_project text, p_owner text) returns bigint language sql immutable as $f$
  select hashtextextended(p_tenant || E'\\x1f' || p_project || E'\\x1f' || p_owner, 0)
$f$;

-- Case, accents and width do not matter to a search, in whatever language.
create function memory_plain(p_text text) returns text language sql immutable parallel safe as $f$
  select lower(normalize(regexp_replace(normalize(p_text, NFKD), '[\\u0300-\\u036f]+', '', 'g'), NFC))
$f$;

create function memory_agent(p_open_body text) returns text language sql immutable parallel safe as $f$
  -- The runtime wrote this JSON and escaped every quote within its texts, so a key stands only where it is one.
  select substring(p_open_body from '"bundle":"([^"]*)"') || '/' || substring(p_open_body from '"agent":"([^"]*)"')
$f$;

create table turn (                      -- the turns of a conversation, in order
  conv    bigint not null references conversation (id),
  ordinal bigint not null,
  turn    text not null,
  seq     bigint not null,
  at      timestamptz not null,
  scope   bigint not null,
  agent   text,
  primary key (conv, ordinal),
  foreign key (conv, seq) references block (conv, seq) on delete cascade
);
create unique index turn_name on turn (conv, turn);
create index turn_seq on turn (conv, seq);
create index turn_time on turn (scope, at, conv, ordinal);

create function turn_opened() returns trigger language plpgsql as $f$
begin
  insert into turn (conv, ordinal, turn, seq, at, scope, agent)
    select new.conv, 1 + coalesce((select max(t.ordinal) from turn t where t.conv = new.conv), 0), new.turn, new.seq, new.at,
           memory_scope(c.tenant, c.project, c.owner), memory_agent(new.body)
      from conversation c where c.id = new.conv
    on conflict do nothing;
  return null;
end $f$;
create trigger turn_opened after insert on block for each row when (new.type = 'turn.open') execute function turn_opened();
insert into turn (conv, ordinal, turn, seq, at, scope, agent)
  select b.conv, row_number() over (partition by b.conv order by b.seq), b.turn, b.seq, b.at,
         memory_scope(c.tenant, c.project, c.owner), memory_agent(b.body)
    from block b join conversation c on c.id = b.conv where b.type = 'turn.open';

-- Before the unit separator of a snippet's text stands what it is about (anchors, a file's name), which weighs more.
-- 'simple' is right for every language. '@' begins no word, so the names of scopes cannot be asked for.
drop index snippet_words;
alter table snippet drop column words;
alter table snippet
  add column id bigint generated always as identity,  -- order of arrival, whatever the clock says
  add column scope bigint, add column turn text, add column agent text, add column words tsvector;
create function snippet_placed() returns trigger language plpgsql as $f$
declare
  sep int := position(E'\\x1f' in new.text);
begin
  select memory_scope(c.tenant, c.project, c.owner), b.turn, t.agent into new.scope, new.turn, new.agent
    from conversation c join block b on b.conv = c.id and b.seq = new.seq
    left join turn t on t.conv = b.conv and t.turn = b.turn
   where c.id = new.conv;
  new.words := setweight(to_tsvector('simple', memory_plain(substr(new.text, sep + 1))), 'B')
    || array_to_tsvector(array['@s' || new.scope, '@c' || new.conv, '@a' || new.scope || '/' || coalesce(new.agent, '')]);
  if sep > 0 then
    new.words := setweight(to_tsvector('simple', memory_plain(left(new.text, sep - 1))), 'A') || new.words;
  end if;
  return new;
end $f$;
create trigger snippet_placed before insert or update of text on snippet for each row execute function snippet_placed();
update snippet set text = text;
alter table snippet alter column scope set not null, alter column turn set not null, alter column words set not null;
create index snippet_words on snippet using gin (words);
create index snippet_time on snippet (scope, at desc);
create unique index snippet_id on snippet (id);

-- Every word that some snippet has, so that a misspelt one can be mended. Only ever joined to a search within one
-- scope, and gone with the last snippet that has it.
create table lexicon (word text collate "C" primary key);
create function lexicon_word(p_lexeme text) returns bool language sql immutable as $f$
  select length(p_lexeme) <= 40 and (length(p_lexeme) >= 4 or octet_length(p_lexeme) > length(p_lexeme))
     and p_lexeme ~ '^[a-z\\u0080-\\U0010FFFF]+$'
$f$;
-- In order, so that two writers that bring the same new words do not wait for each other in a circle.
create function lexicon_add() returns trigger language plpgsql as $f$
begin
  insert into lexicon (word)
    select distinct x.lexeme from fresh, unnest(fresh.words) x
     where lexicon_word(x.lexeme) and not exists (select from lexicon l where l.word = x.lexeme) order by 1
    on conflict do nothing;
  return null;
end $f$;
create function lexicon_drop() returns trigger language plpgsql as $f$
begin
  delete from lexicon l using (select distinct x.lexeme from gone, unnest(gone.words) x where lexicon_word(x.lexeme)) g
   where l.word = g.lexeme and not exists (select from snippet s where s.words @@ quote_literal(g.lexeme)::tsquery);
  return null;
end $f$;
create trigger lexicon_add after insert on snippet referencing new table as fresh
  for each statement execute function lexicon_add();
create trigger lexicon_drop after delete on snippet referencing old table as gone
  for each statement execute function lexicon_drop();
insert into lexicon (word)
  select distinct x.lexeme from snippet s, unnest(s.words) x where lexicon_word(x.lexeme);

create table projection (                -- what is made from the log beside it, and how far it has come
  id          int generated always as identity primary key,
  name        text not null unique,
  position    bigint not null default 0,
  dimensions  int,
  indexed     bool not null default false,
  lease_until timestamptz
);
create table snippet_vector (            -- what a snippet means, in one embedder's space; null: it cannot be embedded
  space  int not null references projection (id) on delete cascade,
  conv   bigint not null,
  seq    bigint not null,
  scope  bigint not null,
  target text not null,
  at     timestamptz not null,
  sign   bit varying,                    -- the signs of the components: near vectors share most of them
  vector real[],
  primary key (space, conv, seq),
  foreign key (conv, seq) references snippet (conv, seq) on delete cascade
);
create index snippet_vector_near on snippet_vector (space, scope, conv, seq) include (target, at, sign);
create index snippet_vector_of on snippet_vector (conv, seq);

-- Without trigrams search is by whole words and their beginnings.
do $d$ begin
  create index lexicon_alike on lexicon using gin (word gin_trgm_ops);
exception when undefined_object then null;
end $d$;
-- Without pgvector vectors are compared by their signs; with it, each space gets an index of its own when it is first used.
do $d$ begin
  create extension if not exists vector;
exception when insufficient_privilege or undefined_file or feature_not_supported then null;
end $d$;
`;
