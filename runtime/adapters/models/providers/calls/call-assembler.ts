import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';
import { JsonEnd } from './json-end.ts';
import { ParallelWrapper } from './parallel-wrapper.ts';

/** What a provider streams of one tool call. Every field may be missing, empty or repeated. */
export type CallDelta = {
  readonly index?: number | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: string | null | undefined;
};

type Call = {
  /** The provider's. Undefined: it sent none. */
  id: string | undefined;
  readonly index: number;
  /** Unique within the reply. */
  readonly key: string;
  name: string;
  /** Arguments that were received and not yet passed on. */
  waiting: string;
  readonly json: JsonEnd;
  /** No more of it will come. */
  ended: boolean;
};

/**
 * Makes whole calls of a provider's deltas, by index and id. What it returns is in order: a call begins after the one
 * before it has ended, and with its whole name.
 */
export class CallAssembler {
  readonly #names: ReadonlySet<string>;
  readonly #wrapper: ParallelWrapper;
  readonly #keys = new Set<string>();
  /** Calls that have not ended downstream; only the first one's pieces are passed on. */
  readonly #open: Call[] = [];
  #begun = false;
  #count = 0;

  /** `names`: the tools on offer. */
  constructor(names: Iterable<string> = []) {
    this.#names = new Set(names);
    this.#wrapper = new ParallelWrapper(this.#names);
  }

  push(delta: CallDelta): readonly ReplyPiece[] {
    const call = this.#callOf(delta) ?? this.#begin(delta);
    const text = delta.arguments ?? '';
    call.id ??= nonEmpty(delta.id);
    call.name = joinName(call.name, delta.name ?? '', this.#names);
    call.waiting += text;
    call.json.push(text);
    return [...this.#wrapper.take(this.#drain())];
  }

  /** The provider ends the call of this index. `whole`: its arguments, if no delta brought any. */
  end(index: number, whole = ''): readonly ReplyPiece[] {
    const call = this.#open.findLast((each) => each.index === index);
    if (!call) return [];
    if (call.json.empty) {
      call.waiting = whole;
      call.json.push(whole);
    }
    // Providers also end a call that the output limit cut off. Without complete arguments, what follows tells.
    call.ended = call.json.complete;
    return [...this.#wrapper.take(this.#drain())];
  }

  /** `complete`: every call so far has ended. `cut`: the reply broke off, perhaps in its last call. */
  finish(how: 'complete' | 'cut'): readonly ReplyPiece[] {
    const last = this.#open.at(-1);
    for (const call of this.#open)
      call.ended ||= how === 'complete' || call !== last || call.json.complete;
    return [...this.#wrapper.take(this.#drain({ flush: true })), ...this.#wrapper.rest()];
  }

  #callOf(delta: CallDelta): Call | undefined {
    const id = nonEmpty(delta.id);
    const byId = this.#open.findLast((each) => id !== undefined && each.id === id);
    const call =
      delta.index === undefined
        ? (byId ?? this.#open.at(-1))
        : this.#open.findLast(({ index }) => index === delta.index);
    return call && !isNextCall(call, delta) ? call : undefined;
  }

  #begin({ id, index = this.#count }: CallDelta): Call {
    for (const call of this.#open) call.ended ||= call.json.complete || call.index === index;
    const key = this.#keyFor(nonEmpty(id));
    this.#count += 1;
    const json = new JsonEnd();
    const call: Call = { id: nonEmpty(id), index, key, name: '', waiting: '', json, ended: false };
    this.#open.push(call);
    return call;
  }

  #keyFor(id: string | undefined): string {
    let key = id ?? `call_${this.#count}`;
    while (this.#keys.has(key)) key = `${key}_${this.#count}`;
    this.#keys.add(key);
    return key;
  }

  *#drain({ flush = false } = {}): Generator<ReplyPiece> {
    for (let call = this.#open[0]; call; call = this.#open[0]) {
      yield* this.#passOn(call, call.ended || flush);
      if (!call.ended) return;
      yield { kind: 'call_end', call: call.key };
      this.#open.shift();
      this.#begun = false;
    }
  }

  /** A name is whole when the arguments begin or the call ends. */
  *#passOn(call: Call, isWhole: boolean): Generator<ReplyPiece> {
    if (!this.#begun && (isWhole || call.waiting !== '')) {
      this.#begun = true;
      yield { kind: 'call', call: call.key, name: call.name };
    }
    if (!this.#begun || call.waiting === '') return;
    yield { kind: 'arguments', call: call.key, text: call.waiting };
    call.waiting = '';
  }
}

/**
 * Some servers send index 0 for every call, some no id, some a new id with every delta of one call, and some the name
 * with every delta.
 */
function isNextCall(call: Call, delta: CallDelta): boolean {
  const id = nonEmpty(delta.id);
  const name = nonEmpty(delta.name);
  if (id !== undefined && call.id !== undefined)
    return id !== call.id && (name !== undefined || call.json.complete);
  if (name === undefined || !call.json.complete) return false;
  return id !== undefined || name !== call.name || nonEmpty(delta.arguments) !== undefined;
}

/** A name comes in pieces, or again with every delta. */
function joinName(soFar: string, more: string, names: ReadonlySet<string>): string {
  const joined = soFar + more;
  if (soFar === '' || more === '' || names.has(joined)) return joined;
  return more === soFar || names.has(more) ? more : joined;
}

function nonEmpty(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}
