import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf, withoutUndefined } from '../../feed/wire-json.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark, TurnNames } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { answerOf, tokensOf } from '../turn-facts.ts';
import { snapshot, toActivities } from './activities.ts';
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';
import { RunMessages } from './run-messages.ts';
import { RunTools } from './run-tools.ts';

/** The run of a client. A watcher has none: its run has the id of the turn. */
export type ClientRun = {
  readonly id: string;
  readonly messages: readonly AgUiMessage[];
  /** Tool calls that the client has answered with this run. */
  readonly answered: ReadonlySet<string>;
  readonly state: JsonObject;
};

export const agUiVersion = '1.0';

/** The event stream of AG-UI. */
export function agUi(run?: ClientRun): ProjectionKind {
  return {
    open: (names) => new AgUiProjection(names, run),
    isResumable: true,
    endsEachTurn: true,
    headers: { 'x-accel-buffering': 'no' },
  };
}

/** Where each stream is shown; all others are activities. */
const messageRoles: ReadonlyMap<string, 'assistant' | 'reasoning'> = new Map([
  ['answer', 'assistant'],
  ['thinking', 'reasoning'],
]);

/**
 * A turn is one run, or one run more each time it has waited for its client. Rounds are steps. A generation that is
 * retried, and a text that is replaced, are taken back by a snapshot of the messages.
 */
class AgUiProjection implements Projection {
  isOver = false;
  readonly #names: TurnNames;
  readonly #run: ClientRun | undefined;
  readonly #pieces = new TextPieces();
  readonly #messages: RunMessages;
  readonly #tools: RunTools;
  readonly #open = new Map<string, 'assistant' | 'reasoning'>();
  readonly #texts = new Map<string, string>();
  readonly #plans = new Map<string, JsonObject>();
  #step: string | undefined;
  #round = 0;
  #runs = 0;
  #isRunning = false;

  constructor(names: TurnNames, run: ClientRun | undefined) {
    this.#names = names;
    this.#run = run;
    this.#messages = new RunMessages(run?.messages ?? []);
    this.#tools = new RunTools(this.#messages, run?.answered ?? new Set());
  }

  get isWaiting(): boolean {
    return this.#tools.isWaiting;
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const isRunning = this.#isRunning;
    const started = this.#start();
    const events = this.#take(envelope);
    // Nothing to show begins no run, except the start of the turn.
    if (events.length === 0 && envelope.type !== 'chat.start' && !isRunning) {
      this.#isRunning = false;
      this.#runs -= 1;
      return [];
    }
    return [...started, ...events].map(toFrame);
  }

