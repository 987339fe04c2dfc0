import type { JsonObject } from '../../base/json.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { SurfaceButton } from '../../sdk/contract/surface.ts';
import { objectOf, textOf } from '../feed/wire-json.ts';
import { approvalOf } from './approval-message.ts';
import { progressLinesMax, turnMessagesMax } from './limits.ts';

/** A message of the chat. `key` stays the same when its text changes. */
export type Message = {
  readonly key: string;
  readonly text: string;
  readonly buttons?: readonly SurfaceButton[];
  /** A file of the conversation, sent once; or `content`, the text of a file. */
  readonly file?: { readonly path: string; readonly name: string; readonly mime: string };
  readonly content?: { readonly name: string; readonly mime: string; readonly text: string };
};

/**
 * What a chat shows of the current turn: one message that tells the progress and becomes the answer, one for each approval,
 * compaction and file. Pure: the same envelopes give the same messages.
 */
export class Transcript {
  #turn = '';
  #isOpen = false;
  /** Messages that are finished, so that what follows stands below them. */
  #finished = 0;
  #hasAnswer = false;
  /** The answer that is being written, by stream. */
  readonly #streams = new Map<string, string>();
  readonly #tools = new Map<string, string>();
  #messages = new Map<string, Message>();

  get turn(): string {
    return this.#turn;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Key of the message that shows the running turn. */
  get live(): string {
    return `${this.#turn}.${this.#finished}`;
  }

  /** In order of their first appearance. */
  get messages(): readonly Message[] {
    return [...this.#messages.values()].slice(0, turnMessagesMax);
  }

  take(envelope: WireEnvelope): void {
    const { type, data = {}, delta, turn_id: turn } = envelope;
    if (type === 'chat.start') this.#open(turn);
    if (turn !== this.#turn) return;
    if (delta?.marker === 'answer') this.#write(delta.stream, delta.text);
    else if (type === 'stream.reset') this.#reset(data);
    else if (type === 'chat.completion') this.#complete(textOf(data['text']));
    else if (type === 'chat.tool') this.#tool(data);
    else if (type === 'chat.complete' || type === 'chat.error') this.#close(envelope);
    else this.#note(type, data);
  }

  #open(turn: string): void {
    this.#turn = turn;
    this.#isOpen = true;
    this.#finished = 0;
    this.#hasAnswer = false;
    this.#streams.clear();
    this.#tools.clear();
    this.#messages = new Map();
    this.#showProgress();
  }

  #set(message: Message): void {
    this.#messages.set(message.key, message);
  }

  #showProgress(): void {
    const lines = [...this.#tools.values()].slice(-progressLinesMax);
    this.#set({ key: this.live, text: ['_Working…_', ...lines].join('\n') });
  }

  #write(stream: string, text: string): void {
    const all = `${this.#streams.get(stream) ?? ''}${text}`;
    this.#streams.set(stream, all);
    if (all.trim() !== '') this.#set({ key: this.live, text: all });
  }

  #reset(data: JsonObject): void {
    if (this.#streams.delete(textOf(data['stream']))) this.#showProgress();
  }

  #complete(text: string): void {
    if (text.trim() === '') return;
    this.#set({ key: this.live, text });
    this.#hasAnswer = true;
    this.#finish();
  }

  #finish(): void {
    this.#finished += 1;
    this.#streams.clear();
  }

  #tool(data: JsonObject): void {
    const state = textOf(data['state']);
    const word = state === 'done' ? 'done' : state === 'running' ? 'running' : 'waiting';
    this.#tools.set(textOf(data['call']), `• \`${textOf(data['tool'])}\`: ${word}`);
    if (this.#streams.size === 0 && this.#isOpen) this.#showProgress();
  }

  #close({ type, data = {} }: WireEnvelope): void {
    this.#isOpen = false;
    const said = textOf(data[type === 'chat.error' ? 'message' : 'text']);
    const end = type === 'chat.error' ? `Failed: ${said}` : said;
    if (type === 'chat.error' || !this.#hasAnswer) {
      this.#set({ key: this.live, text: end.trim() === '' ? 'Stopped.' : end });
    } else if (this.#messages.has(this.live)) {
      // The answer is there already.
      this.#set({ key: this.live, text: '_Done._' });
    }
  }

  #note(type: string, data: JsonObject): void {
    if (type === 'chat.compaction') this.#compaction(data);
    if (type === 'chat.files') this.#files(data);
    if (type === 'canvas') this.#canvas(data);
    if (type === 'chat.approval') this.#ask();
    if (type === 'chat.approval' || type === 'approval.closed') this.#set(approvalOf(type, data));
    if (type === 'secret.required') {
      const text = `This needs a secret of yours: ${textOf(data['description'])}. Set it in the web page, then ask again.`;
      this.#set({ key: `secret.${textOf(data['id'])}`, text });
    }
  }

  /** The question stands last in the chat, and what follows the decision stands below it. */
  #ask(): void {
    this.#set({ key: this.live, text: '_Waiting for your decision…_' });
    this.#finish();
  }

  #compaction(data: JsonObject): void {
    const key = `compaction.${textOf(data['compaction_id'])}`;
    const { before_tokens: before, after_tokens: after } = data;
    const isDone = typeof before === 'number' && typeof after === 'number';
    const text = isDone
      ? `_The conversation was summarised: ${before} → ${after} tokens._`
      : '_Summarising the conversation…_';
    this.#set({ key, text });
  }

  #files(data: JsonObject): void {
    for (const item of Array.isArray(data['items']) ? data['items'].map(objectOf) : []) {
      if (item['visibility'] === 'internal') continue;
      const [path, name] = [textOf(item['path']), textOf(item['filename'])];
      const file = { path, name, mime: textOf(item['mime']) };
      this.#set({ key: `file.${path}`, text: name, file });
    }
  }

  #canvas(data: JsonObject): void {
    const text = textOf(data['text']);
    const name = textOf(data['name']) || textOf(data['path']).split('/').at(-1) || 'canvas.md';
    const content = { name, mime: textOf(data['mime']) || 'text/markdown', text };
    this.#set({ key: `canvas.${textOf(data['stream']) || name}`, text: name, content });
  }
}
