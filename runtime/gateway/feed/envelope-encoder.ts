import type { JsonObject } from '../../base/json.ts';
import { replaceCitations } from '../../channels/citations/citations.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { usageOf } from '../../engine/model/usage.ts';
import type { DeltaFrame, Frame } from '../../engine/ports/bus.ts';
import type { Block } from '../../timeline/block.ts';
import { noTurn, type StreamName, type TurnId, toSeq, toStreamName } from '../../timeline/ids.ts';
import type { SourceRow } from '../../timeline/view.ts';
import { toEnvelopes } from './block-envelopes.ts';
import { citedInCanvas } from './canvas-links.ts';
import {
  compareFrames,
  comparePositions,
  framePartsMax,
  framePosition,
  type Position,
  toCursor,
  wholeBlock,
} from './cursor.ts';
import {
  deltaBody,
  type EnvelopeBody,
  type LiveBody,
  liveData,
  type TurnContext,
} from './envelope-body.ts';
import { sharedEnvelope } from './shared-envelopes.ts';
import { citedBy, type FileOwner, nameFiles, TurnState, toSource } from './turn-state.ts';
import { objectOf, textOf } from './wire-json.ts';

const nothing: ReadonlySet<StreamName> = new Set();
/** Only read: what the envelopes between two turns depend on. */
const betweenTurns = new TurnState(noTurn, 'agent');

/** The turn, time and round of an envelope. */
type EnvelopeTurn = {
  readonly turn: TurnId;
  readonly ts: string;
  readonly round: number | undefined;
};

/**
 * Encodes one conversation for one subscriber: blocks in order of seq, frames in between, each as envelopes with
 * cursors. The same blocks and frames give the same envelopes, wherever a subscription began:
 *
 * 1. A frame is sent after the block it names, or late; never twice (by its watermark).
 * 2. After the block made from a stream, or after its turn, nothing of that stream is sent; nor before it, if the
 *    block exists already. A progress step is sent as its frame or as its block, not as both.
 * 3. Once a frame of a higher fence has arrived, lower ones are dropped, and the streams they left open are reset; so
 *    are those that a closed round leaves open. Every stream ends in one of three ways: completed, replaced by its
 *    block, or reset.
 */
export class EnvelopeEncoder {
  readonly #conversation: string;
  readonly #owner: FileOwner | undefined;
  readonly #sources = new Map<number, SourceRow>();
  readonly #start: Position;
  #position: Position;
  #ts = '';
  /** Undefined between two turns. */
  #turn: TurnState | undefined;
  #restored: readonly Frame[] = [];
  /** Streams whose block is about to be sent. */
  #announced = nothing;

  /** Without an owner, files have no resource names. */
  constructor(conversation: string, start: Position, owner?: FileOwner) {
    this.#conversation = conversation;
    this.#owner = owner;
    this.#start = start;
    this.#position = { ...start, seq: toSeq(start.since - 1), index: wholeBlock };
  }

  get position(): Position {
    return this.#position;
  }

  /** The turn being sent. */
  get turn(): TurnId {
    return this.#context.id;
  }

