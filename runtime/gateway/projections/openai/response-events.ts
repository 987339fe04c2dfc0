import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import type { Projection, SseFrame } from '../projection.ts';
import { responseAnnotation } from './answer-citations.ts';
import { secondsOf, TurnReader } from './read-turn.ts';
import { responseIdOf } from './response-id.ts';
import {
  callEvents,
  callItem,
  itemAdded,
  itemDone,
  type ResponseEvent,
  textAdded,
  textDelta,
  textDone,
  textItem,
} from './response-items.ts';
import {
  endEventOf,
  endOf,
  type ResponseEcho,
  type ResponseEnd,
  responseObject,
} from './response-object.ts';
import { SearchItems, type SearchNews } from './search-items.ts';
import type { Step, TextPart, ToolProgress } from './steps.ts';
import { TextChunks } from './text-chunks.ts';
import { noTokens, tokensSince } from './token-count.ts';

export type ResponseOptions = ResponseEcho & {
  /** As the client named it. Undefined: from the turn. */
  readonly model?: string | undefined;
  /** The text is the structured output of the turn, as JSON. */
  readonly json?: boolean;
  /** Events with types of mistral.rs, too. Without them, what server tools do is in items of the output alone. */
  readonly withProgress?: boolean;
  /** Only this response of the turn, from the event after this number. */
  readonly only?: { readonly part: number; readonly after: number };
};

type OpenText = {
  readonly part: TextPart;
  readonly item: string;
  readonly id: string;
  readonly index: number;
  readonly chunks: TextChunks;
  text: string;
};
type TextStep = Extract<Step, { kind: 'text' }>;

/**
 * A turn as events of the Responses API. A turn that waits for a client ends its response with a function call, and what
 * follows the results is its next response. The same log gives the same events with the same numbers, also where a stream
 * was cut: texts are sent in pieces that depend on the text alone, and a text ends before the next one begins. Only a text
 * that a live turn takes back has numbers that a later reader does not get.
 */
export class ResponseEvents implements Projection {
  readonly #options: ResponseOptions;
  readonly #reader = new TurnReader();
  #model: string;
  #names = { turn: '', conversation: '', createdAt: 0 };
  /** Which response of the turn it is, from 0. */
  #part = 0;
  #number = 0;
  #hasBegun = false;
  #isOver = false;
  #isDone = false;
  #output: JsonObject[] = [];
  #open: OpenText | undefined;
  readonly #closed = new Set<string>();
  /** An answer that was cut short. It stays if the turn ends with it. */
  #cut: JsonObject | undefined;
  readonly #searches = new SearchItems();
  #index = 0;
  #seen = noTokens;
  #end: ResponseEnd = { status: 'in_progress' };

