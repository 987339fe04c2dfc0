/** Users pin conversations to the top of their list. */
export const pins = `
alter table conversation add column if not exists pinned boolean not null default false;
`;
