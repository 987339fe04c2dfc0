import { isJsonObject } from '../../base/json.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import { emptyView, foldAll } from '../../timeline/fold/fold.ts';
import { type CallId, type Seq, toSeq } from '../../timeline/ids.ts';
import type { AppendResult } from '../../timeline/ports/append-request.ts';
import type { Lease } from '../../timeline/ports/store.ts';
import type { View } from '../../timeline/view.ts';
import { createStoreCallJournal } from '../../tools/exec/host/store-call-journal.ts';
import type { CallJournal } from '../../tools/ports/call-journal.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import { readPageMax } from '../limits.ts';
import type { Engine } from '../ports/engine.ts';
import { type AppendRules, append } from './append.ts';

/** Blocks that change what the list of conversations shows. */
const listed: ReadonlySet<string> = new Set(['turn.close', 'approval.request', 'approval.close']);

/**
 * A conversation while this worker holds its lease.
 *
 * 1. Nothing is appended once the lease may have ended (I2).
 * 2. `view` is the fold of exactly the blocks that the store holds up to `view.head`.
 */
export class LeasedConversation {
  readonly #engine: Engine;
  readonly #heldLease: LeaseKeeper;
  #view: View = emptyView;
  #reactive: Seq;
  #answered: number;
  #onSteer: (seq: Seq) => void = () => undefined;
  #onBlocks: (blocks: readonly Block[]) => void = () => undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  /** The whole log was read once. */
  #isLoaded = false;
  #announcedHead: Seq = toSeq(0);
  readonly #onGrowth = new Set<() => void>();

  constructor(engine: Engine, held: LeaseKeeper) {
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

  /** A reactive event exists that no closed turn has answered. */
  get unanswered(): boolean {
    return this.#reactive > this.#answered;
  }

  /** Called with the newest steer from every append and renewal: a fallback if the bus loses the signal. */
  onSteer(listener: (seq: Seq) => void): void {
    this.#onSteer = listener;
    this.#heldLease.onRenewed(({ head, steer }) => {
      this.noteHead(head);
      listener(steer);
    });
  }

  /** Called with all folded blocks, in order. */
  onBlocks(listener: (blocks: readonly Block[]) => void): void {
    this.#onBlocks = listener;
  }

  /** Call this right before anything that cannot be undone. */
  assertOwner(): void {
    this.#heldLease.assertAlive();
  }

  /** Journal of the calls that the program of this call makes. */
  callJournal(program: CallId): CallJournal {
    const { row, fence } = this.lease;
    const { store } = this.#engine;
    const assertOwner = () => this.assertOwner();
    const place = { key: row.key, fence, program, signal: this.signal };
    return createStoreCallJournal({ store, ...place, assertOwner });
  }

  /** The store may have blocks up to `head`: the next `refresh` reads them if the view does not have them by then. */
  noteHead(head: Seq): void {
    this.#announcedHead = toSeq(Math.max(this.#announcedHead, head));
    if (this.#announcedHead > this.#view.head) for (const wake of this.#onGrowth) wake();
  }

  /** Calls `wake` whenever the store may have blocks that the view does not have. */
  onGrowth(wake: () => void): Disposable {
    this.#onGrowth.add(wake);
    return { [Symbol.dispose]: () => this.#onGrowth.delete(wake) };
  }

  /**
   * The view with every block that is known to exist. An append brings what was written before it, so this reads only at
   * first, and when a head is announced that no append has brought. Fault `LEASE_LOST` if another worker may own the
   * conversation.
   */
  refresh(): Promise<View> {
    return this.#inOrder(async () => {
      if (!this.#isLoaded || this.#announcedHead > this.#view.head) await this.#foldNewBlocks();
      return this.#view;
    });
  }

  async #foldNewBlocks(): Promise<void> {
    for (;;) {
      const after = Math.max(this.#view.head, this.lease.row.windowSeq - 1);
      const blocks = await this.#engine.store.read(this.lease.row.key, {
        after: toSeq(after),
        limit: readPageMax,
        signal: this.signal,
      });
      this.#fold(blocks);
      this.#isLoaded = blocks.length < readPageMax;
      if (this.#isLoaded) return;
    }
  }

  #fold(blocks: readonly Block[]): void {
    // Once the lease may have ended, the blocks may be those of the next owner.
    this.assertOwner();
    this.#view = foldAll(this.#view, blocks);
    this.#onBlocks(blocks);
  }

  /**
   * Appends, notifies the bus and folds, one append after the other. Fault `LEASE_LOST` if another worker owns the
   * conversation.
   */
  append(blocks: readonly Draft[], rules: AppendRules = {}): Promise<AppendResult> {
    return this.#inOrder(() => this.#append(blocks, rules));
  }

  /** Nothing is folded twice: reads and appends wait for each other. */
  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#lastStep.then(step);
    this.#lastStep = done.catch(() => undefined);
    return done;
  }

  async #append(blocks: readonly Draft[], rules: AppendRules): Promise<AppendResult> {
    this.assertOwner();
    const owner = { engine: this.#engine, lease: this.lease, signal: this.signal };
    const knownHead = this.#isLoaded ? { knownHead: this.#view.head } : {};
    const done = await append(owner, blocks, { ...rules, ...knownHead });
    this.#reactive = done.reactive;
    this.#onSteer(done.steer);
    const { asOf } = rules;
    const closes = blocks.some((each) => each.type === 'turn.close');
    if (done.status === 'ok' && asOf !== undefined && closes) {
      this.#answered = Math.max(this.#answered, asOf);
    }
    const { bus } = this.#engine;
    bus.publish(this.lease.row.key, [{ kind: 'head', head: done.head }]);
    if (blocks.some(({ type }) => listed.has(type))) bus.touch(this.lease.row);
    if (done.status === 'ok') await this.#charge(blocks);
    if (done.blocks) this.#fold(done.blocks);
    else await this.#foldNewBlocks();
    return done;
  }

  /** Every model call of a turn is charged here, whatever asked for it. It is on the log if this fails. */
  async #charge(blocks: readonly Draft[]): Promise<void> {
    const { spending, log } = this.#engine;
    if (!spending) return;
    try {
      for (const { type, data } of blocks) {
        if (type === 'model.call' && isJsonObject(data)) {
          await spending.charge(this.lease.row, data);
        }
      }
    } catch (error) {
      log.warn('a model call was not charged', { conversation: this.lease.row.id, error });
    }
  }
}
