/** Feedback is found without reading the logs it stands in. */
export const feedbackIndex = `
create index block_feedback on block (conv, seq) where type = 'feedback';
`;
