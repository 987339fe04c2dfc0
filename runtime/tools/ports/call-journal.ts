import type { ProgramCall } from '../../timeline/ports/store.ts';

/** The calls with effects of one program, kept where whoever takes its turn over finds them. Closing writes what is known, within bounded time. */
export interface CallJournal extends AsyncDisposable {
  /** Durable when it resolves; nothing is performed before. Fault `LEASE_LOST` where nothing may begin any more. */
  begin(call: ProgramCall): Promise<void>;
  /** Its outcome is known. Kept soon, at the latest by closing: a word that is lost leaves a call in doubt that was none. */
  end(id: string, outcome: string): void;
  /** In the order they began. */
  calls(): Promise<readonly ProgramCall[]>;
}