  pause(): readonly SseFrame[] {
    const closed = [...this.#closeTexts(), ...this.#closeStep(), ...this.#tools.suspend()];
    return [...closed, this.#finish({}, this.#tools.outcome())].map(toFrame);
  }

  begin(): readonly SseFrame[] {
    this.#open.clear();
    this.#step = undefined;
    this.#isRunning = false;
    return this.#start().map(toFrame);
  }

  streams(): ReadonlyMap<string, StreamMark> {
    return this.#pieces.shown();
  }

  resume(streams: ReadonlyMap<string, StreamMark>): void {
    for (const [stream, { ended }] of this.#pieces.resume(streams)) {
      const role = stream.includes('.thinking.') ? 'reasoning' : 'assistant';
      if (!ended && /\.(?:thinking|answer)\.\d+$/.test(stream)) this.#open.set(stream, role);
    }
  }

  #take(envelope: WireEnvelope): readonly AgUiEvent[] {
    const { type, data = {} } = envelope;
    this.isOver = false;
    switch (type) {
      case 'chat.start':
        return [];
      case 'round.open':
        return this.#beginStep(data);
      case 'round.close':
        return [...this.#stream(envelope), ...this.#closeStep()];
      case 'chat.tool':
      case 'chat.approval':
      case 'approval.closed':
      case 'external.call':
      case 'agent.call':
      case 'agent.result':
        return this.#tools.take(type, data, `${this.#names.turn}.${this.#round}.calls`);
      case 'chat.complete':
      case 'chat.error':
        return this.#end(type, data);
      case 'chat.service':
        return data['ended'] === true && this.#isRunning ? [this.#fail(data)] : [];
      default:
        return [...this.#facts(type, data), ...this.#stream(envelope)];
    }
  }

  #start(): readonly AgUiEvent[] {
    if (this.#isRunning) return [];
    this.#isRunning = true;
    this.#runs += 1;
    const names = { threadId: this.#names.conversation, runId: this.#runId() };
    const metadata = { turn_id: this.#names.turn };
    return [{ type: 'RUN_STARTED', ...names, protocolVersion: agUiVersion, metadata }];
  }

  /** The run of a client shows a turn from where the client joined it; a watcher sees one run after the other. */
  #runId(): string {
    if (this.#run) return this.#run.id;
    return this.#runs > 1 ? `${this.#names.turn}.${this.#runs}` : this.#names.turn;
  }

  #beginStep({ round }: JsonObject): readonly AgUiEvent[] {
    const before = this.#closeStep();
    this.#round = typeof round === 'number' ? round : this.#round + 1;
    this.#step = `round ${this.#round}`;
    return [...before, { type: 'STEP_STARTED', stepName: this.#step }];
  }

  #closeStep(): readonly AgUiEvent[] {
    const stepName = this.#step;
    this.#step = undefined;
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }];
  }

  #facts(type: string, data: JsonObject): readonly AgUiEvent[] {
    const activities = toActivities(type, data, this.#names);
    if (type !== 'plan') return activities;
    this.#plans.set(textOf(data['plan_id']), data);
    const state = { ...this.#run?.state, plans: Object.fromEntries(this.#plans) };
    return [...activities, { type: 'STATE_SNAPSHOT', snapshot: state }];
  }

  #stream(envelope: WireEnvelope): readonly AgUiEvent[] {
    return this.#pieces.take(envelope).flatMap((piece) => {
      const role = messageRoles.get(piece.marker);
      return role === undefined ? this.#activity(piece) : this.#text(piece, role);
    });
  }

  #text(piece: TextPiece, role: 'assistant' | 'reasoning'): readonly AgUiEvent[] {
    const { stream: id } = piece;
    if (piece.kind === 'append') {
      this.#messages.append(id, role, piece.text);
      return [...this.#openText(id, role), contentOf(id, role, piece.text)];
    }
    if (piece.kind === 'end') return [...this.#openText(id, role), ...this.#closeText(id)];
    this.#messages.remove(id);
    return [...this.#closeText(id), this.#messages.snapshot()];
  }

  #openText(messageId: string, role: 'assistant' | 'reasoning'): readonly AgUiEvent[] {
    if (this.#open.has(messageId)) return [];
    this.#open.set(messageId, role);
    if (role === 'assistant') return [{ type: 'TEXT_MESSAGE_START', messageId, role }];
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role },
    ];
  }

  #closeText(messageId: string): readonly AgUiEvent[] {
    const role = this.#open.get(messageId);
    if (role === undefined) return [];
    this.#open.delete(messageId);
    if (role === 'assistant') return [{ type: 'TEXT_MESSAGE_END', messageId }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  #closeTexts(): readonly AgUiEvent[] {
    return [...this.#open.keys()].flatMap((id) => this.#closeText(id));
  }

  /** A canvas, a program, a line for the timeline: pieces while it is written, then an activity with the whole. */
  #activity(piece: TextPiece): readonly AgUiEvent[] {
    const { stream, marker, artifact: name, mime, title } = piece;
    const of = withoutUndefined({ stream, marker, name, mime, title });
    const before = this.#texts.get(stream) ?? '';
    if (piece.kind === 'append') {
      this.#texts.set(stream, before + piece.text);
      const value = { ...of, offset: before.length, text: piece.text };
      return [{ type: 'CUSTOM', name: 'stream', value }];
    }
    this.#texts.delete(stream);
    if (piece.kind === 'discard') {
      return [{ type: 'CUSTOM', name: 'stream', value: { ...of, discarded: true } }];
    }
    const activity = marker === 'timeline_text' ? 'note' : marker;
    return [snapshot(stream, activity, { ...of, text: before })];
  }

  #end(type: string, data: JsonObject): readonly AgUiEvent[] {
    const closed = [...this.#closeTexts(), ...this.#closeStep(), ...this.#tools.suspend()];
    const { reason, calls } = data;
    if (Array.isArray(calls)) this.#tools.handOff(calls.map(objectOf));
    const last =
      type === 'chat.error'
        ? this.#fail(data)
        : this.#finish(
            withoutUndefined({ ...resultOf(data), text: answerOf(data) }),
            reason === 'interrupted' ? { type: 'cancelled' } : this.#tools.outcome(),
            data,
          );
    this.isOver = true;
    return [...closed, last];
  }

  #finish(result: JsonObject, outcome: JsonObject, data: JsonObject = {}): AgUiEvent {
    this.#isRunning = false;
    const names = { threadId: this.#names.conversation, runId: this.#runId() };
    const has = outcome['type'] === 'success' && Object.keys(result).length > 0;
    const body = { ...(has && { result }), outcome };
    return { type: 'RUN_FINISHED', ...names, ...body, ...usageOf(data) };
  }

  #fail(data: JsonObject): AgUiEvent {
    this.#isRunning = false;
    const { code, message } = data;
    return { type: 'RUN_ERROR', message: textOf(message), code: textOf(code), ...usageOf(data) };
  }
}

function toFrame(event: AgUiEvent): SseFrame {
  return { data: JSON.stringify(event) };
}

function contentOf(messageId: string, role: 'assistant' | 'reasoning', delta: string): AgUiEvent {
  const type = role === 'assistant' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
  return { type, messageId, delta };
}

function resultOf({ reason, degraded, output, sources, files }: JsonObject) {
  return { reason, degraded, output, sources, files };
}

function usageOf(data: JsonObject) {
  if (data['usage'] === undefined) return {};
  const { prompt, completion, total, cached } = tokensOf(data);
  const tokens = { inputTokens: prompt, outputTokens: completion, totalTokens: total };
  return { usage: [{ ...tokens, cachedInputTokens: cached }] };
}