  constructor(options: ResponseOptions = {}) {
    this.#options = options;
    this.#model = options.model ?? '';
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The response so far. */
  get response(): JsonObject {
    const { turn, conversation, createdAt } = this.#names;
    const id = responseIdOf(turn, this.#part);
    const facts = { id, createdAt, model: this.#model, conversation, output: [...this.#output] };
    const { files, records } = this.#reader;
    return responseObject({ ...facts, files, records }, this.#end, this.#options);
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    if (this.#isPast()) return [];
    this.#learn(envelope);
    return this.#reader.take(envelope).flatMap((step) => this.#frames(step));
  }

  /** A message has joined the turn in the middle of a response. */
  begin(): readonly SseFrame[] {
    const event = { type: 'response.created', response: this.response };
    return this.#hasBegun && !this.#isDone ? [toFrame({ ...event, sequence_number: 0 })] : [];
  }

  #isPast(): boolean {
    const { only } = this.#options;
    return only !== undefined && this.#isDone && this.#part >= only.part;
  }

  #learn({ type, turn_id: turn, conversation_id: conversation, ts, data }: WireEnvelope): void {
    if (type !== 'chat.start' && this.#names.turn !== '') return;
    this.#names = { turn, conversation, createdAt: secondsOf(ts) };
    const { bundle_id, agent_id } = data ?? {};
    if (this.#model === '') this.#model = `${textOf(bundle_id)}/${textOf(agent_id)}`;
  }

  #frames(step: Step): readonly SseFrame[] {
    if (this.#isPast() || (this.#isDone && step.kind === 'answer_end')) return [];
    if (this.#isDone) this.#startPart();
    const opening = this.#hasBegun ? [] : this.#opening();
    const all = [...opening, ...this.#eventsOf(step)];
    const { withProgress = true } = this.#options;
    const events = withProgress ? all : all.filter(isOfOpenAi);
    const numbered = events.map((event, index) => ({
      ...event,
      sequence_number: this.#number + index,
    }));
    this.#number += events.length;
    const { only = { part: this.#part, after: -1 } } = this.#options;
    const isHere = only.part === this.#part;
    this.#isOver = this.#isDone && isHere;
    const sent = isHere ? numbered.filter((event) => event.sequence_number > only.after) : [];
    // A client that comes back after the last event gets that event again.
    return (sent.length === 0 && this.#isOver ? numbered.slice(-1) : sent).map(toFrame);
  }

  #startPart(): void {
    this.#part += 1;
    this.#number = 0;
    this.#hasBegun = false;
    this.#isDone = false;
    this.#isOver = false;
    this.#output = [];
    this.#index = 0;
    this.#end = { status: 'in_progress' };
  }

  #opening(): readonly ResponseEvent[] {
    this.#hasBegun = true;
    const { response } = this;
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  #eventsOf(step: Step): readonly ResponseEvent[] {
    switch (step.kind) {
      case 'text':
        return this.#text(step);
      case 'text_end':
        return this.#open?.item === step.item ? this.#endText(this.#open) : [];
      case 'answer_end':
        return this.#open?.part === 'answer' ? this.#endAnswer(step) : [];
      case 'withdrawn':
        return this.#open?.item === step.item ? this.#closeText('incomplete') : [];
      case 'progress':
        return this.#progress(step.progress);
      case 'file':
        return [{ type: 'file_produced', file: { ...step.file } }];
      case 'approval':
        return [{ type: 'agentic_tool_approval_required', ...step.approval }];
      case 'client_call':
        return this.#call(step);
      case 'end':
        return this.#endOf(step);
      case 'begin':
      case 'remark':
      case 'canvas':
        return [];
    }
  }

  #progress(progress: ToolProgress): readonly ResponseEvent[] {
    const beside = { type: 'agentic_tool_call_progress', ...progress };
    const search = this.#searches.take(progress, this.#index);
    if (!search) return [beside];
    if (progress.phase === 'calling') this.#index += 1;
    return [beside, ...this.#keep(search)];
  }

  /** A search keeps its place in the output. */
  #keep({ item, events }: SearchNews): readonly ResponseEvent[] {
    const at = this.#output.findIndex(({ id }) => id === item['id']);
    if (at < 0) this.#output.push(item);
    else this.#output[at] = item;
    return events;
  }

  #endOf(step: Extract<Step, { kind: 'end' }>): readonly ResponseEvent[] {
    if (this.#cut && step.reason === 'interrupted') this.#output.push(this.#cut);
    const tokens = tokensSince(this.#seen, step.tokens);
    return [...this.#json(step), ...this.#finish({ ...endOf(step), tokens })];
  }

  #json({ output }: Extract<Step, { kind: 'end' }>): readonly ResponseEvent[] {
    if (this.#options.json !== true || output === undefined) return [];
    const text = JSON.stringify(output);
    const opened = [...this.#closeText('completed'), ...this.#openText('answer', 'output')];
    const open = this.#open;
    if (!open) return opened;
    open.text = text;
    const deltas = open.chunks.push(text).map((chunk) => textDelta('answer', open, chunk));
    return [...opened, ...deltas];
  }

  #text({ part, item, text }: TextStep): readonly ResponseEvent[] {
    // The rest of a text that another one has followed.
    if (this.#closed.has(item) || (this.#options.json === true && part === 'answer')) return [];
    const before = this.#open?.item === item ? [] : this.#closeText('completed');
    const opened = this.#open === undefined ? this.#openText(part, item) : [];
    const open = this.#open;
    if (!open) return before;
    open.text += text;
    const deltas = open.chunks.push(text).map((chunk) => textDelta(part, open, chunk));
    return [...before, ...opened, ...deltas];
  }

  #openText(part: TextPart, item: string): readonly ResponseEvent[] {
    const id = `${part === 'reasoning' ? 'rs' : 'msg'}_${this.#names.turn}_${this.#index}`;
    const open = { part, item, id, index: this.#index, chunks: new TextChunks(), text: '' };
    this.#open = open;
    if (part === 'answer') this.#cut = undefined;
    this.#index += 1;
    const added = itemAdded(open, textItem(part, { id, text: '', status: 'in_progress' }));
    return [added, textAdded(part, open)];
  }

  /** Whether an answer counts is known when its round ends. */
  #endText(open: OpenText): readonly ResponseEvent[] {
    if (open.part !== 'answer') return this.#closeText('completed');
    return open.chunks.end().map((chunk) => textDelta(open.part, open, chunk));
  }

  #endAnswer({ isCut }: Extract<Step, { kind: 'answer_end' }>): readonly ResponseEvent[] {
    const events = this.#closeText(isCut ? 'incomplete' : 'completed');
    this.#cut = isCut ? objectOf(events.at(-1)?.['item']) : undefined;
    return events;
  }

  /** What a turn took back is an incomplete item, and not in the output. */
  #closeText(status: 'completed' | 'incomplete'): readonly ResponseEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    this.#closed.add(open.item);
    const { part, id, text } = open;
    const links = part === 'answer' ? this.#reader.citationsIn(text) : [];
    const annotations = links.map(responseAnnotation);
    const item = textItem(part, { id, text, status, annotations });
    if (status === 'completed') this.#output.push(item);
    const deltas = open.chunks.end().map((chunk) => textDelta(part, open, chunk));
    return [...deltas, ...textDone(part, open, { text, annotations }), itemDone(open, item)];
  }

  #call({
    call,
    parked,
    tokens,
  }: Extract<Step, { kind: 'client_call' }>): readonly ResponseEvent[] {
    const before = this.#closeText('completed');
    const events = callEvents(call, this.#index);
    this.#index += 1;
    this.#output.push(callItem(call, 'completed'));
    if (!parked) return [...before, ...events];
    const used = tokensSince(this.#seen, tokens);
    this.#seen = tokens;
    return [...before, ...events, ...this.#finish({ status: 'completed', tokens: used })];
  }

  #finish(end: ResponseEnd): readonly ResponseEvent[] {
    const left = this.#searches.close().flatMap((search) => this.#keep(search));
    const before = [...left, ...this.#closeText('completed')];
    this.#end = end;
    this.#isDone = true;
    return [...before, { type: endEventOf(end.status), response: this.response }];
  }
}

function toFrame(event: JsonObject): SseFrame {
  return { event: textOf(event['type']), data: JSON.stringify(event) };
}

function isOfOpenAi({ type }: ResponseEvent): boolean {
  return type.startsWith('response.') || type === 'error';
}
