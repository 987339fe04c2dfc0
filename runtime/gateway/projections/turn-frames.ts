import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { compareFrames, type Position, parseCursor, toCursor } from '../feed/cursor.ts';
import type { OpenProjection, Projection, SseFrame, StreamMark } from './projection.ts';
import { type ResumePoint, toResumeId } from './resume-point.ts';

type Options = {
  /** Where the feed begins. */
  readonly start: Position;
  /** What the client has received; its envelopes are read again for their state, and not sent. */
  readonly after: ResumePoint;
  readonly isResumable: boolean;
  /** The event whose answer ends the stream, and the turn that it joined. Undefined: the end of any turn does. */
  readonly event?: { readonly id: string; readonly turn: string } | undefined;
};

/**
 * Turns the envelopes of a conversation into frames, with one projection per turn.
 *
 * 1. Frames after a resume point are those that an unbroken stream would have sent after it, given the same envelopes.
 * 2. The id of each frame is a resume point right after it.
 */
export class TurnFrames {
  readonly #open: OpenProjection;
  readonly #conversation: string;
  readonly #options: Options;
  #answering: string | undefined;
  #projection: Projection | undefined;
  #turn = '';
  /** Cursor and position of the envelope before; the position only while catching up. */
  #cursor: string;
  #position: Position;
  #isCatchingUp = true;
  /** Frames that the client has already received. */
  #skip: number;
  /** A stream that ended while the turn waits, and nothing came since. */
  #isPaused: boolean;
  #isOver = false;

  constructor(conversation: string, open: OpenProjection, options: Options) {
    this.#conversation = conversation;
    this.#open = open;
    this.#options = options;
    this.#answering = options.event?.turn;
    this.#skip = options.after.frames;
    this.#isPaused = options.after.isPaused || options.event !== undefined;
    this.#position = options.start;
    this.#cursor = toCursor(conversation, options.start);
  }

  /** Everything that the stream is for has been sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const isNew = !this.#isCovered(envelope);
    const first = isNew ? this.#resume() : [];
    const before = this.#streams();
    const projection = this.#projectionOf(envelope);
    const frames = projection?.take(envelope) ?? [];
    this.#follow(envelope);
    const sent = isNew ? this.#identify(frames, { envelope, before }) : [];
    this.#cursor = envelope.cursor;
    if (isNew && frames.length > 0) this.#isPaused = false;
    if (isNew && projection?.isOver === true && frames.length > 0) this.#endTurn();
    return [...first, ...sent];
  }

  /** Everything that has happened so far was taken. */
  caughtUp(): readonly SseFrame[] {
    const first = this.#resume();
    const projection = this.#projection;
    if (this.#isPaused || projection?.isWaiting !== true) return first;
    this.#isPaused = true;
    this.#isOver = true;
    const frames = projection.pause?.() ?? [];
    if (!this.#options.isResumable) return [...first, ...frames];
    const rest = { frames: 0, streams: this.#streams(), isPaused: true, turn: this.#turn };
    const id = toResumeId(this.#cursor, rest);
    const last = frames.at(-1);
    return [...first, ...frames.slice(0, -1), ...(last ? [{ ...last, id }] : [])];
  }

  #endTurn(): void {
    this.#isOver = this.#answering === undefined || this.#answering === this.#turn;
  }

  /** Envelopes of no turn, such as feedback, belong to no projection unless they concern the open turn. */
  #projectionOf({ turn_id: turn, type }: WireEnvelope): Projection | undefined {
    if (turn !== '' && (turn !== this.#turn || type === 'chat.start')) {
      this.#turn = turn;
      this.#projection = this.#open({ conversation: this.#conversation, turn });
    }
    return this.#projection;
  }

  #follow({ event: { step }, data }: WireEnvelope): void {
    const { event } = this.#options;
    if (event === undefined || step !== 'event.landed' || data?.['event_id'] !== event.id) return;
    this.#answering = typeof data['turn_id'] === 'string' ? data['turn_id'] : this.#answering;
  }

  /** Whether the client has received the envelope: a block by its number, a frame by its own watermark. */
  #isCovered({ cursor }: WireEnvelope): boolean {
    if (!this.#isCatchingUp) return false;
    const at = parseCursor(this.#conversation, cursor);
    if (at === undefined) return false;
    const last = this.#position;
    this.#position = at;
    const { position } = this.#options.after;
    const isLive = compareFrames(at, last) !== 0;
    if (isLive) return compareFrames(at, position) <= 0;
    return at.seq < position.seq || (at.seq === position.seq && at.index <= position.index);
  }

  /** The first frames, once everything that the client has was read again. */
  #resume(): readonly SseFrame[] {
    if (!this.#isCatchingUp) return [];
    this.#isCatchingUp = false;
    const { after, event } = this.#options;
    const projection = this.#projection;
    const named = [...after.streams].map(
      ([name, mark]) => [name.startsWith('.') ? `${this.#turn}${name}` : name, mark] as const,
    );
    if (named.length > 0) projection?.resume?.(new Map(named));
    if (after.isPaused) projection?.pause?.();
    return event === undefined || projection?.isOver === true ? [] : (projection?.begin?.() ?? []);
  }

  #streams(): ReadonlyMap<string, StreamMark> {
    return new Map(this.#options.isResumable ? this.#projection?.streams?.() : undefined);
  }

  #identify(
    frames: readonly SseFrame[],
    { envelope, before }: { envelope: WireEnvelope; before: ReadonlyMap<string, StreamMark> },
  ): readonly SseFrame[] {
    const skipped = Math.min(this.#skip, frames.length);
    const received = this.#skip - skipped;
    this.#skip = received;
    if (!this.#options.isResumable) return frames.slice(skipped);
    const turn = this.#turn;
    const identified = frames.map((frame, index): SseFrame => {
      const isLast = index === frames.length - 1;
      if (isLast) {
        const rest = { frames: 0, streams: this.#streams(), isPaused: false, turn };
        return { ...frame, id: toResumeId(envelope.cursor, rest) };
      }
      const rest = { frames: index + 1, streams: before, isPaused: false, turn };
      return { ...frame, id: toResumeId(this.#cursor, rest) };
    });
    return identified.slice(skipped);
  }
}
