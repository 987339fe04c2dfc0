/** An index finds feedback without reading whole logs. */
export const feedbackIndex = `
create index block_feedback on block (conv, seq) where type = 'feedback';
`;
