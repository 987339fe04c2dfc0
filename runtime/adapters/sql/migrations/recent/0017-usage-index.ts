/** An index finds the model calls of a period without reading whole logs. */
export const usageIndex = `
create index if not exists block_model_call on block (at, conv) where type = 'model.call';
`;
