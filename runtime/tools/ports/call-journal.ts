import type { ProgramCall } from '../../timeline/ports/store.ts';

/** The calls with effects of one program, stored so that a worker that takes over the turn finds them. Closing writes all known outcomes, within a time limit. */
export interface CallJournal extends AsyncDisposable {
  /** Durable when it resolves; the call must not run before. Fault `LEASE_LOST` if no call may begin any more. */
  begin(call: ProgramCall): Promise<void>;
  /** Records the outcome. It is written soon, at the latest on closing: a lost outcome leaves a finished call in doubt. */
  end(id: string, outcome: string): void;
  /** All calls in the order in which they began. */
  calls(): Promise<readonly ProgramCall[]>;
}
