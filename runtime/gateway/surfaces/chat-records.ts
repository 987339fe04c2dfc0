import { z } from 'zod';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';

const chatRecord = z.object({
  /** Id of the conversation that the chat continues. */
  conversation: z.string(),
  /** Cursor right before the turn that the chat shows. */
  before: z.string().exactOptional(),
  turn: z.string().exactOptional(),
  /** Ids of the messages of this turn at the service, by key. */
  sent: z.record(z.string(), z.object({ id: z.string(), digest: z.string() })),
});

export type ChatRecord = z.infer<typeof chatRecord>;

/** What a surface must remember of its chats, so that a restart sends nothing twice. */
export class ChatRecords {
  readonly #storage: KeyValueStore;
  readonly #surface: string;

  constructor(storage: KeyValueStore, surface: string) {
    this.#storage = storage;
    this.#surface = surface;
  }

  async get(chat: string): Promise<ChatRecord | undefined> {
    const value = await this.#storage.get(this.#spaceOf(chat), 'chat');
    return value === undefined ? undefined : chatRecord.parse(value);
  }

  /** Unless the chat has gone on with another conversation, on whichever gateway. */
  async update(chat: string, record: ChatRecord): Promise<void> {
    const stored = await this.get(chat);
    if (stored === undefined || stored.conversation === record.conversation) {
      await this.set(chat, record);
    }
  }

  async set(chat: string, record: ChatRecord): Promise<void> {
    await this.#storage.set(this.#spaceOf(chat), 'chat', { value: record });
  }

  /** Whether the chat shows a turn that has not ended: it is followed again after a restart. */
  async setOpen(chat: string, isOpen: boolean): Promise<void> {
    if (isOpen) await this.#storage.set(this.#openSpace, chat, { value: true });
    else await this.#storage.delete(this.#openSpace, chat);
  }

  openChats(): AsyncIterable<string> {
    return this.#storage.keys(this.#openSpace, '');
  }

  get #openSpace(): string {
    return `surface:${this.#surface}`;
  }

  #spaceOf(chat: string): string {
    return `surface:${this.#surface}:${chat}`;
  }
}
