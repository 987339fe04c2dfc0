import { createCitationReplacer, type ResolveSource } from '../../channels/citations/citations.ts';
import type { ActionIdentity } from '../../channels/decision/action-identity.ts';
import type { DecisionReader } from '../../channels/decision/decision-reader.ts';
import type { FieldEvent } from '../../channels/json/json-stream.ts';
import { decisionChannel } from '../../channels/protocol/channel.ts';
import type { Lane, ReleaseGates } from '../../channels/reply/release-gates.ts';
import type { StreamName } from '../../timeline/ids.ts';
import { LiveStream, type RoundPlace, streamName } from './live-stream.ts';
import type { Publisher, StreamHeader } from './publisher.ts';

type Parts = {
  readonly decision: DecisionReader;
  readonly publisher: Publisher;
  readonly place: RoundPlace;
  readonly gates: ReleaseGates;
  readonly resolve: ResolveSource;
  readonly identified?: (identity: ActionIdentity) => void;
};

type DecisionText = 'notes' | 'answer' | 'write';

/** Which decision field is streamed where, and behind which gate. */
const fields: Readonly<Record<string, { readonly said: DecisionText; readonly lane: Lane }>> = {
  notes: { said: 'notes', lane: 'action' },
  final_answer: { said: 'answer', lane: 'answer' },
  'tool_call.params.content': { said: 'write', lane: 'action' },
};

const content = 'tool_call.params.content';
/** Characters kept of a field that decides where content goes; a path is shorter. */
const learnedCharsMax = 4_000;

/** Fields that must be known before written content can be shown. */
const places = ['tool_call.tool_id', 'tool_call.params.path', 'tool_call.params.channel'];

/**
 * Streams one decision while it is written: notes, the answer, the content of a file. Everything waits until the
 * decision is known to be valid, whatever the order of its fields.
 */
export class DecisionStreams {
  readonly #instance: number;
  readonly #parts: Parts;
  readonly #speeches = new Map<DecisionText, LiveStream>();
  readonly #texts = new Map<string, string>();
  readonly #whole = new Set<string>();
  #identified = false;
  #closed = false;
  #isRefused = false;

  constructor(instance: number, parts: Parts) {
    this.#instance = instance;
    this.#parts = parts;
  }

  /** Takes the next fields of the decision. */
  push(news: readonly FieldEvent[]): void {
    const { identity } = this.#parts.decision;
    if (identity && !this.#identified) {
      this.#identified = true;
      const { kind } = this.#parts.gates.identify(this.#instance, identity);
      this.#isRefused = kind === 'refused';
      if (kind === 'accepted') this.#parts.identified?.(identity);
    }
    for (const field of news) this.#field(field);
    for (const speech of this.#speeches.values()) speech.flush();
  }

  close(): void {
    this.#closed = true;
    for (const speech of this.#speeches.values()) speech.finish();
  }

  /** The decision was refused, or is not valid JSON. */
  get isInvalid(): boolean {
    return this.#isRefused || this.#parts.decision.isBroken;
  }

  /** Name of the stream that showed the content of a file. Undefined: nothing was shown. */
  get written(): StreamName | undefined {
    const shown = this.#speeches.get('write')?.shown ?? false;
    return shown ? streamName(this.#parts.place, 'write', this.#instance) : undefined;
  }

  /** The notes that clients have seen. */
  get notes(): string {
    return this.#speeches.get('notes')?.text ?? '';
  }

  #field({ field: name, kind, text }: FieldEvent): void {
    if (places.includes(name) || name === content) this.#learn(name, { kind, text });
    const field = fields[name];
    if (!field) return;
    const speech = this.#speeches.get(field.said) ?? this.#speech(field.said, field.lane);
    this.#speeches.set(field.said, speech);
    if (kind === 'text') speech.write(text);
    else speech.finish();
  }

  /** Content that only names another text is shown once that text has replaced it. */
  #mayBeRef(): boolean {
    const head = this.#texts.get(content) ?? '';
    return head.startsWith('ref:') || (!this.#whole.has(content) && 'ref:'.startsWith(head));
  }

  #learn(name: string, { kind, text }: Pick<FieldEvent, 'kind' | 'text'>): void {
    const known = this.#texts.get(name) ?? '';
    if (kind === 'text' && known.length < learnedCharsMax) this.#texts.set(name, known + text);
    else this.#whole.add(name);
  }

  #speech(said: DecisionText, lane: Lane): LiveStream {
    const { publisher, place, gates, resolve } = this.#parts;
    // A page keeps what is written, because it is a file.
    const isLinked = said !== 'write' || this.#streamOf(said)?.marker === 'timeline_text';
    const allowed = () => gates.state(this.#instance, lane) === 'allowed';
    return new LiveStream({
      publisher,
      place,
      stream: () => (allowed() ? this.#streamOf(said) : undefined),
      delivered: (text) => gates.deliver(this.#instance, lane, text),
      ...(isLinked ? { citations: createCitationReplacer({ resolve }) } : {}),
    });
  }

  #streamOf(said: DecisionText): StreamHeader | undefined {
    const stream = streamName(this.#parts.place, said, this.#instance);
    const base = { channel: decisionChannel, instance: this.#instance, stream };
    if (said === 'write') return this.#pageOf(base);
    return { ...base, marker: said === 'answer' ? 'answer' : 'timeline_text' };
  }

  /**
   * Written content goes to the canvas or the timeline text that its parameters name. Internal notes and content of
   * other tools are not shown.
   */
  #pageOf(base: Pick<StreamHeader, 'channel' | 'instance' | 'stream'>): StreamHeader | undefined {
    const [tool, path, channel] = places.map((name) =>
      this.#whole.has(name) ? this.#texts.get(name) : undefined,
    );
    const known =
      tool === 'react.write' && path !== undefined && (channel !== undefined || this.#closed);
    if (!known || channel === 'internal' || this.#mayBeRef()) return undefined;
    if (channel === 'timeline_text') return { ...base, marker: 'timeline_text' };
    return { ...base, marker: 'canvas', artifact: { name: path.split('/').at(-1) ?? path } };
  }
}
