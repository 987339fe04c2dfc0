import { AnsweringTurn } from '../../client/protocol/answering-turn.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { compareFrames, type Position, parseCursor, toCursor } from '../feed/cursor.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark } from './projection.ts';
import { type ResumePoint, toResumeId } from './resume-point.ts';

/** The event whose answer ends the stream, the turn that it joined, and where the stream for it begins. */
export type FollowedEvent = {
  readonly id: string;
  readonly turn: string;
  readonly from: Position;
};

type Options = {
  /** Where the feed begins. */
  readonly start: Position;
  /** What the client has received; its envelopes are read again for their state, and not sent. */
  readonly after: ResumePoint;
  readonly kind: Pick<ProjectionKind, 'open' | 'isResumable' | 'endsEachTurn'>;
  /** Undefined: the end of any turn ends the stream. */
  readonly event?: FollowedEvent | undefined;
  /** The client has a part of the stream for the event. */
  readonly isResumed?: boolean | undefined;
};

type Marks = ReadonlyMap<string, StreamMark>;
const noMarks: Marks = new Map();

/**
 * Turns the envelopes of a conversation into frames, with one projection per turn.
 *
 * 1. Frames after a resume point are those that an unbroken stream would have sent after it, given the same envelopes.
 * 2. The id of each frame is a resume point right after it.
 */
export class TurnFrames {
  readonly #conversation: string;
  readonly #options: Options;
  readonly #answering: AnsweringTurn | undefined;
  #projection: Projection | undefined;
  #turn = '';
  /** Cursor and position of the envelope before; the position only while catching up. */
  #cursor: string;
  #position: Position;
  #isCatchingUp = true;
  #hasJoined: boolean;
  /** Frames of the next envelope: those that the client has already received, and those that were sent ahead of it. */
  #skip: number;
  #ahead = 0;
  /** What the frames so far have shown. */
  #shown: Marks = noMarks;
  /** A stream that ended while the turn waits, and nothing came since. */
  #isPaused: boolean;
  #isOver = false;

  constructor(conversation: string, options: Options) {
    const { start, after, event, isResumed = false } = options;
    this.#conversation = conversation;
    this.#options = options;
    this.#answering = event && new AnsweringTurn(event.id, event.turn);
    this.#hasJoined = event === undefined;
    this.#skip = after.frames;
    this.#isPaused = after.isPaused || (event !== undefined && !isResumed);
    this.#position = start;
    this.#cursor = toCursor(conversation, start);
  }

  /** Everything that the stream is for has been sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Until the first envelope that the client has not received. */
  get isCatchingUp(): boolean {
    return this.#isCatchingUp;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const { isNew, isJoined } = this.#place(envelope);
    const first = isJoined ? this.#join() : [];
    if (isNew) this.#resume();
    const projection = this.#projectionOf(envelope);
    const frames = this.#shownOf(envelope, projection?.take(envelope) ?? []);
    const all = first.length === 0 ? frames : [...first, ...frames];
    const sent = isNew ? this.#identify(all, envelope) : [];
    this.#cursor = envelope.cursor;
    if (isNew && frames.length > 0) this.#isPaused = false;
    if (isNew) this.#isOver ||= this.#isLast(envelope, frames);
    return sent;
  }

