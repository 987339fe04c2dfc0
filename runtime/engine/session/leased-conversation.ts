import { Fault } from '../../base/fault.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { emptyView, foldAll } from '../../timeline/fold/fold.ts';
import type { AppendRequest, AppendResult, Lease } from '../../timeline/ports/store.ts';
import type { View } from '../../timeline/view.ts';
import { createCallJournal } from '../../tools/exec/host/store-call-journal.ts';
import type { CallJournal } from '../../tools/ports/call-journal.ts';
import type { HeldLease } from '../lease/held-lease.ts';
import { readPageMax } from '../limits.ts';
import type { Engine } from '../ports/engine.ts';

type AppendRules = Pick<AppendRequest, 'asOf' | 'gate' | 'expectHead' | 'window' | 'dueInMs'>;

/**
 * A conversation while this worker owns it.
 *
 * 1. Nothing is appended once the lease may have ended (I2).
 * 2. `view` is the fold of exactly the blocks that the store holds up to `view.head`.
 */
export class LeasedConversation {
  readonly #engine: Engine;
  readonly #heldLease: HeldLease;
  #view: View = emptyView;
  #reactive: number;
  #answered: number;
  #onSteer: (seq: number) => void = () => undefined;
  #onBlocks: (blocks: readonly Block[]) => void = () => undefined;
  #lastAppend: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, held: HeldLease) {
    this.#engine = engine;
    this.#heldLease = held;
    this.#reactive = held.lease.row.reactive;
    this.#answered = held.lease.row.answered;
  }

  get lease(): Lease {
    return this.#heldLease.lease;
  }

  get view(): View {
    return this.#view;
  }

  /** Aborts when the lease is lost or the worker shuts down. */
  get signal(): AbortSignal {
    return this.#heldLease.signal;
  }

  /** A reactive event that no closed turn has rendered. */
  get unanswered(): boolean {
    return this.#reactive > this.#answered;
  }

  /** Every append's reply tells the newest steer: a safety net under the bus's signal. */
  onSteer(listener: (seq: number) => void): void {
    this.#onSteer = listener;
    this.#heldLease.onSteer(listener);
  }

  /** Told of everything that is folded, in order. */
  onBlocks(listener: (blocks: readonly Block[]) => void): void {
    this.#onBlocks = listener;
  }

  /** Called right before anything that cannot be undone. */
  assertOwner(): void {
    this.#heldLease.assertAlive();
  }

  /** Of the calls that the program of this call makes. */
  callJournal(program: string): CallJournal {
    const { row, fence } = this.lease;
    const { store } = this.#engine;
    const assertOwner = () => this.assertOwner();
    const place = { conversation: row.key, fence, program, signal: this.signal };
    return createCallJournal({ store, ...place, assertOwner });
  }

  /** Folds what the store holds beyond the view. Fault `LEASE_LOST` when it may be somebody else's. */
  async foldNewBlocks(): Promise<View> {
    for (;;) {
      const after = Math.max(this.#view.head, this.lease.row.windowSeq - 1);
      const blocks = await this.#engine.store.read(this.lease.row.key, {
        after,
        limit: readPageMax,
        signal: this.signal,
      });
      // Once the lease may have ended, what is read may be the work of the next owner.
      this.assertOwner();
      this.#view = foldAll(this.#view, blocks);
      this.#onBlocks(blocks);
      if (blocks.length < readPageMax) return this.#view;
    }
  }

  /** Appends, tells the bus, and folds, one after the other. Fault `LEASE_LOST` when somebody else owns the conversation now. */
  append(blocks: readonly Draft[], rules: AppendRules = {}): Promise<AppendResult> {
    const done = this.#lastAppend.then(() => this.#append(blocks, rules));
    this.#lastAppend = done.catch(() => undefined);
    return done;
  }

  async #append(
    blocks: readonly Draft[],
    { asOf, gate, expectHead, window, dueInMs }: AppendRules,
  ): Promise<AppendResult> {
    this.assertOwner();
    const { key } = this.lease.row;
    const done = await this.#engine.store.append(
      key,
      {
        fence: this.lease.fence,
        op: this.#engine.ids.next('op'),
        blocks,
        ...(asOf === undefined ? {} : { asOf }),
        ...(gate === undefined ? {} : { gate }),
        ...(expectHead === undefined ? {} : { expectHead }),
        ...(window === undefined ? {} : { window }),
        ...(dueInMs === undefined ? {} : { dueInMs }),
      },
      { signal: this.signal },
    );
    if (done.status === 'fenced') throw new Fault('LEASE_LOST', { conversation: key });
    if (done.status === 'gone') throw new Fault('CONVERSATION_GONE', { conversation: key });
    this.#reactive = done.reactive;
    this.#onSteer(done.steer);
    if (
      done.status === 'ok' &&
      asOf !== undefined &&
      blocks.some((each) => each.type === 'turn.close')
    ) {
      this.#answered = Math.max(this.#answered, asOf);
    }
    this.#engine.bus.publish(key, [{ kind: 'head', head: done.head }]);
    await this.foldNewBlocks();
    return done;
  }
}
