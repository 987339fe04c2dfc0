import { createHash, randomUUID } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { Listeners } from '../../base/listeners.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { FrameTicks } from '../../engine/live/frame-ticks.ts';
import type { Announcement, Bus, Frame, Note, Owner } from '../../engine/ports/bus.ts';
import { framesIn, inOrder, ownerName, parseNotes, toNote } from '../../engine/ports/frames.ts';
import {
  type ConversationKey,
  conversationKeySchema,
  type Seq,
  seqSchema,
} from '../../timeline/ids.ts';
import { Channels } from './channels.ts';
import { connect } from './connection.ts';
import { FrameBuffers } from './frame-buffers.ts';
import { sendingMax } from './limits.ts';

type Waits = { readonly signal: AbortSignal };

const Message = z.object({
  /** The bus that sent it; its own listeners already have it. */
  from: z.string(),
  conversation: conversationKeySchema,
  wake: z.literal(true).exactOptional(),
  steer: seqSchema.exactOptional(),
  notes: z.unknown().exactOptional(),
});
const Touch = z.object({ from: z.string(), owner: z.string() });
type Message = Omit<z.output<typeof Message>, 'from'>;

/**
 * A bus across processes: pub/sub carries wakes, steers and notes; a capped stream keeps each conversation's frames.
 * Redis may fail at any time, also while opening. The bus then does not throw, still notifies listeners of this
 * process, and others find what they missed in the store. `prefix` separates programs on one Redis, and so does the database
 * number of `url`.
 */
export async function openRedisBus({
  url,
  prefix = 'timeloom',
  log = silentLog,
}: {
  url: string;
  prefix?: string;
  log?: Log;
}): Promise<Bus & AsyncDisposable> {
  const [commands, subscriber] = await Promise.all([connect(url, log), connect(url, log)]);
  return new RedisBus({ commands, subscriber, prefix, log });
}

type Parts = { commands: Redis; subscriber: Redis; prefix: string; log: Log };

/** A message reaches the subscribers of every database of a Redis, so the channels name theirs. */
function channelPrefix(prefix: string, { options: { db = 0 } }: Redis): string {
  return db === 0 ? prefix : `${prefix}:${db}`;
}

