import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { beginning } from '../feed/cursor.ts';
import { textOf } from '../feed/wire-json.ts';
import type { FrameResponse } from '../http/frame-stream.ts';
import type { OpenProjection, SseFrame } from '../projections/projection.ts';
import { type ResumePoint, sentUpTo } from '../projections/resume-point.ts';
import { TurnFrames } from '../projections/turn-frames.ts';
import { delegatePollMs } from './limits.ts';

export type DelegateParts = {
  readonly open: OpenProjection;
  readonly clock: Clock;
  /** What the client has of their conversations. Absent: nothing. */
  readonly places?: ReadonlyMap<string, ResumePoint | 'all'> | undefined;
  /** The conversation of the same user; undefined: it does not exist yet. */
  find(conversation: string, signal: AbortSignal): Promise<ConversationRow | undefined>;
};

/** In place of the id of a frame: the client has the whole turn. */
export const wholeTurn = '';

/**
 * Shows the turns of agents that work on calls of a turn on its stream. What follows the result of such a call waits
 * until the turn behind it was shown to its end.
 */
export class Delegates {
  readonly #parts: DelegateParts;
  readonly #conversations = new Map<string, string>();
  /** Calls whose turn is being shown. */
  readonly #shown = new Set<string>();
  /** Those of them whose result is known. */
  readonly #ended = new Set<string>();
  #held: SseFrame[] = [];
  #response: FrameResponse | undefined;

  constructor(parts: DelegateParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  attach(response: FrameResponse): void {
    this.#response = response;
  }

  /** The frames of the turn itself that may be sent now. `isCovered`: the client has them already. */
  take(
    { type, data = {} }: WireEnvelope,
    frames: readonly SseFrame[],
    isCovered: boolean,
  ): readonly SseFrame[] {
    const call = workOf(data);
    if (type === 'agent.call') this.#conversations.set(call, textOf(data['conversation']));
    const isEnd = type === 'agent.result' || (type === 'chat.tool' && data['state'] === 'done');
    if (isEnd) this.#end(call);
    if (!isCovered) this.showAll();
    if (this.#ended.size === 0) return frames;
    this.#held.push(...frames);
    return [];
  }

  /** Follows every agent that works on a call and is not followed yet. */
  showAll(): void {
    for (const [call, conversation] of this.#conversations) this.#follow(call, conversation);
    this.#conversations.clear();
  }

  /** The result of a call that the client has seen leaves nothing to show. */
  #end(call: string): void {
    this.#conversations.delete(call);
    if (this.#shown.has(call)) this.#ended.add(call);
  }

  #follow(call: string, conversation: string): void {
    const response = this.#response;
    const place = this.#parts.places?.get(conversation) ?? sentUpTo(beginning);
    if (response === undefined || place === 'all') return;
    this.#shown.add(call);
    this.#open(call, conversation, { response, after: place }).catch(() => this.#release(call));
  }

  /** A call is on the log before the conversation of its agent exists. */
  async #open(
    call: string,
    conversation: string,
    { response, after }: { readonly response: FrameResponse; readonly after: ResumePoint },
  ): Promise<void> {
    const { open, clock, find } = this.#parts;
    let row = await find(conversation, response.signal);
    while (row === undefined && !this.#ended.has(call)) {
      await clock.sleep(delegatePollMs, { signal: response.signal });
      row = await find(conversation, response.signal);
    }
    if (row === undefined) return this.#release(call);
    const frames = new TurnFrames(row.id, {
      start: beginning,
      after,
      kind: { open, isResumable: true },
    });
    const take = (envelope: WireEnvelope) => {
      const taken = (frames.isOver ? [] : frames.take(envelope)).map((frame) => ({
        ...frame,
        of: conversation,
        ...(frames.isOver ? { id: wholeTurn } : {}),
      }));
      return frames.isOver ? [...taken, ...this.#released(call)] : taken;
    };
    response.follow({ row, start: beginning, take });
  }

  #release(call: string): void {
    this.#response?.write(() => this.#released(call));
  }

  #released(call: string): readonly SseFrame[] {
    this.#shown.delete(call);
    this.#ended.delete(call);
    const held = this.#ended.size === 0 ? this.#held : [];
    if (this.#ended.size === 0) this.#held = [];
    return held;
  }
}

/** A call, or a step of its plan. */
function workOf({ call, step }: JsonObject): string {
  return step === undefined ? textOf(call) : `${textOf(call)} ${textOf(step)}`;
}
