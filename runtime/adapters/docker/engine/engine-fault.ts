import { Fault, isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { isEngineError } from './connect.ts';

/** Turns errors of the engine or the connection to it into Fault `EXEC_FAILED`. */
export async function withEngineFault(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (isFault(error) || isRefusal(error) || !isEngineError(error)) throw error;
    throw new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
  }
}
