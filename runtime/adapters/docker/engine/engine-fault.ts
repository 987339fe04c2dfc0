import { Fault, isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { isEngineError } from './connect.ts';

/** What the engine or the way to it says is Fault `EXEC_FAILED`. */
export async function withEngineFault(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (isFault(error) || isRefusal(error) || !isEngineError(error)) throw error;
    throw new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
  }
}
