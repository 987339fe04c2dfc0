import type { Json, JsonObject } from '../../base/json.ts';
import {
  type CitationReplacer,
  createCitationReplacer,
} from '../../channels/citations/citations.ts';
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
  /** A piece of it was sent: text that may become a citation is held back. */
  isStarted: boolean;
  isEnded: boolean;
  readonly links: CitationReplacer;
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
 * stream, a retried generation as a discarded stream. Citations in answers become Markdown links.
 */
export class TextPieces {
  readonly #open = new Map<string, OpenStream>();
  readonly #done = new Set<string>();
  readonly #sources = new Map<number, { readonly title: string; readonly url: string }>();

  take(envelope: WireEnvelope): readonly TextPiece[] {
    const { type, delta, data = {} } = envelope;
    if (type === 'chat.citations') this.#learn(data['items']);
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
      const links = this.#replacer(of.marker);
      const open = { of, text: undefined, shown, isStarted: true, isEnded: ended, links };
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
    const raw = textOf(data['raw'] ?? data['text']);
    const known = this.#open.get(stream);
    const isSame = known?.text === undefined || raw.startsWith(known.text);
    const discarded = isSame ? [] : this.#discard(stream);
    const { artifact, mime, title } = namesOf(data);
    const open =
      this.#open.get(stream) ?? this.#begin({ stream, marker, round, artifact, mime, title });
    // What the client has decides whether the rest begins in a citation or in code.
    if (open.text === undefined) open.links.push(raw.slice(0, open.shown));
    const isMore = raw.length > open.shown;
    if (open.isEnded && isMore) return [...this.#discard(stream), ...this.#whole(open.of, raw)];
    const rest = this.#append(open, raw.slice(open.shown));
    this.#open.delete(stream);
    this.#done.add(stream);
    if (open.isEnded) return [...discarded, ...rest];
    return [...discarded, ...rest, ...this.#end(open)];
  }

  #whole(of: TextStream, raw: string): readonly TextPiece[] {
    const open = this.#begin(of);
    this.#open.delete(of.stream);
    this.#done.add(of.stream);
    return [...this.#append(open, raw), ...this.#end(open)];
  }

  #begin(of: TextStream): OpenStream {
    const links = this.#replacer(of.marker);
    const open: OpenStream = {
      ...{ of, text: '', shown: 0, links },
      ...{ isStarted: false, isEnded: false },
    };
    this.#open.set(of.stream, open);
    return open;
  }

  #append(open: OpenStream, raw: string): readonly TextPiece[] {
    if (open.text !== undefined) open.text += raw;
    open.shown += raw.length;
    return this.#piece(open, open.links.push(raw));
  }

  #flush(open: OpenStream): readonly TextPiece[] {
    return this.#piece(open, open.links.end());
  }

  #piece(open: OpenStream, text: string): readonly TextPiece[] {
    if (text === '') return [];
    open.isStarted = true;
    return [{ ...open.of, kind: 'append', text }];
  }

  /** A stream without any text neither begins nor ends. */
  #end(open: OpenStream): readonly TextPiece[] {
    const rest = this.#flush(open);
    open.isEnded = true;
    return open.isStarted ? [...rest, { ...open.of, kind: 'end' }] : [];
  }

  #discard(stream: string): readonly TextPiece[] {
    const open = this.#open.get(stream);
    this.#open.delete(stream);
    return open?.isStarted === true ? [{ ...open.of, kind: 'discard' }] : [];
  }

  #replacer(marker: string): CitationReplacer {
    const format = marker === 'answer' ? 'markdown' : 'json';
    return createCitationReplacer({ resolve: (sid) => this.#sources.get(sid), format });
  }

  #learn(items: Json | undefined): void {
    for (const item of Array.isArray(items) ? items : []) {
      const { sid, title, url }: JsonObject = isObject(item) ? item : {};
      if (typeof sid !== 'number' || typeof url !== 'string') continue;
      this.#sources.set(sid, { title: textOf(title) || url, url });
    }
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

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
