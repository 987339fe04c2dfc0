import { type ChannelEvent, decisionChannel } from '../channels/channel.ts';
import {
  type CitationReplacer,
  createCitationReplacer,
  type ResolveSource,
} from '../channels/citations.ts';
import type { Gates, Lane } from '../channels/gates.ts';
import { createIdentityReader, type IdentityReader } from '../channels/identity.ts';
import { createFieldStream, type FieldEvent, type FieldStream } from '../channels/json-stream.ts';
import type { Publisher, StreamOf } from './publisher.ts';

type Place = { readonly turn: string; readonly round: number };

/** Channels whose text goes to clients as it is; what is not here and not the decision stays inside. */
const markers: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  code: 'code',
  canvas: 'canvas',
  timeline_text: 'timeline_text',
};
const silent = new Set(['internal', 'summary']);

type Spoken = Exclude<ChannelEvent, { kind: 'notice' }>;
type Decision = { readonly fields: FieldStream; readonly identity: IdentityReader; known: boolean };
type Speech = {
  readonly stream: StreamOf;
  /** Set for what a decision says: it waits for its gate. */
  readonly gate?: {
    readonly instance: number;
    readonly lane: Lane;
    readonly citations?: CitationReplacer;
  };
  /** As the model wrote it, while the gate is not open. */
  waiting: string;
  over: boolean;
};

/**
 * Shows one generation to clients while it is written. Thinking, code and canvases go out as they come; what a
 * decision says (notes, answer) waits until it is known that the decision stands, and is dropped when it does not.
 */
export class Speaker {
  readonly #publisher: Publisher;
  readonly #place: Place;
  readonly #gates: Gates;
  readonly #resolve: ResolveSource;
  readonly #decisions = new Map<number, Decision>();
  readonly #speeches = new Map<string, Speech>();

  constructor(
    publisher: Publisher,
    { place, gates, resolve }: { place: Place; gates: Gates; resolve: ResolveSource },
  ) {
    this.#publisher = publisher;
    this.#place = place;
    this.#gates = gates;
    this.#resolve = resolve;
  }

  /** Raw answers that clients have seen, by decision instance. */
  get answers(): ReadonlyMap<number, string> {
    return this.#gates.answers;
  }

  take(event: ChannelEvent): void {
    if (event.kind === 'notice' || silent.has(event.channel)) return;
    if (event.channel === decisionChannel) this.#decide(event);
    else this.#relay(event);
  }

  #relay(event: Spoken): void {
    const { channel, instance } = event;
    const name = streamName(this.#place, channel, instance);
    if (event.kind === 'opened') {
      const marker = markers[channel] ?? 'subsystem';
      const stream = { channel, instance, stream: name, marker, ...artifactOf(event) };
      this.#speeches.set(name, { stream, waiting: '', over: false });
    } else if (event.kind === 'text') this.#say(name, event.text);
    else this.#finish(name);
  }

  #decide(event: Spoken): void {
    const { instance } = event;
    if (event.kind === 'opened') {
      const decision = {
        fields: createFieldStream(),
        identity: createIdentityReader(),
        known: false,
      };
      this.#decisions.set(instance, decision);
    } else if (event.kind === 'closed') {
      for (const lane of lanesOf) this.#finish(laneStream(this.#place, lane, instance));
    } else this.#read(instance, event.text);
  }

  #read(instance: number, text: string): void {
    const decision = this.#decisions.get(instance);
    if (!decision) return;
    const fields = decision.fields.push(text);
    const identity = decision.identity.push(fields);
    if (identity && !decision.known) {
      decision.known = true;
      this.#gates.identify(instance, identity);
    }
    for (const field of fields) this.#field(instance, field);
    for (const lane of lanesOf) this.#say(laneStream(this.#place, lane, instance), '');
  }

  #field(instance: number, { path, kind, text }: FieldEvent): void {
    const lane = lanes[path.join('.')];
    if (lane === undefined) return;
    const name = laneStream(this.#place, lane, instance);
    if (!this.#speeches.has(name))
      this.#speeches.set(name, this.#laneSpeech(lane, { instance, name }));
    if (kind === 'text') this.#say(name, text);
    else this.#finish(name);
  }

  #laneSpeech(lane: Lane, { instance, name }: { instance: number; name: string }): Speech {
    const marker = lane === 'answer' ? 'answer' : 'timeline_text';
    const citations =
      lane === 'answer' ? { citations: createCitationReplacer({ resolve: this.#resolve }) } : {};
    const stream = { channel: decisionChannel, instance, stream: name, marker };
    return { stream, gate: { instance, lane, ...citations }, waiting: '', over: false };
  }

  #say(name: string, text: string): void {
    const speech = this.#speeches.get(name);
    if (!speech) return;
    speech.waiting += text;
    this.#flush(speech);
  }

  #finish(name: string): void {
    const speech = this.#speeches.get(name);
    if (!speech || speech.over) return;
    speech.over = true;
    this.#flush(speech);
  }

  /** What may be shown by now is shown; a field can be over before its decision is known to stand. */
  #flush(speech: Speech): void {
    const { gate, stream, waiting, over } = speech;
    if (gate && this.#gates.state(gate.instance, gate.lane) !== 'allowed') return;
    if (waiting === '' && !over) return;
    speech.waiting = '';
    if (gate) this.#gates.deliver(gate.instance, gate.lane, waiting);
    const { citations } = gate ?? {};
    const text = citations ? citations.push(waiting) + (over ? citations.end() : '') : waiting;
    if (text !== '' || over) this.#publisher.delta(this.#place, stream, { text, completed: over });
    if (over) this.#speeches.delete(stream.stream);
  }
}

const lanesOf: readonly Lane[] = ['action', 'answer'];
const lanes: Readonly<Record<string, Lane>> = { notes: 'action', final_answer: 'answer' };

export function streamName({ turn, round }: Place, channel: string, instance: number): string {
  return `${turn}.${round}.${channel}.${instance}`;
}

/** The streams of what one decision says: its notes, its answer. */
export function laneStream(place: Place, lane: Lane, instance: number): string {
  return streamName(place, lane === 'answer' ? 'answer' : 'notes', instance);
}

function artifactOf({
  attributes,
}: {
  attributes: Readonly<Record<string, string>>;
}): Pick<StreamOf, 'artifact'> {
  const { name, mime, title } = attributes;
  if (name === undefined) return {};
  return {
    artifact: {
      name,
      ...(mime === undefined ? {} : { mime }),
      ...(title === undefined ? {} : { title }),
    },
  };
}