  get #context(): Omit<TurnState, 'fold' | 'record' | 'openStream' | 'drop' | 'abandoned'> {
    return this.#turn ?? betweenTurns;
  }

  /** The blocks that are sent next: parts of their streams that were not sent yet are left to the blocks. */
  announce(blocks: readonly Block[]): void {
    if (blocks.length === 0) this.#announced = nothing;
    else
      this.#announced = new Set(
        blocks.map(({ data }) => toStreamName(textOf(objectOf(data)['stream']))),
      );
  }

  /** Source ids that the block cites and that are not known yet. */
  missingSources(block: Block): readonly number[] {
    return [...citedBy(block), ...citedInCanvas(block)].filter((sid) => !this.#sources.has(sid));
  }

  /** Rows of earlier turns, for the links of the next answer. */
  addSources(rows: readonly SourceRow[]): void {
    for (const row of rows) this.#sources.set(row.sid, row);
  }

  block(block: Block): readonly WireEnvelope[] {
    this.#fold(block);
    const before = this.#restored.findIndex(({ after }) => after >= block.seq);
    const known = this.#restored.slice(0, before < 0 ? undefined : before);
    this.#restored = this.#restored.slice(known.length);
    this.replay(known);
    const left = this.#turn?.abandoned(block) ?? [];
    const resets = left.map((stream) => this.#live('stream.reset', { stream }));
    const all = toEnvelopes(block, this.#turnContext());
    const bodies = [
      ...all.filter(({ type, data }) => this.#turn?.record(type, data) ?? true),
      ...resets,
    ];
    const place = { turn: block.turn, ts: block.at, round: this.#turn?.round };
    const envelopes = bodies.map((each, index) => {
      const whole = index === bodies.length - 1;
      this.#move({ seq: block.seq, index: whole ? wholeBlock : index });
      return this.#envelope(each, place);
    });
    this.#move({ seq: block.seq, index: wholeBlock });
    if (block.type === 'turn.close') this.#begin(undefined, block.seq + 1);
    return envelopes;
  }

  /** Whether the whole frame was sent already. */
  isSent(frame: Frame): boolean {
    return compareFrames(framePosition(frame), this.#position) <= 0;
  }

  /** Frames of which some were sent before this subscription began: the streams they left open may end with a block. */
  restore(frames: readonly Frame[]): void {
    this.#restored = frames.filter((frame) => this.isSent(frame));
  }

  /** The subscriber has no more blocks than those that were folded: the restored frames after the last one follow. */
  resume(): void {
    this.replay(this.#restored);
    this.#restored = [];
  }

  /** Replays the frames that were sent already, to know which streams they left open. */
  replay(frames: readonly Frame[]): void {
    for (const frame of frames) {
      const turn = this.isSent(frame) ? this.#turnOf(frame) : undefined;
      turn?.drop(frame);
      if (frame.kind === 'delta') turn?.openStream(frame);
      else turn?.record(frame.type, objectOf(frame.data));
    }
  }

  frame(frame: Frame): readonly WireEnvelope[] {
    if (this.isSent(frame)) return [];
    const turn = this.#turnOf(frame);
    if (turn === undefined) return [];
    const resets = this.#resets(frame, turn);
    if (frame.kind === 'delta' && resets.length === 0) return this.#delta(frame, turn);
    const bodies = [...resets, ...this.#bodies(frame, turn)];
    const place = { turn: frame.turn, ts: this.#ts, round: frame.round };
    const envelopes = bodies.flatMap((each, index) => {
      const at = framePosition(frame, index === bodies.length - 1 ? undefined : index);
      if (compareFrames(at, this.#position) <= 0) return [];
      this.#move(at);
      return [{ ...this.#head(each.type, place), ...each }];
    });
    this.#move(framePosition(frame));
    return envelopes;
  }

  /** Undefined: the frame belongs to another turn, or its stream is finished. */
  #turnOf(frame: Frame): TurnState | undefined {
    const turn = this.#turn;
    return turn === undefined || frame.turn !== turn.id || turn.isFinished(frame)
      ? undefined
      : turn;
  }

  /** Nearly every frame: one envelope, the same for all subscribers. */
  #delta(frame: DeltaFrame, turn: TurnState): readonly WireEnvelope[] {
    this.#move(framePosition(frame));
    if (!this.#shows(frame, turn)) return [];
    const subscriber = { position: this.#position, ts: this.#ts, agent: turn.agent };
    return [
      sharedEnvelope(frame, subscriber, () => {
        const place = { turn: frame.turn, ts: this.#ts, round: frame.round };
        return { ...this.#head('chat.delta', place), ...deltaBody(frame, turn) };
      }),
    ];
  }

  /** A message about the subscription itself, which continues unless `ended` is set. */
  serviceMessage(data: { code: string; message: string; ended?: boolean }): WireEnvelope {
    const event = { agent: this.#context.agent, step: 'subscription', status: 'error' as const };
    const place = { turn: this.turn, ts: this.#ts, round: undefined };
    const envelope = this.#envelope({ type: 'chat.service', event, data }, place);
    // While it still folds what the subscriber has, a client that resumes here must not receive that again.
    if (comparePositions(this.#position, this.#start) >= 0) return envelope;
    const { seq } = this.#start;
    return { ...envelope, cursor: toCursor(this.#conversation, this.#start), seq };
  }

  /** The last envelopes of a conversation: an open turn ends, and so does the subscription. */
  erased(): readonly WireEnvelope[] {
    const data = { code: 'conversation_erased', message: 'the conversation was erased' };
    const service = this.serviceMessage(data);
    if (this.#turn === undefined) return [service];
    const event = { ...service.event, step: 'turn' };
    return [{ ...service, type: 'chat.error', event }, service];
  }

  /** Resets the streams that will not be finished. */
  #resets(frame: Frame, turn: TurnState): readonly LiveBody[] {
    const left = turn.drop(frame).slice(0, framePartsMax - 1);
    return left.map((stream) => this.#live('stream.reset', { stream }));
  }

  #bodies(frame: Frame, turn: TurnState): readonly LiveBody[] {
    if (frame.kind === 'live') {
      turn.record(frame.type, objectOf(frame.data));
      return frame.type === 'stream.reset' ? [] : [this.#live(frame.type, liveData(frame, turn))];
    }
    return this.#shows(frame, turn) ? [deltaBody(frame, turn)] : [];
  }

  /** Whether the delta is sent: its block may be about to be. */
  #shows(frame: DeltaFrame, turn: TurnState): boolean {
    if (this.#announced.has(frame.stream)) return false;
    turn.openStream(frame);
    return true;
  }

  #live(type: string, data: JsonObject): EnvelopeBody {
    return { type, event: { agent: this.#context.agent, step: type, status: 'update' }, data };
  }

  #envelope({ type, event, data }: EnvelopeBody, place: EnvelopeTurn): WireEnvelope {
    return { ...this.#head(type, place), event, data };
  }

  #head(type: string, { turn, ts, round }: EnvelopeTurn) {
    const names = { conversation_id: this.#conversation, turn_id: turn === noTurn ? '' : turn };
    const cursor = toCursor(this.#conversation, this.#position);
    const inRound = round === undefined ? {} : { round };
    return { v: 1 as const, type, cursor, seq: this.#position.seq, ts, ...names, ...inRound };
  }

  #fold(block: Block): void {
    this.#ts = block.at;
    if (block.turn !== noTurn && block.turn !== this.turn) {
      const agent = textOf(objectOf(block.data)['agent']) || 'agent';
      this.#begin(new TurnState(block.turn, agent), block.seq);
    }
    const source = block.type === 'source.row' ? toSource(block) : undefined;
    if (source) this.addSources([source]);
    this.#turn?.fold(block);
  }

  #begin(turn: TurnState | undefined, since: number): void {
    this.#turn = turn;
    this.#move({ since });
  }

  #turnContext(): TurnContext {
    const turn = this.#context;
    const rows = [...turn.cited].flatMap((sid) => this.#sources.get(sid) ?? []);
    return {
      agent: turn.agent,
      call: (id) => turn.calls.get(id),
      landed: turn.landed,
      cited: rows,
      usage: () => usageOf(turn.modelCalls),
      resource: nameFiles(this.#conversation, this.#owner),
      linked: (text, format) => replaceCitations(text, (sid) => this.#sources.get(sid), format),
    };
  }

  #move(step: Partial<Position>): void {
    this.#position = { ...this.#position, ...step };
  }
}
