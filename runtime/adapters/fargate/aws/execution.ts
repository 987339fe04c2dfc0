/** One execution: the resources that will be created for it, and their owner. */
export type Execution = {
  /** `cell-…`; all resources of the execution are found by this name. */
  readonly cell: string;
  readonly owner: string;
  /** Milliseconds since the epoch: after this, all its resources may be removed. */
  readonly deadlineMs: number;
};
