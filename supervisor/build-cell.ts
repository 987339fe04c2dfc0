import { Fault } from '../runtime/base/fault.ts';
import { Scope } from '../runtime/base/scope.ts';
import type { Cell } from './cell.ts';

type BuildOptions = {
  readonly signal: AbortSignal;
  /** What the world said, as opposed to what is wrong with us, and is no Fault yet: it becomes `EXEC_FAILED`. */
  readonly isOutside?: (error: unknown) => error is Error;
};

/** A cell of parts that `scope` owns; of one that cannot be finished nothing is left. */
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
