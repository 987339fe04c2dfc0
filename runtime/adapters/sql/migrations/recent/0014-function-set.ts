/** Which functions of the files in `functions` the database has; the highest revision is the one in force. */
export const functionSets = `
create table function_set (
  revision int primary key,
  hash     text not null
);
`;
