import type { Figure } from './figure.ts';

export type Measured = {
  readonly figures: readonly Figure[];
  /** What could not be measured here, and why: one line each. */
  readonly missing?: readonly string[];
};

/** One part of the program, measured beside the obvious alternative. */
export type Area = () => Promise<Measured> | Measured;

export function missing(what: string, error: unknown): string {
  const [because = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `${what} was not measured: ${because}`;
}
