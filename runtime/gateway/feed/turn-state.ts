import type { Json, JsonObject } from '../../base/json.ts';
import type { DeltaFrame, Frame } from '../../engine/ports/bus.ts';
import type { Block } from '../../timeline/block.ts';
import { type StreamName, type TurnId, toStreamName } from '../../timeline/ids.ts';
import { type ResourceOwner, resourceOf } from '../../timeline/resource-names.ts';
import { factsOf } from '../../timeline/source-facts.ts';
import type { SourceRow } from '../../timeline/view.ts';
import { objectOf, textOf } from './wire-json.ts';

/** The state of the turn being sent, as far as its later envelopes depend on it. */
export class TurnState {
  readonly id: TurnId;
  readonly agent: string;
  readonly calls = new Map<string, { readonly tool: string; readonly input: Json }>();
  /** Ids of the sources that the turn's answers cite, in order of first mention. */
  readonly cited = new Set<number>();
  /** Message ids of the events that its rounds have read. */
  readonly landed = new Set<string>();
  round: number | undefined;
  /** Model calls so far. */
  readonly modelCalls: Block[] = [];
  #fence = 0;
  /** Started streams that no block has finished. */
  readonly #open = new Map<StreamName, { readonly round: number; readonly completed: boolean }>();
  readonly #finished = new Set<StreamName>();
  readonly #closedRounds = new Set<number>();
  /** Progress steps that were sent, by call. */
  readonly #steps = new Set<string>();

  constructor(id: TurnId, agent: string) {
    this.id = id;
    this.agent = agent;
  }

  fold(block: Block): void {
    if (block.turn !== this.id) return;
    const data = objectOf(block.data);
    const { round, stream, tool, input } = data;
    if (block.type === 'round.open' && typeof round === 'number') this.round = round;
    for (const event of landedIn(block)) this.landed.add(event);
    if (block.type === 'react.tool.call' && block.call !== undefined) {
      this.calls.set(block.call, { tool: textOf(tool), input: input ?? null });
    }
    if (block.type === 'model.call') this.modelCalls.push(block);
    if (typeof stream === 'string') this.finishStream(toStreamName(stream));
    for (const sid of citedBy(block)) this.cited.add(sid);
  }

  /** Ignores frames of an owner that was replaced. */
  openStream(frame: DeltaFrame): void {
    if (frame.fence < this.#fence) return;
    this.#fence = frame.fence;
    const { stream, round, completed } = frame;
    this.#open.set(stream, { round, completed });
  }

  finishStream(stream: StreamName): void {
    this.#open.delete(stream);
    this.#finished.add(stream);
  }

  isFinished(frame: Frame): boolean {
    if (frame.kind === 'delta') {
      return this.#finished.has(frame.stream) || this.#closedRounds.has(frame.round);
    }
    const step = stepOf(frame.type, objectOf(frame.data));
    return step !== undefined && this.#steps.has(step);
  }

  /** Records a live frame or a block; false for a progress step that was already sent as the other. */
  record(type: string, data: JsonObject): boolean {
    const step = stepOf(type, data);
    const isNew = step === undefined || !this.#steps.has(step);
    if (step !== undefined) this.#steps.add(step);
    return isNew;
  }

  /**
   * Streams that a round leaves unfinished, reported once when it closes, so that nothing depends on a frame that a bus
   * may lose. Of an interrupted round only what became a block stays.
   */
  abandoned({ type, turn, data }: Block): readonly StreamName[] {
    const { round, outcome } = objectOf(data);
    if (type !== 'round.close' || turn !== this.id || typeof round !== 'number') return [];
    this.#closedRounds.add(round);
    const isCut = outcome === 'interrupted' || outcome === 'failed';
    const left = [...this.#open].flatMap(([name, stream]) =>
      stream.round === round && (isCut || !stream.completed) ? [name] : [],
    );
    for (const stream of left) this.finishStream(stream);
    return left;
  }

  /** Streams that a frame ends early. A retried generation may start them again. */
  drop(frame: Frame): readonly StreamName[] {
    const isReset = frame.kind === 'live' && frame.type === 'stream.reset';
    const left = [...this.#takeOver(frame.fence), ...(isReset ? this.#named(frame.data) : [])];
    for (const stream of left) this.#open.delete(stream);
    return left;
  }

  /** What an owner with a lower fence started and no block has finished. */
  #takeOver(fence: number): readonly StreamName[] {
    if (fence <= this.#fence) return [];
    this.#fence = fence;
    return [...this.#open.keys()];
  }

  /** One stream by name, or all of a round. */
  #named(data: Json): readonly StreamName[] {
    const { stream, round } = objectOf(data);
    if (typeof stream === 'string') {
      const name = toStreamName(stream);
      return this.#finished.has(name) ? [] : [name];
    }
    return [...this.#open].flatMap(([name, of]) => (of.round === round ? [name] : []));
  }
}

/** Progress steps of a program's own calls have no block. */
function stepOf(type: string, { call, id, n }: JsonObject): string | undefined {
  const isStep = type === 'chat.tool.progress' && id === undefined && typeof n === 'number';
  return isStep ? `${textOf(call)} ${n}` : undefined;
}

function landedIn({ type, data }: Block): readonly string[] {
  const landed = type === 'round.open' ? objectOf(data)['landed'] : undefined;
  return Array.isArray(landed) ? landed.map((each) => textOf(objectOf(each)['event_id'])) : [];
}

export function citedBy(block: Block): readonly number[] {
  if (block.type !== 'assistant.completion') return [];
  const used = objectOf(block.data)['sources_used'];
  return Array.isArray(used) ? used.filter((sid) => typeof sid === 'number') : [];
}

export function toSource(block: Block): SourceRow | undefined {
  const { sid, title, url, text } = objectOf(block.data);
  if (typeof sid !== 'number' || typeof url !== 'string') return undefined;
  const row = { sid, url, title: textOf(title) || url, ...factsOf(objectOf(block.data)) };
  return typeof text === 'string' ? { ...row, text } : row;
}

/** What clients are sent of a source that is cited. */
export function toWireSource(row: SourceRow): JsonObject {
  const { sid, title, url } = row;
  return { sid, title, url, ...factsOf(row) };
}

export type FileOwner = ResourceOwner;

/** Gives the files of a conversation names with their owner. Without an owner they have none. */
export function nameFiles(conversation: string, owner: FileOwner | undefined) {
  return (path: string | undefined) => resourceOf(path, conversation, owner);
}
