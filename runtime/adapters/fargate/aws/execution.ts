/** What is about to be made for one execution, and by whom. */
export type Execution = {
  /** `cell-…`; what else belongs to it is found by this name. */
  readonly cell: string;
  readonly owner: string;
  /** Milliseconds since the epoch: by then nothing of it is wanted. */
  readonly deadlineMs: number;
};