  /** Everything that has happened so far was taken. */
  caughtUp(): readonly SseFrame[] {
    const first = this.#joinAhead();
    this.#resume();
    const projection = this.#projection;
    if (this.#isPaused || projection?.isWaiting !== true) return first;
    this.#isPaused = true;
    this.#isOver = true;
    const frames = projection.pause?.() ?? [];
    if (!this.#options.kind.isResumable) return [...first, ...frames];
    const id = this.#id(this.#cursor, { streams: this.#marks(), isPaused: true });
    const last = frames.at(-1);
    return [...first, ...frames.slice(0, -1), ...(last ? [{ ...last, id }] : [])];
  }

  /** Envelopes of no turn, such as feedback, belong to no projection unless they concern the open turn. */
  #projectionOf({ turn_id: turn, type }: WireEnvelope): Projection | undefined {
    if (turn !== '' && (turn !== this.#turn || type === 'chat.start')) {
      this.#turn = turn;
      this.#shown = noMarks;
      this.#projection = this.#options.kind.open({ conversation: this.#conversation, turn });
    }
    return this.#projection;
  }

  /** Not the end of a turn that has not read the message, unless the protocol needs it. */
  #shownOf(
    { type, event: { step }, turn_id: turn, data = {} }: WireEnvelope,
    frames: readonly SseFrame[],
  ): readonly SseFrame[] {
    this.#answering?.endsWith({ type, step, turn, data });
    if (this.#answering?.isWaiting !== true || this.#options.kind.endsEachTurn) return frames;
    return this.#projection?.isOver === true ? [] : frames;
  }

  /** The end of the turn that is followed, or the recall of a message that no turn has read. */
  #isLast({ event: { step }, data }: WireEnvelope, frames: readonly SseFrame[]): boolean {
    const { event } = this.#options;
    if (event && this.#answering?.isWaiting)
      return step === 'event.recalled' && data?.['event_id'] === event.id;
    const isFollowed = this.#answering === undefined || this.#answering.id === this.#turn;
    return this.#projection?.isOver === true && frames.length > 0 && isFollowed;
  }

  /** Whether the client has not received the envelope, and whether it is the first of its own stream. */
  #place({ cursor }: WireEnvelope): { readonly isNew: boolean; readonly isJoined: boolean } {
    if (!this.#isCatchingUp) return { isNew: true, isJoined: false };
    const at = parseCursor(this.#conversation, cursor) ?? this.#position;
    // A block may follow frames that were left to it: they moved the watermark without an envelope of their own.
    const last = this.#position;
    const isMoved = at.seq !== last.seq || at.index !== last.index;
    const isLive = !isMoved && compareFrames(at, last) !== 0;
    const isService = at === this.#position || cursor === this.#cursor;
    this.#position = at;
    const { after, event } = this.#options;
    const isNew = isService || !covers(after.position, at, isLive);
    const isJoined = !this.#hasJoined && (!event || isNew || !covers(event.from, at, isLive));
    return { isNew, isJoined };
  }

  #join(): readonly SseFrame[] {
    this.#hasJoined = true;
    const projection = this.#projection;
    return projection === undefined || projection.isOver ? [] : (projection.begin?.() ?? []);
  }

  /** The beginning of a stream is sent at once, also if nothing happens in its turn for a while. */
  #joinAhead(): readonly SseFrame[] {
    if (this.#hasJoined) return [];
    const frames = this.#join();
    this.#ahead = frames.length;
    const {
      after,
      kind: { isResumable },
    } = this.#options;
    const sent = frames.map((frame, index) =>
      isResumable ? { ...frame, id: this.#id(this.#cursor, { frames: index + 1 }) } : frame,
    );
    this.#skip = Math.max(0, after.frames - frames.length);
    return sent.slice(after.frames);
  }

  /** Once everything that the client has was read again. */
  #resume(): void {
    if (!this.#isCatchingUp) return;
    this.#isCatchingUp = false;
    const { after } = this.#options;
    const named = [...after.streams].map(
      ([name, mark]) => [name.startsWith('.') ? `${this.#turn}${name}` : name, mark] as const,
    );
    if (named.length > 0) this.#projection?.resume?.(new Map(named));
    if (after.isPaused) this.#projection?.pause?.();
    this.#shown = this.#marks();
  }

  #marks(): Marks {
    return (this.#options.kind.isResumable ? this.#projection?.streams?.() : undefined) ?? noMarks;
  }

  #id(cursor: string, point: Partial<Omit<ResumePoint, 'position'>>): string {
    const { frames = 0, streams = noMarks, isPaused = false } = point;
    return toResumeId(cursor, { frames, streams, isPaused, turn: this.#turn });
  }

  #identify(frames: readonly SseFrame[], envelope: WireEnvelope): readonly SseFrame[] {
    if (frames.length === 0) return frames;
    const [skipped, ahead] = [Math.min(this.#skip, frames.length), this.#ahead];
    this.#skip -= skipped;
    this.#ahead = 0;
    if (!this.#options.kind.isResumable) return skipped === 0 ? frames : frames.slice(skipped);
    const before = this.#shown;
    this.#shown = this.#marks();
    const identified = frames.map((frame, index) => {
      const isLast = index === frames.length - 1;
      const id = isLast
        ? this.#id(envelope.cursor, { streams: this.#shown })
        : this.#id(this.#cursor, { frames: ahead + index + 1, streams: before });
      return { ...frame, id };
    });
    return skipped === 0 ? identified : identified.slice(skipped);
  }
}

/** Whether a position covers an envelope at another one: a block by its number, a live one by its own watermark. */
function covers(position: Position, at: Position, isLive: boolean): boolean {
  // A position that was never in a stream knows no frames.
  if (isLive && position.fence === 0) return at.seq < position.seq;
  if (isLive) return compareFrames(at, position) <= 0;
  return at.seq < position.seq || (at.seq === position.seq && at.index <= position.index);
}
