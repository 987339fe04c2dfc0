import type { Execution } from './execution.ts';

/** Tags on every resource of an execution that supports them, like Docker labels: for operators, and for billing. */
export type Tags = Readonly<Record<string, string>>;

export function toTags({ cell, owner, deadlineMs }: Execution): Tags {
  return {
    'timeloom.cell': cell,
    'timeloom.owner': owner,
    'timeloom.deadline': String(Math.ceil(deadlineMs)),
  };
}
