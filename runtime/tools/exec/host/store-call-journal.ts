import { addAbortListener } from 'node:events';
import { Fault } from '../../../base/fault.ts';
import { Work } from '../../../base/signal.ts';
import type { CallId, ConversationKey } from '../../../timeline/ids.ts';
import type { JournalUpdate, ProgramCall, TimelineStore } from '../../../timeline/ports/store.ts';
import type { CallJournal } from '../../ports/call-journal.ts';
import { journalCloseMs, journalDelayMs } from '../limits.ts';

type JournalParts = {
  readonly store: Pick<TimelineStore, 'journal' | 'programCalls'>;
  /** The store's own key of the conversation. */
  readonly key: ConversationKey;
  readonly fence: number;
  /** The call that runs the program. */
  readonly program: CallId;
  readonly signal: AbortSignal;
  /** Throws once the lease may have ended. */
  readonly assertOwner: () => void;
};

export function createStoreCallJournal(place: JournalParts): CallJournal {
  return new StoreCallJournal(place);
}

/** Entries added during a write go into the next write together, and succeed or fail together. */
type WriteBatch = { readonly begun: ProgramCall[]; readonly written: Promise<void> };

class StoreCallJournal implements CallJournal {
  readonly #place: JournalParts;
  #ended: { readonly id: string; readonly outcome: string }[] = [];
  #next: WriteBatch | undefined;
  #writing: Promise<void> = Promise.resolve();
  #underWay: Work | undefined;
  #closing: Work | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(place: JournalParts) {
    this.#place = place;
  }

  async begin(call: ProgramCall): Promise<void> {
    const group = this.#group();
    group.begun.push(call);
    await group.written;
    this.#place.assertOwner();
  }

  end(id: string, outcome: string): void {
    this.#ended.push({ id, outcome });
    if (this.#closing) return;
    // Usually another call begins first, and its write includes this outcome.
    this.#timer ??= setTimeout(() => this.#group(), journalDelayMs).unref();
  }

  async calls(): Promise<readonly ProgramCall[]> {
    await this.#writing;
    const { store, key, program, signal } = this.#place;
    return store.programCalls(key, program, { signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    // Uses its own signal: outcomes are recorded even if the work was stopped.
    using closing = new Work(new AbortController().signal, { deadlineMs: journalCloseMs });
    this.#closing = closing;
    using _ = addAbortListener(closing.signal, () => this.#underWay?.stop('deadline'));
    await this.#writing;
    if (this.#ended.length === 0) return;
    this.#group();
    await this.#writing;
  }

  #group(): WriteBatch {
    if (this.#next) return this.#next;
    const begun: ProgramCall[] = [];
    const written = this.#writing.then(() => {
      this.#next = undefined;
      return this.#write(begun);
    });
    // Callers that await the batch see its failure; the next batch does not depend on it.
    this.#writing = written.catch(() => undefined);
    this.#next = { begun, written };
    return this.#next;
  }

  async #write(begun: readonly ProgramCall[]): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ended = this.#ended.splice(0);
    if (begun.length + ended.length === 0) return;
    const { key, fence, program, signal } = this.#place;
    using work = new Work(this.#closing?.signal ?? signal);
    this.#underWay = work;
    const said = { fence, program, begun, ended };
    if (!(await this.#keep(said, work))) throw new Fault('LEASE_LOST', { conversation: key });
  }

  async #keep(said: JournalUpdate, { signal }: Work): Promise<boolean> {
    try {
      return await this.#place.store.journal(this.#place.key, said, { signal });
    } catch (cause) {
      // The next write includes these outcomes.
      this.#ended.unshift(...said.ended);
      throw cause;
    }
  }
}
