import type { JsonObject } from '../base/json.ts';
import { replaceCitations } from '../channels/citations.ts';
import type { WireEnvelope } from '../client/envelope.ts';
import type { DeltaFrame, Frame } from '../engine/ports/bus.ts';
import type { Block } from '../timeline/block.ts';
import { noTurn } from '../timeline/stored.ts';
import type { SourceRow } from '../timeline/view.ts';
import { compareFrames, type Position, toCursor, wholeBlock } from './cursor.ts';
import { type Said, type Surroundings, tellBlock } from './envelopes.ts';
import { citedBy, TurnMemory, toSource } from './turn-memory.ts';
import { objectOf, textOf } from './wire-json.ts';

/** Where an envelope stands, besides its cursor. */
type Place = { readonly turn: string; readonly ts: string; readonly round: number | undefined };

/**
 * Tells one conversation to one subscriber: blocks in order of seq, frames in between, each as envelopes with
 * cursors. The same blocks and frames give the same envelopes, wherever a telling began:
 *
 * 1. A frame is told after the block it names, or late; never twice (by its watermark).
 * 2. After the block made from a stream, or after its turn, nothing of that stream is told.
 * 3. Once a higher fence has spoken, lower ones are dropped, and what they left open is reset.
 */
export class Narrator {
  readonly #conversation: string;
  readonly #sources = new Map<number, SourceRow>();
  #position: Position;
  #ts = '';
  #turn = new TurnMemory(noTurn, 'agent');

  constructor(conversation: string, start: Position) {
    this.#conversation = conversation;
    this.#position = { ...start, seq: start.since - 1, index: wholeBlock };
  }

  get position(): Position {
    return this.#position;
  }

  /** The turn being told. */
  get turn(): string {
    return this.#turn.id;
  }

  /** Source ids that the block cites and that have not been told. */
  missing(block: Block): readonly number[] {
    return citedBy(block).filter((sid) => !this.#sources.has(sid));
  }

  /** Rows of earlier turns, for the links of the next answer. */
  learn(rows: readonly SourceRow[]): void {
    for (const row of rows) this.#sources.set(row.sid, row);
  }

  block(block: Block): readonly WireEnvelope[] {
    this.#fold(block);
    const said = tellBlock(block, this.#surroundings());
    const place = { turn: block.turn, ts: block.at, round: this.#turn.round };
    const envelopes = said.map((each, index) => {
      const whole = index === said.length - 1;
      this.#move({ seq: block.seq, index: whole ? wholeBlock : index });
      return this.#envelope(each, place);
    });
    this.#move({ seq: block.seq, index: wholeBlock });
    if (block.type === 'turn.close') this.#begin(noTurn, { agent: 'agent', since: block.seq + 1 });
    return envelopes;
  }

  /** Frames told before this telling began: which streams they left open. */
  recall(frame: Frame): void {
    if (frame.turn !== this.#turn.id || this.#turn.isFinished(frame)) return;
    this.#turn.takeOver(frame.fence);
    if (frame.kind === 'delta') this.#turn.stream(frame);
  }

  frame(frame: Frame): readonly WireEnvelope[] {
    if (compareFrames(frame, this.#position) <= 0) return [];
    if (frame.turn !== this.#turn.id || this.#turn.isFinished(frame)) return [];
    const place = { turn: frame.turn, ts: this.#ts, round: frame.round };
    const resets = this.#resets(frame, place);
    this.#move({ fence: frame.fence, number: frame.number });
    if (frame.kind === 'live') return [...resets, this.#live(frame, place)];
    this.#turn.stream(frame);
    return [...resets, this.#delta(frame, place)];
  }

  /** Something is wrong with the telling itself; it goes on from here once it can. */
  trouble(data: { code: string; message: string }): WireEnvelope {
    const event = { agent: this.#turn.agent, step: 'subscription', status: 'error' as const };
    const place = { turn: this.#turn.id, ts: this.#ts, round: undefined };
    return this.#envelope({ type: 'chat.service', event, data }, place);
  }

  /** A take-over leaves open what the owner before it was saying: that is dropped at the client, stream by stream. */
  #resets(frame: Frame, at: Place): readonly WireEnvelope[] {
    const left = this.#turn.takeOver(frame.fence);
    return left.flatMap((stream, index) => {
      // A place of its own before the frame, for a subscriber that leaves between two of them.
      const place = { fence: frame.fence, number: frame.number - left.length + index };
      if (compareFrames(place, this.#position) <= 0) return [];
      this.#move(place);
      const event = { agent: this.#turn.agent, step: 'stream.reset', status: 'update' as const };
      return [this.#envelope({ type: 'stream.reset', event, data: { stream } }, at)];
    });
  }

  #live(frame: Frame & { kind: 'live' }, place: Place): WireEnvelope {
    const data: JsonObject = { ...objectOf(frame.data) };
    if (frame.type === 'stream.reset') this.#turn.finish(textOf(data['stream']));
    const event = { agent: this.#turn.agent, step: frame.type, status: 'update' as const };
    return this.#envelope({ type: frame.type, event, data }, place);
  }

  #delta(frame: DeltaFrame, place: Place): WireEnvelope {
    const { channel, instance, stream, marker, text, offset, completed, artifact } = frame;
    const named = artifact && {
      artifact: artifact.name,
      ...(artifact.mime !== undefined && { mime: artifact.mime }),
      ...(artifact.title !== undefined && { title: artifact.title }),
    };
    const delta = { channel, instance, stream, marker, text, offset, completed, ...named };
    const status = completed ? ('completed' as const) : ('running' as const);
    const event = { agent: this.#turn.agent, step: channel, status };
    return { ...this.#head('chat.delta', place), event, delta };
  }

  #envelope({ type, event, data }: Said, place: Place): WireEnvelope {
    return { ...this.#head(type, place), event, data };
  }

  #head(type: string, { turn, ts, round }: Place) {
    const names = { conversation_id: this.#conversation, turn_id: turn };
    const cursor = toCursor(this.#conversation, this.#position);
    const inRound = round === undefined ? {} : { round };
    return { v: 1 as const, type, cursor, seq: this.#position.seq, ts, ...names, ...inRound };
  }

  #fold(block: Block): void {
    this.#ts = block.at;
    if (block.turn !== noTurn && block.turn !== this.#turn.id) {
      const agent = textOf(objectOf(block.data)['agent']) || 'agent';
      this.#begin(block.turn, { agent, since: block.seq });
    }
    const source = block.type === 'source.row' ? toSource(block) : undefined;
    if (source) this.learn([source]);
    this.#turn.fold(block);
  }

  #begin(turn: string, { agent, since }: { agent: string; since: number }): void {
    this.#turn = new TurnMemory(turn, agent);
    this.#move({ since });
  }

  #surroundings(): Surroundings {
    const turn = this.#turn;
    const rows = [...turn.cited].flatMap((sid) => this.#sources.get(sid) ?? []);
    return {
      agent: turn.agent,
      call: (id) => turn.calls.get(id),
      cited: rows,
      linked: (text) => replaceCitations(text, (sid) => this.#sources.get(sid)),
    };
  }

  #move(step: Partial<Position>): void {
    this.#position = { ...this.#position, ...step };
  }
}
