import { setMaxListeners } from 'node:events';
import { isFault, toWire } from '../../base/fault.ts';
import { Scope } from '../../base/scope.ts';
import { Cancelled, isAborted, untilAborted, Work } from '../../base/signal.ts';
import type { ConversationRow, Lease } from '../../timeline/ports/store.ts';
import { LeaseKeeper } from '../lease/lease-keeper.ts';
import {
  leaseRenewMs,
  leaseTtlMs,
  sweepBatchMax,
  sweepEveryMs,
  turnsPerWorkerMax,
} from '../limits.ts';
import { Publisher } from '../live/publisher.ts';
import type { AgentChoice, Engine } from '../ports/engine.ts';
import { LeasedConversation } from '../session/leased-conversation.ts';
import { WorkerSession } from '../session/session.ts';
import { abandonTurn } from './abandon-turn.ts';
import { BlockObservers } from './block-observers.ts';
import { handOver, releaseLease } from './hand-over.ts';
import { runTurn } from './turn-loop.ts';

/** A lease taken by the sweep, and the monotonic time before the request. */
type SweptLease = { readonly lease: Lease; readonly since: number };

/**
 * Handles wakes, and sweeps for lost ones. At most one session per conversation and `turnsMax` in all; further
 * conversations wait for a free slot.
 */
export class Worker implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #turnsMax: number;
  readonly #work: Work;
  readonly #scope = new Scope();
  readonly #running = new Map<ConversationRow['key'], Promise<void>>();
  readonly #waiting = new Set<ConversationRow['key']>();
  readonly #observers = new BlockObservers();
  /** Slots reserved for the running sweep. */
  #slotsForSweep = 0;

  constructor(engine: Engine, { signal }: { signal: AbortSignal }) {
    this.#engine = engine;
    this.#work = new Work(signal);
    this.#turnsMax = engine.turnsMax ?? turnsPerWorkerMax;
    setMaxListeners(listenersPerTurn * this.#turnsMax, this.#work.signal);
    const wakes = engine.bus.onWake((key) => this.#wake(key));
    const sweeping = this.#sweep();
    this.#scope.defer(() => this.#work[Symbol.dispose]());
    this.#scope.defer(() => this.idle());
    this.#scope.defer(() => sweeping);
    this.#scope.defer(() => wakes[Symbol.dispose]());
    this.#scope.defer(() => this.#work.stop('shutdown'));
  }

  /** Number of conversations with a running session. */
  get busy(): number {
    return this.#running.size;
  }

  /** Resolves when no session is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }

  #wake(key: ConversationRow['key']): void {
    this.#waiting.add(key);
    this.#fill();
  }

  #fill(): void {
    for (const key of this.#waiting) {
      if (this.#freeSlots <= 0 || this.#work.signal.aborted) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#start(key);
    }
  }

  get #freeSlots(): number {
    return this.#turnsMax - this.#running.size - this.#slotsForSweep;
  }

  #start(key: ConversationRow['key'], swept?: SweptLease): void {
    const session = this.#acquireAndRun(key, swept).finally(() => {
      if (this.#running.get(key) === session) this.#running.delete(key);
      this.#fill();
    });
    this.#running.set(key, session);
  }

  /** Never rejects: a failure of one conversation is logged and must not stop the others. */
  async #acquireAndRun(key: ConversationRow['key'], swept?: SweptLease): Promise<void> {
    const { store, clock, log } = this.#engine;
    const { signal } = this.#work;
    try {
      const since = swept?.since ?? clock.monotonic();
      const lease =
        swept?.lease ??
        (await store.acquire(key, {
          worker: this.#engine.worker,
          ttlMs: leaseTtlMs,
          signal,
        }));
      if (!lease) return;
      const pending = await this.#runSession(lease, since);
      if (pending) this.#waiting.add(key);
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof Cancelled || (isFault(error) && error.kind === 'transient');
      log[known ? 'warn' : 'error']('a session ended early', { conversation: key, error });
    }
  }

  async #runSession(lease: Lease, since: number): Promise<boolean> {
    using hold = this.#engine.hold?.(lease.row);
    const engine = hold
      ? { ...this.#engine, agent: (choice: AgentChoice) => hold.agent(choice) }
      : this.#engine;
    const { key } = lease.row;
    let pending = false;
    {
      await using held = new LeaseKeeper(engine, { lease, since, signal: this.#work.signal });
      using publisher = new Publisher(engine.bus, {
        key,
        fence: lease.fence,
        head: lease.row.head,
      });
      await using session = new WorkerSession(
        engine,
        new LeasedConversation(engine, held),
        publisher,
      );
      this.#observers.follow(session);
      using _steers = engine.bus.onSteer(key, (seq) => session.steer(seq));
      using _notes = engine.bus.subscribe(key, (note) => {
        if (note.kind === 'erased') held.lose();
        if (note.kind === 'head') session.conversation.noteHead(note.head);
      });
      try {
        await this.#runTurn(session);
        pending = await releaseLease(session);
      } finally {
        if (isAborted(this.#work.signal)) await this.#handOver(session);
      }
    }
    return pending;
  }

  async #runTurn(session: WorkerSession): Promise<void> {
    try {
      await runTurn(session);
    } catch (error) {
      session.conversation.signal.throwIfAborted();
      // The next owner retries a transient fault; the plan counts how often.
      if (isFault(error) && error.kind === 'transient') throw error;
      const { id } = session.conversation.lease.row;
      this.#engine.log.error('a turn failed', { conversation: id, error });
      await abandonTurn(session, toWire(error));
    }
  }

  /** Never rejects: another worker takes over what cannot be handed over, once the lease has ended. */
  async #handOver(session: WorkerSession): Promise<void> {
    try {
      await handOver(session);
    } catch (error) {
      const { id } = session.conversation.lease.row;
      this.#engine.log.warn('a conversation was not handed over', { conversation: id, error });
    }
  }

  async #sweepOnce(signal: AbortSignal): Promise<void> {
    const { store, clock, worker } = this.#engine;
    const limit = Math.min(sweepBatchMax, this.#freeSlots);
    if (limit <= 0) return;
    const since = clock.monotonic();
    this.#slotsForSweep = limit;
    try {
      // A store that never answers must not keep these slots.
      using asking = new Work(signal, { deadlineMs: leaseRenewMs });
      const request = { worker, limit, ttlMs: leaseTtlMs, signal: asking.signal };
      const leases = await untilAborted(store.sweep(request), asking.signal);
      for (const lease of leases) this.#start(lease.row.key, { lease, since });
    } finally {
      this.#slotsForSweep = 0;
      this.#fill();
    }
  }

  async #sweep(): Promise<void> {
    const { clock, log } = this.#engine;
    const { signal } = this.#work;
    while (!signal.aborted) {
      try {
        await this.#sweepOnce(signal);
        await clock.sleep(sweepEveryMs, { signal });
      } catch (error) {
        if (isAborted(signal)) return;
        log.warn('the sweep failed and will be retried', { error });
        await clock.sleep(sweepEveryMs, { signal }).catch(() => undefined);
      }
    }
  }
}

/** Listeners on the worker's signal: each turn's own work, and the renewal of its lease. */
const listenersPerTurn = 2;
