import { createHash } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { Work } from '../../base/signal.ts';
import type { Surface, SurfaceFile, SurfaceMessage } from '../../sdk/contract/surface.ts';
import type { ChatRecord, ChatRecords } from './chat-records.ts';
import { postGraceMs } from './limits.ts';
import { splitText } from './split-text.ts';
import type { Message } from './transcript.ts';

type Parts = {
  readonly surface: Surface;
  readonly records: ChatRecords;
  readonly chat: string;
  readonly readFile: (path: string, options: ReadOptions) => Promise<ReadFile>;
};

export type ReadOptions = { readonly bytesMax: number; readonly signal: AbortSignal };
/** The bytes of a file of the conversation, or why it has none to send. */
export type ReadFile = { readonly bytes: Uint8Array } | { readonly why: string };

/** Makes a chat show the messages of a transcript: posts what is new, edits what changed. */
export class ChatView {
  readonly #parts: Parts;
  #record: ChatRecord;

  constructor(parts: Parts, record: ChatRecord) {
    this.#parts = parts;
    this.#record = record;
  }

  get record(): ChatRecord {
    return this.#record;
  }

  /** The turn begins after `before`. Unless the chat shows it already, its messages are new ones. */
  startTurn(turn: string, before: string | undefined): void {
    const { conversation } = this.#record;
    if (this.#record.turn === turn) return;
    this.#record = { conversation, turn, sent: {}, ...(before === undefined ? {} : { before }) };
  }

  /** Key of the message of the service with this id, without the number of its part. */
  keyOf(id: string): string | undefined {
    const [key] = Object.entries(this.#record.sent).find(([, sent]) => sent.id === id) ?? [];
    return key?.slice(0, key.lastIndexOf('#'));
  }

  async show(messages: readonly Message[], signal: AbortSignal): Promise<void> {
    for (const message of messages) {
      if (message.file || message.content) await this.#showFile(message, signal);
      else await this.#showText(message, signal);
    }
  }

  async save(): Promise<void> {
    await this.#parts.records.update(this.#parts.chat, this.#record);
  }

  async #showText({ key, text, buttons }: Message, signal: AbortSignal): Promise<void> {
    const parts = splitText(text, this.#parts.surface.limits.textCharsMax);
    for (const [at, part] of parts.entries()) {
      const isLast = at === parts.length - 1;
      const message = { text: part, ...(isLast && buttons ? { buttons } : {}) };
      await this.#showPart(`${key}#${at}`, message, signal);
    }
  }

  async #showPart(key: string, message: SurfaceMessage, signal: AbortSignal): Promise<void> {
    const { surface, chat } = this.#parts;
    const digest = digestOf(message);
    const sent = this.#record.sent[key];
    if (sent === undefined) {
      const post = (until: AbortSignal) => surface.post(chat, message, { signal: until });
      await this.#keep(key, { id: await this.#unbroken(post, signal), digest });
    } else if (sent.digest !== digest) {
      await surface.edit({ chat, id: sent.id }, message, { signal });
      this.#record.sent[key] = { id: sent.id, digest };
    }
  }

  async #showFile(message: Message, signal: AbortSignal): Promise<void> {
    const key = `${message.key}#0`;
    if (this.#record.sent[key] !== undefined) return;
    const { surface, chat } = this.#parts;
    const { name, mime } = message.content ?? message.file ?? { name: 'file', mime: '' };
    const read = await this.#read(message, signal);
    const file: SurfaceFile | undefined = 'bytes' in read ? { name, mime, ...read } : undefined;
    const text = 'why' in read ? `The file \`${name}\` was not sent: ${read.why}.` : '';
    const post = (until: AbortSignal) =>
      file
        ? surface.postFile(chat, file, { signal: until })
        : surface.post(chat, { text }, { signal: until });
    await this.#keep(key, { id: await this.#unbroken(post, signal), digest: 'file' });
  }

  async #read({ content, file }: Message, signal: AbortSignal): Promise<ReadFile> {
    const { surface, readFile } = this.#parts;
    const { fileBytesMax: bytesMax } = surface.limits;
    if (content) {
      const bytes = Buffer.from(content.text);
      return bytes.length > bytesMax ? tooLarge(bytesMax) : { bytes };
    }
    return file ? await readFile(file.path, { bytesMax, signal }) : { why: 'it does not exist' };
  }

  /** A message that was cut off while it was sent would be sent again: it may be finished after a stop, and is saved. */
  async #unbroken(
    post: (until: AbortSignal) => Promise<string>,
    signal: AbortSignal,
  ): Promise<string> {
    signal.throwIfAborted();
    using work = new Work(new AbortController().signal);
    let late: NodeJS.Timeout | undefined;
    using _stopped = addAbortListener(signal, () => {
      late = setTimeout(() => work.stop('deadline'), postGraceMs);
    });
    try {
      return await post(work.signal);
    } finally {
      clearTimeout(late);
    }
  }

  /** Saved at once: what is not saved is sent again after a crash. */
  async #keep(key: string, sent: { id: string; digest: string }): Promise<void> {
    this.#record.sent[key] = sent;
    await this.save();
  }
}

export function tooLarge(bytesMax: number): ReadFile {
  return {
    why: `it is larger than ${Math.floor(bytesMax / 1_048_576)} MiB; open it in the web page`,
  };
}

function digestOf(message: SurfaceMessage): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url').slice(0, 22);
}
