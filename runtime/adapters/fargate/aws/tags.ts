import type { Execution } from './execution.ts';

/** Of everything made for one execution that can carry them, as Docker's labels: for people, and for bills. */
export type Tags = Readonly<Record<string, string>>;

export function toTags({ cell, owner, deadlineMs }: Execution): Tags {
  return {
    'timeloom.cell': cell,
    'timeloom.owner': owner,
    'timeloom.deadline': String(Math.ceil(deadlineMs)),
  };
}
