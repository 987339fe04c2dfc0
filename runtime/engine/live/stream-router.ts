import { canvasFormat } from '../../channels/citations/canvas-format.ts';
import { createCitationReplacer, type ResolveSource } from '../../channels/citations/citations.ts';
import type { ActionIdentity } from '../../channels/decision/action-identity.ts';
import type { ReadEvent } from '../../channels/decision/read-event.ts';
import { decisionChannel } from '../../channels/protocol/channel.ts';
import { excerptCharsMax } from '../../channels/protocol/limits.ts';
import type { ReleaseGates } from '../../channels/reply/release-gates.ts';
import type { StreamName } from '../../timeline/ids.ts';
import { canvasProblem } from '../../tools/services/canvas-facts.ts';
import { DecisionStreams } from './decision-streams.ts';
import { LiveStream, type RoundPlace, streamName } from './live-stream.ts';
import type { Publisher, StreamHeader } from './publisher.ts';

/** Channels whose text goes to clients unchanged. Channels that a bundle declares show as `subsystem`. */
const markers: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  code: 'code',
  canvas: 'canvas',
  timeline_text: 'timeline_text',
};
const silent = new Set(['internal', 'summary']);

type Parts = {
  readonly place: RoundPlace;
  readonly gates: ReleaseGates;
  readonly resolve: ResolveSource;
  /** Called when it is known what a decision requests, before it is complete. */
  readonly identified?: (identity: ActionIdentity) => void;
};
type ChannelEvent = Extract<ReadEvent, { kind: 'opened' | 'text' | 'closed' }>;
type ChannelOpened = Extract<ReadEvent, { kind: 'opened' }>;

/** Streams one generation to clients while it is written: each channel to its stream, each decision behind its gate. */
export class StreamRouter {
  readonly #publisher: Publisher;
  readonly #parts: Parts;
  readonly #decisions = new Map<number, DecisionStreams>();
  readonly #speeches = new Map<StreamName, LiveStream>();
  #foreignChars = 0;

  constructor(publisher: Publisher, parts: Parts) {
    this.#publisher = publisher;
    this.#parts = parts;
  }

  /** Raw answers that clients have seen, by decision instance. */
  get answers(): ReadonlyMap<number, string> {
    return this.#parts.gates.answers;
  }

  /** Streams of written files that clients have seen, by decision instance. */
  get written(): ReadonlyMap<number, StreamName> {
    const shown = [...this.#decisions].flatMap(([instance, { written }]) =>
      written === undefined ? [] : [[instance, written] as const],
    );
    return new Map(shown);
  }

  /** Notes that clients have seen, by decision instance. */
  get notes(): ReadonlyMap<number, string> {
    return new Map([...this.#decisions].map(([instance, { notes }]) => [instance, notes]));
  }

  /** A decision was refused or is broken, or enough of a reply outside the protocol was read to quote it. */
  get cannotBecomeLegal(): boolean {
    const isForeign = this.#foreignChars >= excerptCharsMax;
    return isForeign || [...this.#decisions.values()].some(({ isInvalid: isLost }) => isLost);
  }

  take(event: ReadEvent): void {
    if (event.kind === 'foreign' && event.ends) this.#foreignChars += event.text.length;
    if (!('channel' in event) || silent.has(event.channel)) return;
    if (event.kind === 'withdrawn') this.#withdraw(event.instance);
    else if (event.channel === decisionChannel) this.#decide(event);
    else this.#relay(event);
  }

  /** An answer that proved to be a remark: what people have seen of it is reset. */
  #withdraw(instance: number): void {
    const { place, gates } = this.#parts;
    const isShown = gates.answers.has(instance);
    this.#decisions.delete(instance);
    gates.withdraw(instance);
    if (isShown) this.#publisher.reset(place, streamName(place, 'answer', instance));
  }

  #decide(event: ChannelEvent): void {
    const { instance } = event;
    if (event.kind === 'opened') {
      const { decision } = event;
      const parts = { publisher: this.#publisher, ...this.#parts };
      if (decision)
        this.#decisions.set(instance, new DecisionStreams(instance, { decision, ...parts }));
    } else if (event.kind === 'text') this.#decisions.get(instance)?.push(event.fields ?? []);
    else this.#decisions.get(instance)?.close();
  }

  #relay(event: ChannelEvent): void {
    const name = streamName(this.#parts.place, event.channel, event.instance);
    if (event.kind === 'opened') {
      if (event.channel === 'canvas' && canvasProblem(event.attributes) !== undefined) return;
      const stream = streamOf(event, name);
      const { place, resolve } = this.#parts;
      const format =
        event.channel === 'canvas' ? canvasFormat(event.attributes['mime']) : undefined;
      const speech = new LiveStream({
        publisher: this.#publisher,
        place,
        stream: () => stream,
        ...(format && { citations: createCitationReplacer({ resolve, format }) }),
      });
      this.#speeches.set(name, speech);
    } else if (event.kind === 'text') this.#speeches.get(name)?.write(event.text);
    else this.#speeches.get(name)?.finish();
  }
}

function streamOf(
  { channel, instance, attributes }: ChannelOpened,
  stream: StreamName,
): StreamHeader {
  const { name, mime, title } = attributes;
  const base = { channel, instance, stream, marker: markers[channel] ?? 'subsystem' };
  if (name === undefined) return base;
  const looks = {
    ...(mime === undefined ? {} : { mime }),
    ...(title === undefined ? {} : { title }),
  };
  return { ...base, artifact: { name, ...looks } };
}