class RedisBus implements Bus, AsyncDisposable {
  readonly #id = randomUUID();
  readonly #ownPrefix = `{"from":"${this.#id}"`;
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #channelPrefix: string;
  readonly #log: Log;
  readonly #channels: Channels;
  readonly #wakes = new Listeners<'wake', ConversationKey>();
  readonly #steers = new Listeners<ConversationKey, Seq>();
  readonly #notes = new Listeners<ConversationKey, Note>();
  readonly #touches = new Listeners<string, void>();
  readonly #buffers: FrameBuffers;
  readonly #ticks = new FrameTicks((batch) => {
    this.#sendNotes(new Map([...batch].map(([key, frames]) => [key, frames.map(toNote)])));
  });
  readonly #running = new Set<Promise<void>>();
  #failing = false;

  constructor({ commands, subscriber, prefix, log }: Parts) {
    this.#commands = commands;
    this.#subscriber = subscriber;
    this.#buffers = new FrameBuffers(commands, prefix);
    this.#channelPrefix = channelPrefix(prefix, subscriber);
    this.#log = log;
    this.#channels = new Channels(subscriber, (command) => this.#run(command));
    subscriber.on('message', (_channel: string, text: string) => this.#hear(text));
  }

  wake(key: ConversationKey): void {
    this.#wakes.notify('wake', key);
    this.#sendMessage(this.#wakeChannel, { conversation: key, wake: true });
  }

  onWake(listener: (key: ConversationKey) => void): Disposable {
    return this.#channels.join(this.#wakeChannel, this.#wakes.add('wake', listener));
  }

  steer(key: ConversationKey, seq: Seq): void {
    this.#steers.notify(key, seq);
    this.#sendMessage(this.#channel(key), { conversation: key, steer: seq });
  }

  onSteer(key: ConversationKey, listener: (seq: Seq) => void): Disposable {
    const listening = this.#steers.add(key, listener);
    return this.#channels.join(this.#channel(key), listening);
  }

  announce(key: ConversationKey, { head, wake = false, steer = false }: Announcement): void {
    const frames = this.#ticks.take(key);
    const notes: readonly Note[] = [...frames.map(toNote), { kind: 'head', head }];
    const message = { conversation: key, ...(steer && { steer: head }), notes };
    this.#send((pipeline) => {
      this.#buffers.add(pipeline, key, frames);
      pipeline.publish(this.#channel(key), this.#toMessage(message));
      if (wake) pipeline.publish(this.#wakeChannel, this.#toMessage({ conversation: key, wake }));
    });
    for (const note of notes) this.#notes.notify(key, note);
    if (wake) this.#wakes.notify('wake', key);
    if (steer) this.#steers.notify(key, head);
  }

  publish(key: ConversationKey, notes: readonly Note[]): void {
    const frames = framesIn(notes);
    if (frames.length === notes.length) this.#ticks.add(key, frames);
    else {
      const all = [...this.#ticks.take(key).map(toNote), ...notes];
      this.#sendNotes(new Map([[key, all]]));
    }
  }

  /** Frames are stored before other processes are notified. */
  #sendNotes(batch: ReadonlyMap<ConversationKey, readonly Note[]>): void {
    this.#send((pipeline) => {
      for (const [key, notes] of batch) {
        this.#buffers.add(pipeline, key, framesIn(notes));
        pipeline.publish(this.#channel(key), this.#toMessage({ conversation: key, notes }));
      }
    });
    for (const [key, notes] of batch) for (const note of notes) this.#notes.notify(key, note);
  }

  subscribe(key: ConversationKey, listener: (note: Note) => void): Disposable {
    const listening = this.#notes.add(key, listener);
    return this.#channels.join(this.#channel(key), listening);
  }

  touch(owner: Owner): void {
    const name = ownerName(owner);
    this.#touches.notify(name, undefined);
    const message = JSON.stringify({ from: this.#id, owner: name });
    this.#send((pipeline) => pipeline.publish(this.#ownerChannel(name), message));
  }

  onTouch(owner: Owner, listener: () => void): Disposable {
    const name = ownerName(owner);
    return this.#channels.join(this.#ownerChannel(name), this.#touches.add(name, listener));
  }

  /** Waits until earlier subscriptions are active, so that frames missing from the answer arrive as messages. */
  async frames(key: ConversationKey, from: Seq, { signal }: Waits): Promise<readonly Frame[]> {
    await this.flush({ signal });
    try {
      return inOrder(await this.#buffers.read(key, from));
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  async forget(key: ConversationKey, { signal }: Waits): Promise<boolean> {
    await this.flush({ signal });
    try {
      await this.#buffers.remove(key);
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  async flush({ signal }: Waits): Promise<void> {
    signal.throwIfAborted();
    this.#ticks.flush();
    await Promise.all(this.#running);
    signal.throwIfAborted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ticks.flush();
    await Promise.all(this.#running);
    this.#wakes.clear();
    this.#steers.clear();
    this.#notes.clear();
    this.#touches.clear();
    // `quit` would wait for a Redis that may be down; everything has been sent by now.
    this.#subscriber.disconnect();
    this.#commands.disconnect();
  }

  get #wakeChannel(): string {
    return `${this.#channelPrefix}:wake`;
  }

  #channel(key: ConversationKey): string {
    return `${this.#channelPrefix}:conversation:${key}`;
  }

  #ownerChannel(name: string): string {
    return `${this.#channelPrefix}:owner:${createHash('sha256').update(name).digest('hex')}`;
  }

  #sendMessage(channel: string, message: Message): void {
    this.#send((pipeline) => pipeline.publish(channel, this.#toMessage(message)));
  }

  /** Begins with the sender, so that it recognizes its own messages without reading them. */
  #toMessage(message: Message): string {
    return JSON.stringify({ from: this.#id, ...message });
  }

  /** One pipeline. */
  #send(fill: (pipeline: ChainableCommander) => void): void {
    if (this.#running.size >= sendingMax) {
      this.#failed(new Error(`${sendingMax} batches are waiting to be sent`));
      return;
    }
    const pipeline = this.#commands.pipeline();
    fill(pipeline);
    this.#run(succeeded(pipeline));
  }

  #hear(text: string): void {
    if (text.startsWith(this.#ownPrefix)) return;
    const said = parseJson(text);
    const touched = Touch.safeParse(said).data;
    if (touched) this.#touches.notify(touched.owner, undefined);
    const { data } = Message.safeParse(said);
    if (data === undefined) return;
    const { conversation: key, wake, steer, notes = [] } = data;
    for (const note of parseNotes(notes)) this.#notes.notify(key, note);
    if (wake) this.#wakes.notify('wake', key);
    if (steer !== undefined) this.#steers.notify(key, steer);
  }

  #run(command: Promise<unknown>): void {
    const running = command
      .then(
        () => {
          this.#failing = false;
        },
        (error: unknown) => this.#failed(error),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Logged once until a command succeeds again: an outage must not fill the log. */
  #failed(error: unknown): void {
    if (!this.#failing) this.#log.warn('redis command failed', { error });
    this.#buffers.renewExpiries();
    this.#failing = true;
  }
}

/** A pipeline resolves even when its commands fail. */
async function succeeded(pipeline: ChainableCommander): Promise<void> {
  const results = (await pipeline.exec()) ?? [];
  for (const [error] of results) if (error) throw error;
}
