/** Owners of blobs between the halves of one execution: each side writes one and reads the other. */
export const snapshotOf = { inputs: 'inputs', outputs: 'outputs' } as const;
