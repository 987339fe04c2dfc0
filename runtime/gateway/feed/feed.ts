import type { Clock } from '../../base/clock.ts';
import { isFault, toWire } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Cancelled } from '../../base/signal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { Bus, DeltaFrame, Frame, Note } from '../../engine/ports/bus.ts';
import type { Block } from '../../timeline/block.ts';
import { noTurn, type Seq, toSeq } from '../../timeline/ids.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';
import { type Position, wholeBlock } from './cursor.ts';
import { EnvelopeEncoder } from './envelope-encoder.ts';
import { FrameQueue } from './frame-queue.ts';
import { pollHead } from './head-polls.ts';
import { feedPageMax, feedRetryMs } from './limits.ts';
import { loadSources } from './load-sources.ts';

export type FeedDeps = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
};

/** The destination of envelopes. `ready` resolves when it can take more. */
export type Sink = {
  send(envelope: WireEnvelope): void;
  ready(signal: AbortSignal): Promise<void>;
  /** It can take more now. Absent: only `ready` tells. */
  hasRoom?(): boolean;
  /** Everything that has happened so far was sent. Called again whenever that is so. */
  caughtUp?(): void;
  /** The feed has closed itself and sends nothing more: the conversation was erased, or the feed failed. */
  end(): void;
};

/** What a feed knows of its conversation. */
export type FollowedConversation = Pick<
  ConversationRow,
  'tenant' | 'project' | 'user' | 'key' | 'id' | 'head' | 'windowSeq'
>;

export function openFeed(
  deps: FeedDeps,
  row: FollowedConversation,
  { start, sink }: { start: Position; sink: Sink },
): Feed {
  return new Feed(deps, row, { start, sink });
}

/**
 * One subscription: first the history, then live events, in one order, without gap or duplicate. Blocks are read from
 * the store; a note only announces them. Frames come from the bus; if they arrive faster than the subscriber reads, the
 * rest is read from the buffer of the bus later.
 */
export class Feed implements AsyncDisposable {
  readonly #deps: FeedDeps;
  readonly #row: FollowedConversation;
  readonly #start: Position;
  readonly #sink: Sink;
  readonly #encoder: EnvelopeEncoder;
  readonly #stop = new AbortController();
  readonly #subscription: Disposable;
  readonly #running: Promise<void>;
  #head: Seq;
  readonly #frames = new FrameQueue();
  #folded = false;
  #erased = false;
  /** A note arrived since the last step. */
  #hasNote = false;
  /** It has everything up to a moment, and its frames since then. */
  #isCaughtUp = false;
  /** It waits for a note. */
  #isIdle = false;
  #wake: () => void = () => undefined;
  readonly #polls: Disposable;

