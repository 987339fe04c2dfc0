import { MissingService } from '../tools/services/services.ts';
import type { Figure } from './figure.ts';

/** What could not be measured here, and why, in one line. */
export type Gap = {
  readonly line: string;
  /** The machine lacks a service; otherwise the benchmark is at fault. */
  readonly isExpected: boolean;
};

export type Measured = {
  readonly figures: readonly Figure[];
  readonly missing?: readonly Gap[];
};

/** One part of the program, measured beside the obvious alternative. */
export type Area = () => Promise<Measured> | Measured;

export function missing(what: string, error: unknown): Gap {
  const [because = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return {
    line: `${what} was not measured: ${because}`,
    isExpected: error instanceof MissingService,
  };
}
