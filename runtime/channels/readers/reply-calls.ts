import { JsonReader } from '../json/json-reader.ts';
import { decisionChannel } from '../protocol/channel.ts';
import type { ReplyPiece } from '../protocol/reply-piece.ts';
import type { ReplyEvent } from '../scan/reply-scanner.ts';

export type CallPiece = Extract<ReplyPiece, { kind: 'call' | 'arguments' | 'call_end' }>;

type CallsOptions = {
  /** The id of a tool by its name on the wire. */
  readonly idOf: (name: string) => string;
  /** Whether this name is not a tool but the end of the turn. */
  readonly isFinal: (name: string) => boolean;
  /** The progress line of the next call. */
  readonly takeNotes: () => string;
};

/**
 * Turns calls of a provider's tool calling into decisions. Calls that arrive at the same time are written one after the
 * other: the first open one streams, the others wait. A final call comes after all others, whatever its place.
 */
export class ReplyCalls {
  readonly #options: CallsOptions;
  readonly #known = new Set<string>();
  readonly #final = new Map<string, string>();
  #waiting: CallPiece[] = [];
  #current: { readonly call: string; readonly arguments: CallArguments } | undefined;
  #instances = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  push(piece: CallPiece): readonly ReplyEvent[] {
    if (piece.kind === 'call' && this.#options.isFinal(piece.name)) this.#final.set(piece.call, '');
    const final = this.#final.get(piece.call);
    if (final !== undefined) {
      if (piece.kind === 'arguments') this.#final.set(piece.call, final + piece.text);
      return [];
    }
    if (this.#current === undefined || this.#current.call === piece.call) return this.#write(piece);
    this.#waiting.push(piece);
    return [];
  }

  end(): readonly ReplyEvent[] {
    const events = [...this.#finish()];
    while (this.#waiting.length > 0) events.push(...this.#resume(), ...this.#finish());
    const finals = [...this.#final.values()].flatMap((text) => this.#complete(text));
    return [...events, ...finals];
  }

  #write(piece: CallPiece): readonly ReplyEvent[] {
    if (piece.kind === 'call') return this.#begin(piece);
    if (this.#current === undefined) return [];
    if (piece.kind === 'call_end') return [...this.#finish(), ...this.#resume()];
    this.#current.arguments.push(piece.text);
    return this.#text(piece.text);
  }

  #begin({ call, name }: Extract<CallPiece, { kind: 'call' }>): readonly ReplyEvent[] {
    if (this.#known.has(call)) return [];
    this.#known.add(call);
    this.#current = { call, arguments: new CallArguments() };
    const notes = this.#options.takeNotes();
    const said = notes === '' ? '' : `,"notes":${JSON.stringify(notes)}`;
    const id = JSON.stringify(this.#options.idOf(name));
    return this.#open(`{"action":"call_tool"${said},"tool_call":{"tool_id":${id},"params":`);
  }

  /** Ends the call that streams. Incomplete arguments stay incomplete. */
  #finish(): readonly ReplyEvent[] {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return [];
    const { isCut, isEmpty } = current.arguments;
    if (isCut) return this.#close('end');
    return [...this.#text(isEmpty ? '{}}}' : '}}'), ...this.#close('tag')];
  }

  /** Continues with the pieces that waited for the call before. */
  #resume(): readonly ReplyEvent[] {
    const pieces = this.#waiting;
    this.#waiting = [];
    return pieces.flatMap((piece) => this.push(piece));
  }

  /** The fields of the arguments are fields of the decision itself. */
  #complete(text: string): readonly ReplyEvent[] {
    const said = text.trim();
    const fields = /^\{\s*\}?$/.test(said) ? '' : said.replace(/^\{/, ',');
    const body = said.startsWith('{') || said === '' ? fields : `,"output":${said}`;
    const isCut = new CallArguments(said).isCut;
    const isClosed = body.startsWith(',') && said.startsWith('{');
    const tail = isCut || isClosed ? '' : '}';
    return [
      ...this.#open(`{"action":"complete"${body}${tail}`),
      ...this.#close(isCut ? 'end' : 'tag'),
    ];
  }

  #open(text: string): readonly ReplyEvent[] {
    const opened = { channel: decisionChannel, instance: this.#instances, attributes: {} };
    return [{ kind: 'opened', ...opened }, ...this.#text(text)];
  }

  #text(text: string): readonly ReplyEvent[] {
    if (text === '') return [];
    return [{ kind: 'text', channel: decisionChannel, instance: this.#instances, text }];
  }

  #close(how: 'tag' | 'end'): readonly ReplyEvent[] {
    const closed = { channel: decisionChannel, instance: this.#instances, how };
    this.#instances += 1;
    return [{ kind: 'closed', ...closed }];
  }
}

/** Follows the JSON of one call's arguments. */
class CallArguments {
  readonly #reader = new JsonReader();
  #isEmpty = true;

  constructor(text = '') {
    this.push(text);
  }

  push(text: string): void {
    this.#reader.push(text);
    if (text.trim() !== '') this.#isEmpty = false;
  }

  /** Providers send nothing for a call without arguments. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The object has not ended. */
  get isCut(): boolean {
    return this.#reader.outcome === 'open';
  }
}
