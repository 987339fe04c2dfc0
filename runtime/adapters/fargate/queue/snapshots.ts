/** Blob owners for the exchange between runtime and task: each side writes one and reads the other. */
export const snapshotOf = { inputs: 'inputs', outputs: 'outputs' } as const;
