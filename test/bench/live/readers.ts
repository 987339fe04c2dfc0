import { Socket as NetSocket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import type { LiveModel, LiveServer } from './processes.ts';

const Delta = z.object({ delta: z.object({ text: z.string() }) });
const Ack = z.object({ ok: z.literal(true), conversation_id: z.string().optional() });
const Kept = z.object({
  cursor: z.string().default(''),
  delta: z.object({ text: z.string(), offset: z.number() }).optional(),
});
const Wire = z.object({ ws: z.object({ _socket: z.instanceof(NetSocket) }) });
/** Characters of a delta of the model. */
export const deltaChars = 9;
/** Only every eighth message is examined for its age. */
const sampledEvery = 8;
const pollMs = 20;
const openMsMax = 300_000;
let messages = 0;

/** A client of either server, which counts what it reads. */
export class Reader implements Disposable {
  readonly socket: Socket;
  /** The conversation of its last message. Undefined: none yet, or a server without conversations. */
  conversation: string | undefined;
  chars = 0;
  /** Messages with a delta. */
  read = 0;
  /** Milliseconds between the model and here, of the oldest delta of a message. */
  lagsMs: number[] = [];
  #kept: { readonly cursor: string; readonly end: number; readonly bytes: number }[] = [];
  #changed: () => void = () => undefined;

  constructor(server: LiveServer, user: string) {
    this.socket = io(server.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth: { user, tenant: 'dev', project: 'dev' },
    });
    this.socket.on('chat_delta', (envelope: unknown) => this.#take(envelope));
  }

  /** Also keeps what it reads, to compare its bytes with those of another one. */
  keep(): this {
    this.#kept = [];
    this.socket.onAny((event: string, envelope: unknown) => {
      const { cursor, delta } = Kept.parse(envelope ?? {});
      const end = delta === undefined ? this.last.end : delta.offset + delta.text.length;
      const bytes = Buffer.byteLength(JSON.stringify([event, envelope]));
      this.#kept.push({ cursor, end, bytes });
      this.#changed();
    });
    return this;
  }

  /** Of the last envelope that it kept: its cursor, and how much of the reply was read with it. */
  get last(): { readonly cursor: string; readonly end: number } {
    return this.#kept.at(-1) ?? { cursor: '', end: 0 };
  }

  /** Resolves once it has read so much of the reply. */
  async until(end: number): Promise<void> {
    while (this.last.end < end) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Bytes of what it kept beyond one point of the reply, up to another. */
  bytes({ beyond, upTo }: { beyond: number; upTo: number }): number {
    const kept = this.#kept.filter(({ end }) => end > beyond && end <= upTo);
    return kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Stops reading from the network. */
  pause(): void {
    const transport: unknown = Reflect.get(this.socket.io.engine, 'transport');
    Wire.parse(transport).ws._socket.pause();
  }

  async subscribe(conversation_id: string, start: object): Promise<void> {
    Ack.parse(await this.socket.emitWithAck('chat_subscribe', { conversation_id, ...start }));
  }

  async connected(): Promise<this> {
    if (!this.socket.connected) await this.#once('connect');
    return this;
  }

  /** The acknowledgement of a message. */
  async send(text: string, more: object = {}): Promise<void> {
    messages += 1;
    const message = { message_id: `m${process.pid}_${messages}`, text, ...more };
    const ack = Ack.parse(await this.socket.emitWithAck('chat_message', message));
    this.conversation = ack.conversation_id;
  }

  /** Resolves with the end of a turn that is open. */
  async ended(): Promise<void> {
    await this.#once('chat_complete');
  }

  [Symbol.dispose](): void {
    this.socket.disconnect();
  }

  #once(event: string): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once(event, () => resolve());
    });
  }

  #take(envelope: unknown): void {
    const { text } = Delta.parse(envelope).delta;
    this.chars += text.length;
    this.read += 1;
    if (this.read % sampledEvery !== 0) return;
    const writtenMs = Number.parseInt(text.slice(0, deltaChars - 1), 36);
    if (writtenMs > 1e12) this.lagsMs.push(Date.now() - writtenMs);
  }
}

/** Each of another user, unless one is named. */
export async function openReaders(
  server: LiveServer,
  count: number,
  user?: string,
): Promise<readonly Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    const next = Array.from({ length: Math.min(50, count - readers.length) }, (_, at) =>
      new Reader(server, user ?? `user_${readers.length + at}`).connected(),
    );
    readers.push(...(await Promise.all(next)));
  }
  return readers;
}

/** Resolves once each of them has read `count` messages. */
export async function allRead(readers: readonly Reader[], count: number): Promise<void> {
  const untilMs = Date.now() + openMsMax;
  while (readers.some(({ read }) => read < count)) {
    if (Date.now() > untilMs) throw new Error(`not all readers read ${count} messages`);
    await setTimeout(pollMs);
  }
}

/** A reply that has begun for each reader, all waiting for the model to go on. */
export async function openStreams(
  server: LiveServer,
  model: LiveModel,
  { count, user }: { readonly count: number; readonly user?: string },
): Promise<readonly Reader[]> {
  await model.tell('hold');
  const readers = await openReaders(server, count, user);
  for (const reader of readers) await reader.send('Tell me about the weather.');
  const untilMs = Date.now() + openMsMax;
  while ((await model.tell('state')).open < count) {
    if (Date.now() > untilMs) throw new Error(`not all of ${count} streams began`);
    await setTimeout(pollMs);
  }
  return readers;
}

export async function endStreams(readers: readonly Reader[], model: LiveModel): Promise<void> {
  const ended = Promise.all(readers.map((reader) => reader.ended()));
  await model.tell('finish');
  await ended;
  for (const reader of readers) reader[Symbol.dispose]();
}

export function lagsOf(readers: readonly Reader[]): readonly number[] {
  return readers.flatMap(({ lagsMs }) => lagsMs);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
