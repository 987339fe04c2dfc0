/** What an agent can do, as far as its instruction depends on it. */
export type Abilities = { readonly hasPrograms: boolean };

/** The call of examples for agents without programs. */
export const lookUpCall = '{"tool_id":"react.memsearch","params":{"query":"budget"}}';
