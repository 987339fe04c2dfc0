/** The erasure of a user is repeated once, for what a slow writer has left. */
export const lateErasure = `
alter table user_erasure add column if not exists late boolean not null default false;
`;
