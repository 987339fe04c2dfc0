import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import { GrowthGate } from '../growth-gate.ts';
import type { Projection, ProjectionKind, SseFrame, StreamMark, TurnNames } from '../projection.ts';
import { type TextPiece, TextPieces } from '../text-pieces.ts';
import { type StateUpdate, ThreadState } from './thread-state.ts';

export const streamModes = ['values', 'updates', 'messages', 'messages-tuple'] as const;
export type StreamMode = (typeof streamModes)[number];

type Options = {
  readonly modes: readonly StreamMode[];
  /** The state of the thread before its turn. */
  readonly before?: JsonObject;
};

/** A run of LangGraph: the turn. `values`, `updates` and `messages` as its API sends them, ended by `end`. */
export function langgraph(
  { modes, before }: Options = { modes: ['values', 'updates', 'messages'] },
): ProjectionKind {
  return {
    open: (names) => new LangGraphProjection(names, { modes, ...(before ? { before } : {}) }),
    isResumable: true,
  };
}

/** The runs of one thread, one after the other: each begins with the state after the one before it. For one stream only. */
export function langgraphThread({ modes, before }: Options): ProjectionKind {
  let last: LangGraphProjection | undefined;
  return {
    open: (names) => {
      last = new LangGraphProjection(names, { modes, before: last?.values ?? before ?? {} });
      return last;
    },
    isResumable: true,
  };
}

class LangGraphProjection implements Projection {
  isOver = false;
  readonly #run: { readonly run_id: string; readonly thread_id: string };
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #state: ThreadState;
  readonly #pieces = new TextPieces();
  /** The answer that is being written: its text, unless its beginning was sent before. */
  readonly #texts = new Map<string, string | undefined>();
  /** By message. */
  readonly #gates = new Map<string, GrowthGate>();
  /** Streams whose text was taken back get a new message. */
  readonly #again = new Map<string, number>();

  /** The last values that were sent. */
  #shown = '';

  constructor({ conversation, turn }: TurnNames, { modes, before = {} }: Options) {
    this.#run = { run_id: turn, thread_id: conversation };
    this.#modes = new Set(modes);
    this.#state = ThreadState.from(before);
  }

  get values(): JsonObject {
    return this.#state.values;
  }

  get isWaiting(): boolean {
    return this.#state.interrupts.length > 0;
  }

  begin(): readonly SseFrame[] {
    this.#shown = '';
    return [this.#metadata(), ...this.#values()];
  }

  pause(): readonly SseFrame[] {
    const __interrupt__ = this.#state.interrupts;
    const update = this.#modes.has('updates') ? [frame('updates', { __interrupt__ })] : [];
    return [...update, ...this.#values(), this.#end('interrupted')];
  }

  streams(): ReadonlyMap<string, StreamMark> {
    return this.#pieces.shown();
  }

  resume(streams: ReadonlyMap<string, StreamMark>): void {
    this.#pieces.resume(streams);
    for (const stream of streams.keys()) {
      if (!this.#texts.has(stream)) this.#texts.set(stream, undefined);
    }
  }

  take(envelope: WireEnvelope): readonly SseFrame[] {
    const { type } = envelope;
    this.isOver = false;
    const pieces = this.#pieces.take(envelope).flatMap((piece) => this.#piece(piece));
    const update = this.#state.take(envelope);
    const frames = [...pieces, ...(update ? this.#update(update) : [])];
    if (type === 'chat.start') return [this.#metadata(), ...frames];
    if (type === 'chat.complete' || type === 'chat.error')
      return [...frames, ...this.#over(envelope)];
    return frames;
  }

  #metadata(): SseFrame {
    return frame('metadata', { ...this.#run, attempt: 1 });
  }

  #update({ node, messages }: StateUpdate): readonly SseFrame[] {
    const complete = node !== 'input' && this.#modes.has('messages');
    // The answer was sent in pieces.
    const isWhole = messages.some((each) => each['tool_calls'] ?? each['tool_call_id']);
    const tuples = isWhole && this.#modes.has('messages-tuple');
    return [
      ...(complete ? [frame('messages/complete', messages)] : []),
      ...(tuples ? messages.map((each) => frame('messages', [each, this.#tags(node)])) : []),
      ...(node !== 'input' && this.#modes.has('updates')
        ? [frame('updates', { [node]: { messages } })]
        : []),
      ...this.#values(),
    ];
  }

  #values(): readonly SseFrame[] {
    if (!this.#modes.has('values')) return [];
    const { interrupts, values } = this.#state;
    const __interrupt__ = interrupts;
    const next = frame('values', interrupts.length > 0 ? { ...values, __interrupt__ } : values);
    if (next.data === this.#shown) return [];
    this.#shown = next.data;
    return [next];
  }

  #piece(piece: TextPiece): readonly SseFrame[] {
    const { marker, stream } = piece;
    if (marker !== 'answer') return [];
    if (piece.kind === 'discard') {
      this.#texts.delete(stream);
      this.#again.set(stream, (this.#again.get(stream) ?? 0) + 1);
      return [];
    }
    if (piece.kind === 'end') return [];
    const isNew = !this.#texts.has(stream);
    const text = isNew ? '' : this.#texts.get(stream);
    const whole = text === undefined ? undefined : text + piece.text;
    this.#texts.set(stream, whole);
    const id = this.#messageId(stream);
    const gate = this.#gates.get(id) ?? new GrowthGate();
    this.#gates.set(id, gate);
    const partial = gate.isDue(piece.text.length) ? this.#partial(id, { whole, isNew }) : [];
    return [...partial, ...this.#chunk(id, piece.text)];
  }

  #partial(
    id: string,
    { whole, isNew }: { whole: string | undefined; isNew: boolean },
  ): readonly SseFrame[] {
    if (!this.#modes.has('messages')) return [];
    const metadata = { [id]: { metadata: this.#tags('agent') } };
    return [
      ...(isNew ? [frame('messages/metadata', metadata)] : []),
      // A client that has the beginning gets the whole message with its end.
      ...(whole === undefined
        ? []
        : [frame('messages/partial', [{ id, type: 'ai', content: whole }])]),
    ];
  }

  #chunk(id: string, content: string): readonly SseFrame[] {
    if (!this.#modes.has('messages-tuple')) return [];
    const message = { id, type: 'AIMessageChunk', content };
    return [frame('messages', [message, this.#tags('agent')])];
  }

  /** The id of the message that the block will have; a text that was taken back has another one. */
  #messageId(stream: string): string {
    const again = this.#again.get(stream) ?? 0;
    return again === 0 ? stream : `${stream}~${again}`;
  }

  #tags(node: string): JsonObject {
    return { ...this.#run, langgraph_node: node, tags: [] };
  }

  #over({ type, data = {} }: WireEnvelope): readonly SseFrame[] {
    this.isOver = true;
    if (type === 'chat.complete') {
      const status = data['reason'] === 'interrupted' ? 'interrupted' : 'success';
      return [...this.#values(), this.#end(status)];
    }
    const error = { error: textOf(data['code']), message: textOf(data['message']) };
    return [frame('error', error), this.#end('error')];
  }

  #end(status: 'success' | 'interrupted' | 'error'): SseFrame {
    return frame('end', { run_id: this.#run.run_id, status });
  }
}

function frame(event: string, data: unknown): SseFrame {
  return { event, data: JSON.stringify(data) };
}
