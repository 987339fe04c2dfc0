import { Fault } from '../../runtime/base/fault.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Cell } from './cell.ts';

type BuildOptions = {
  readonly signal: AbortSignal;
  /** Recognizes external errors (not our defects) that are not Faults yet; they become `EXEC_FAILED`. */
  readonly isOutside?: (error: unknown) => error is Error;
};

/** Builds a cell from parts that `scope` owns. If building fails, all parts are removed. */
export async function buildCell(
  { signal, isOutside }: BuildOptions,
  build: (scope: Scope) => Promise<Cell>,
): Promise<Cell> {
  const scope = new Scope();
  try {
    return await build(scope);
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    if (signal.aborted || !isOutside?.(error)) throw error;
    throw new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
  }
}
