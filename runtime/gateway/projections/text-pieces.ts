import type { Json, JsonObject } from '../../base/json.ts';
import type { WireDelta, WireEnvelope } from '../../client/protocol/envelope.ts';
import type { StreamMark } from './projection.ts';

/** A readable stream of a turn. `marker` says where it is shown, as in deltas. */
export type TextStream = {
  readonly stream: string;
  readonly marker: string;
  readonly round?: number | undefined;
  /** Name, MIME type and title of a canvas or file. */
  readonly artifact?: string | undefined;
  readonly mime?: string | undefined;
  readonly title?: string | undefined;
};

/** What an envelope adds to a stream. Each stream ends once, or is discarded. */
export type TextPiece = TextStream &
  (
    | { readonly kind: 'append'; readonly text: string }
    | { readonly kind: 'end' }
    /** What was shown does not count: it is written again, or not at all. */
    | { readonly kind: 'discard' }
  );

type OpenStream = {
  readonly of: TextStream;
  /** Undefined: the client has the characters from frames that cannot be repeated. */
  text: string | undefined;
  shown: number;
  /** A piece of it was sent. */
  isStarted: boolean;
  isEnded: boolean;
};

const markers: ReadonlyMap<string, string> = new Map([
  ['react.thinking', 'thinking'],
  ['react.notes', 'timeline_text'],
  ['timeline_text', 'timeline_text'],
  ['react.code', 'code'],
  ['canvas', 'canvas'],
  ['chat.completion', 'answer'],
]);

/**
 * Reads the streams of one turn for protocols that can only append: deltas in order, each block as the rest of its
 * stream, a retried generation as a discarded stream. Citations are links already, in deltas as in blocks.
 */
export class TextPieces {
  readonly #open = new Map<string, OpenStream>();
  readonly #done = new Set<string>();

  take(envelope: WireEnvelope): readonly TextPiece[] {
    const { type, delta, data = {} } = envelope;
    if (delta) return this.#delta(delta, envelope.round);
    if (type === 'stream.reset') return this.#discard(textOf(data['stream']));
    const marker = markers.get(type);
    return marker === undefined ? [] : this.#block(envelope, marker);
  }

  /** What was sent of each stream that has no block yet. */
  shown(): ReadonlyMap<string, StreamMark> {
    const marks = new Map<string, StreamMark>();
    for (const [name, { isStarted, shown, isEnded }] of this.#open) {
      if (isStarted) marks.set(name, { chars: shown, ended: isEnded });
    }
    return marks;
  }

  /** Takes what a client was sent of streams. Returns those of which this reader has seen less. */
  resume(streams: ReadonlyMap<string, StreamMark>): readonly (readonly [string, StreamMark])[] {
    const unseen = [...streams].filter(
      ([stream, { chars }]) => (this.#open.get(stream)?.shown ?? 0) < chars,
    );
    for (const [stream, { chars: shown, ended }] of unseen) {
      const marker = /\.([a-z_]+)\.\d+$/.exec(stream)?.[1] ?? 'answer';
      const known = this.#open.get(stream)?.of;
      const of = known ?? { stream, marker: marker === 'notes' ? 'timeline_text' : marker };
      const open = { of, text: undefined, shown, isStarted: true, isEnded: ended };
      this.#open.set(stream, open);
    }
    return unseen;
  }

  #delta(delta: WireDelta, round: number | undefined): readonly TextPiece[] {
    const { stream, marker, text, offset, completed, artifact, mime, title } = delta;
    if (this.#done.has(stream)) return [];
    const isAgain = offset === 0 && (this.#open.get(stream)?.shown ?? 0) > 0;
    const discarded = isAgain ? this.#discard(stream) : [];
    const known = this.#open.get(stream);
    const of = known?.of ?? { stream, marker, round, artifact, mime, title };
    const open = known ?? this.#begin(of);
    // Without the pieces in between, its block brings the rest.
    if (offset > open.shown) return discarded;
    const piece = this.#append(open, text.slice(open.shown - offset));
    if (!completed || open.isEnded) return [...discarded, ...piece];
    return [...discarded, ...piece, ...this.#end(open)];
  }

  #block({ data = {}, cursor, round }: WireEnvelope, marker: string): readonly TextPiece[] {
    const stream = textOf(data['stream']) || textOf(data['path']) || cursor;
    if (this.#done.has(stream)) return [];
    const text = textOf(data['text']);
    const known = this.#open.get(stream);
    const isSame = known?.text === undefined || text.startsWith(known.text);
    const discarded = isSame ? [] : this.#discard(stream);
    const { artifact, mime, title } = namesOf(data);
    const open =
      this.#open.get(stream) ?? this.#begin({ stream, marker, round, artifact, mime, title });
    const isMore = text.length > open.shown;
    if (open.isEnded && isMore) return [...this.#discard(stream), ...this.#whole(open.of, text)];
    const rest = this.#append(open, text.slice(open.shown));
    this.#open.delete(stream);
    this.#done.add(stream);
    if (open.isEnded) return [...discarded, ...rest];
    return [...discarded, ...rest, ...this.#end(open)];
  }

  #whole(of: TextStream, text: string): readonly TextPiece[] {
    const open = this.#begin(of);
    this.#open.delete(of.stream);
    this.#done.add(of.stream);
    return [...this.#append(open, text), ...this.#end(open)];
  }

  #begin(of: TextStream): OpenStream {
    const open: OpenStream = { of, text: '', shown: 0, isStarted: false, isEnded: false };
    this.#open.set(of.stream, open);
    return open;
  }

  #append(open: OpenStream, text: string): readonly TextPiece[] {
    if (open.text !== undefined) open.text += text;
    open.shown += text.length;
    if (text === '') return [];
    open.isStarted = true;
    return [{ ...open.of, kind: 'append', text }];
  }

  /** A stream without any text neither begins nor ends. */
  #end(open: OpenStream): readonly TextPiece[] {
    open.isEnded = true;
    return open.isStarted ? [{ ...open.of, kind: 'end' }] : [];
  }

  #discard(stream: string): readonly TextPiece[] {
    const open = this.#open.get(stream);
    this.#open.delete(stream);
    return open?.isStarted === true ? [{ ...open.of, kind: 'discard' }] : [];
  }
}

function namesOf(data: JsonObject) {
  const { name, mime, title } = data;
  const optional = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  return { artifact: optional(name), mime: optional(mime), title: optional(title) };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
