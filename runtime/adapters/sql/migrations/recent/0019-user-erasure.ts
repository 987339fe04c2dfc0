/** Erasure of a whole user: an outbox like that of conversations, and an index of what bundles keep for one user. */
export const userErasure = `
create table if not exists user_erasure (
  tenant  text not null,
  project text not null,
  owner   text not null,
  asked   int not null default 1,
  at      timestamptz not null default clock_timestamp(),
  due_at  timestamptz not null,
  primary key (tenant, project, owner)
);
create index if not exists user_erasure_due on user_erasure (due_at);
create index if not exists stored_value_user on stored_value
  (split_part(space, '/', 5), split_part(space, '/', 2), split_part(space, '/', 3))
  where split_part(space, '/', 1) in ('user', 'secret', 'user-props');
`;
