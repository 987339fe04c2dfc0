import { isFault } from '../../base/fault.ts';
import { Cancelled } from '../../base/signal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { Surface } from '../../sdk/contract/surface.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { type Feed, type FeedDeps, openFeed } from '../feed/feed.ts';
import { startAt } from '../feed/history.ts';
import type { ChatRecords } from './chat-records.ts';
import type { ChatView } from './chat-view.ts';
import { surfaceRetryMs, typingMs } from './limits.ts';
import { Transcript } from './transcript.ts';

type Parts = {
  readonly deps: FeedDeps;
  readonly surface: Surface;
  readonly records: ChatRecords;
  readonly chat: string;
  readonly view: ChatView;
};

/** One chat that shows its conversation as it goes on. */
export class FollowedChat implements AsyncDisposable {
  readonly conversation: string;
  readonly #parts: Parts;
  readonly #transcript = new Transcript();
  readonly #stop = new AbortController();
  readonly #feed: Feed;
  readonly #running: Promise<void>;
  #cursor: string | undefined;
  /** Something is not shown yet. */
  #isStale = false;
  #wake: () => void = () => undefined;
  #shown: (() => void)[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts, row: ConversationRow) {
    this.#parts = parts;
    this.conversation = row.id;
    this.#cursor = parts.view.record.before;
    const sink = {
      send: (envelope: WireEnvelope) => this.#take(envelope),
      ready: () => this.#untilEndIsShown(),
      end: () => this.#stop.abort(new Cancelled('shutdown')),
    };
    this.#stop.signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#feed = openFeed(parts.deps, row, { start: startAt(row, this.#cursor), sink });
    this.#running = this.#run();
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** A turn is open. */
  get isOpen(): boolean {
    return this.#transcript.isOpen;
  }

  /** Whether the message with this id shows the turn that is running. */
  isLive(id: string): boolean {
    return this.isOpen && this.#parts.view.keyOf(id) === this.#transcript.live;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Cancelled('shutdown'));
    this.#settle();
    await this.#feed[Symbol.asyncDispose]();
    await this.#running;
  }

  #take(envelope: WireEnvelope): void {
    if (envelope.type === 'chat.start') this.#parts.view.startTurn(envelope.turn_id, this.#cursor);
    this.#transcript.take(envelope);
    this.#cursor = envelope.cursor;
    this.#isStale = true;
    this.#wake();
  }

  /** The next turn replaces the transcript, so the end of this one is shown before more is taken. */
  async #untilEndIsShown(): Promise<void> {
    if (!this.#isStale || this.#transcript.isOpen || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => this.#shown.push(resolve));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock } = this.#parts.deps;
    try {
      for (;;) {
        if (!this.#isStale) await new Promise<void>((resolve) => (this.#wake = resolve));
        signal.throwIfAborted();
        const pauseMs = await this.#sync(signal);
        await clock.sleep(pauseMs, { signal });
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }

  /** Returns the pause before the next change. */
  async #sync(signal: AbortSignal): Promise<number> {
    const { surface, view, records, chat, deps } = this.#parts;
    const { isOpen, messages } = this.#transcript;
    this.#isStale = false;
    try {
      if (isOpen) await this.#showTyping(signal);
      await view.show(messages, signal);
      await view.save();
      await records.setOpen(chat, isOpen);
      if (!this.#isStaleNow()) this.#settle();
      return surface.limits.editMs;
    } catch (error) {
      signal.throwIfAborted();
      const isLasting = !isFault(error) || error.kind !== 'transient';
      deps.log.warn('chat not updated', { surface: surface.name, chat, isLasting, error });
      // For example, the person has blocked the account.
      if (isLasting) await this.#giveUp();
      this.#isStale = true;
      return surfaceRetryMs;
    }
  }

  /** A fresh look: something may have changed while the chat was updated. */
  #isStaleNow(): boolean {
    return this.#isStale;
  }

  async #showTyping(signal: AbortSignal): Promise<void> {
    const { surface, chat, deps } = this.#parts;
    const now = deps.clock.monotonic();
    if (now - this.#typedAt < typingMs) return;
    this.#typedAt = now;
    await surface.indicateTyping(chat, { signal });
  }

  async #giveUp(): Promise<void> {
    await this.#parts.records.setOpen(this.#parts.chat, false);
    this.#stop.abort(new Cancelled('shutdown'));
    this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#shown.splice(0)) resolve();
  }
}