  constructor(
    deps: FeedDeps,
    row: FollowedConversation,
    { start, sink }: { start: Position; sink: Sink },
  ) {
    this.#deps = deps;
    this.#row = row;
    this.#start = start;
    this.#sink = sink;
    this.#encoder = new EnvelopeEncoder(row.id, start, row);
    this.#head = row.head;
    this.#subscription = deps.bus.subscribe(row.key, (note) => this.#note(note));
    this.#running = this.#run();
    // The bus may lose notes.
    this.#polls = pollHead(deps, row.key, (head) => {
      if (head === undefined) this.#note({ kind: 'erased' });
      else if (head > this.#head) this.#note({ kind: 'head', head });
    });
  }

  /** A turn is open, or there is something left to send. */
  get isActive(): boolean {
    return this.#encoder.turn !== noTurn || this.#encoder.position.seq < this.#head;
  }

  /** Sent last when the subscription ends in favor of another one: the client can subscribe again from this cursor. */
  evict(): void {
    const message =
      'the socket now follows other conversations; subscribe again to follow this one';
    this.#sink.send(this.#encoder.serviceMessage({ code: 'unsubscribed', message, ended: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    await this.#running;
  }

  #stopListening(): void {
    this.#subscription[Symbol.dispose]();
    this.#polls[Symbol.dispose]();
    this.#stop.abort(new Cancelled('shutdown'));
    this.#wake();
  }

  #note(note: Note): void {
    if (note.kind === 'frame' && note.frame.kind === 'delta' && this.#sendAtOnce(note.frame))
      return;
    if (note.kind === 'head') this.#head = toSeq(Math.max(this.#head, note.head));
    else if (note.kind === 'frame') this.#enqueue(note.frame);
    else this.#erased = true;
    this.#hasNote = true;
    this.#wake();
  }

  /** Nearly every delta: the subscriber has everything before it, and room. False: it takes its turn. */
  #sendAtOnce(frame: DeltaFrame): boolean {
    const { seq } = this.#encoder.position;
    if (!this.#isIdle || this.#head > seq || frame.after > seq) return false;
    if (!this.#frames.isEmpty || this.#sink.hasRoom?.() !== true) return false;
    this.#send(this.#encoder.frame(frame));
    this.#sink.caughtUp?.();
    return true;
  }

  #enqueue(frame: Frame): void {
    this.#head = toSeq(Math.max(this.#head, frame.after));
    this.#frames.push(frame);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const isStopped = () => signal.aborted;
    while (!isStopped()) {
      try {
        await this.#sink.ready(signal);
        if (this.#erased) this.#end();
        else if (!(await this.#step(signal))) {
          this.#isCaughtUp = true;
          this.#sink.caughtUp?.();
          await this.#waitForNote();
        }
      } catch (error) {
        if (!isStopped()) await this.#recover(error, signal);
      }
    }
  }

  #end(): void {
    this.#send(this.#encoder.erased());
    this.#stopListening();
    this.#sink.end();
  }

  /** True if there may be more: something was sent, or a note arrived in between. */
  async #step(signal: AbortSignal): Promise<boolean> {
    this.#hasNote = false;
    return (await this.#advance(signal)) || this.#wasNotified();
  }

  #wasNotified(): boolean {
    return this.#hasNote;
  }

  /** One step; false if there is nothing to send. */
  async #advance(signal: AbortSignal): Promise<boolean> {
    if (!this.#folded) await this.#foldStart(signal);
    const head = this.#head;
    const { seq } = this.#encoder.position;
    const page = head > seq ? await this.#page(seq, signal) : [];
    // Streams that these blocks replace need not be sent piece by piece, unless the subscriber has seen them begin: the
    // pieces of other streams would then overtake theirs.
    this.#encoder.announce(this.#isCaughtUp ? [] : page);
    const sent = await this.#sendFrames(signal);
    if (head <= seq) return sent;
    for (const block of page) {
      await loadSources(this.#encoder, block, { ...this.#deps, key: this.#row.key, signal });
      await this.#sendFrames(signal);
      await this.#sink.ready(signal);
      this.#send(this.#encoder.block(block));
    }
    // The store has no more blocks: unless a note raised the head in between, this is the end.
    if (page.length === 0 && this.#head === head) this.#head = this.#encoder.position.seq;
    return sent || page.length > 0;
  }

  /** Folds what the subscriber has already seen, without sending it. */
  async #foldStart(signal: AbortSignal): Promise<void> {
    const { seq, index } = this.#start;
    // Notes published between the caller's read of the conversation and this point were missed.
    await this.#deps.bus.flush({ signal });
    await this.#refreshHead(signal);
    if (seq > 0) await this.#refill(signal);
    while (this.#encoder.position.seq < seq) {
      const page = await this.#page(this.#encoder.position.seq, signal);
      for (const block of page.filter((each) => each.seq <= seq)) {
        await loadSources(this.#encoder, block, { ...this.#deps, key: this.#row.key, signal });
        const envelopes = this.#encoder.block(block);
        if (block.seq === seq && index !== wholeBlock) this.#send(envelopes.slice(index + 1));
      }
      if (page.length === 0) break;
    }
    this.#encoder.resume();
    this.#folded = true;
  }

  async #refreshHead(signal: AbortSignal): Promise<void> {
    const row = await this.#deps.store.find(this.#row, this.#row.id, { signal });
    if (row) this.#head = toSeq(Math.max(this.#head, row.head));
    else this.#note({ kind: 'erased' });
  }

  /** Refills the queue from the buffer of the bus: later frames, and late frames of the turn being sent. */
  #refill(signal: AbortSignal): Promise<void> {
    this.#isCaughtUp = false;
    const { seq, since } = this.#encoder.position;
    const isDue = ({ after, turn }: Frame) => after >= seq || turn === this.#encoder.turn;
    return this.#frames.refill(async () => {
      const { bus } = this.#deps;
      const buffered = await bus.frames(this.#row.key, toSeq(Math.max(0, since - 1)), { signal });
      const due = buffered.filter(isDue);
      if (this.#folded) this.#encoder.replay(due);
      else this.#encoder.restore(due);
      return due.filter((frame) => !this.#encoder.isSent(frame));
    });
  }

  /** Sends the frames whose block was sent, in order. */
  async #sendFrames(signal: AbortSignal): Promise<boolean> {
    const { seq } = this.#encoder.position;
    let sent = false;
    for (;;) {
      if (this.#frames.needsRefill) await this.#refill(signal);
      await this.#sink.ready(signal);
      const frame = this.#frames.take(seq);
      if (!frame) return sent;
      this.#send(this.#encoder.frame(frame));
      sent = true;
    }
  }

  #send(envelopes: readonly WireEnvelope[]): void {
    for (const envelope of envelopes) this.#sink.send(envelope);
  }

  #page(after: Seq, signal: AbortSignal): Promise<readonly Block[]> {
    return this.#deps.store.read(this.#row.key, { after, limit: feedPageMax, signal });
  }

  /** Waits for a note; one that arrived after the last step began could not wake anything. */
  async #waitForNote(): Promise<void> {
    if (this.#hasNote || this.#stop.signal.aborted) return;
    this.#isIdle = true;
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        this.#isIdle = false;
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const facts = { conversation: this.#row.id, error };
    const isOver = !isFault(error) || error.kind !== 'transient';
    this.#sink.send(
      this.#encoder.serviceMessage({ ...toWire(error), ...(isOver && { ended: true }) }),
    );
    if (isOver) {
      this.#deps.log.error('subscription ended', facts);
      this.#stopListening();
      this.#sink.end();
      return;
    }
    this.#deps.log.warn('subscription interrupted', facts);
    try {
      await this.#deps.clock.sleep(feedRetryMs, { signal });
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }
}
