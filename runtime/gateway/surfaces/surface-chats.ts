import type { ServedSurface, Surface } from '../../sdk/contract/surface.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import { findFile } from '../files/find-file.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import { type ChatRecord, ChatRecords } from './chat-records.ts';
import { ChatView, type ReadFile, type ReadOptions, tooLarge } from './chat-view.ts';
import { FollowedChat } from './followed-chat.ts';
import { followedChatsMax } from './limits.ts';

/** The chats of one surface: which conversation each continues, and those that are followed now. */
export class SurfaceChats implements AsyncDisposable {
  readonly #deps: GatewayDeps;
  readonly #surface: Surface;
  readonly #records: ChatRecords;
  /** Whether this gateway shows the turns of the chats. */
  #isOwner = false;
  /** The one that was used last comes last. */
  readonly #followed = new Map<string, FollowedChat>();

  constructor(deps: GatewayDeps, { surface, records }: ServedSurface) {
    this.#deps = deps;
    this.#surface = surface;
    this.#records = new ChatRecords(deps.storage, records ?? surface.name);
  }

  /** The owner of the conversations of a chat. In a group it is the group, not the person. */
  senderOf(chat: string): Sender {
    return { ...this.#deps.scope, user: `${this.#surface.name}:${chat}` };
  }

  followed(chat: string): FollowedChat | undefined {
    return this.#followed.get(chat);
  }

  async conversationOf(chat: string): Promise<string> {
    const record = await this.#records.get(chat);
    return record?.conversation ?? `${this.#surface.name}-${chat}`;
  }

  /** The chat continues with another conversation. */
  async start(chat: string, conversation: string): Promise<void> {
    await this.#close(chat);
    await this.#records.setOpen(chat, false);
    await this.#records.set(chat, { conversation, sent: {} });
  }

  /** From now on this gateway shows the turns of the chats. */
  own(): void {
    this.#isOwner = true;
  }

  /** Another gateway may show them. Resolves when nothing more is written to a chat. */
  async leave(): Promise<void> {
    this.#isOwner = false;
    await Promise.all([...this.#followed.keys()].map((chat) => this.#close(chat)));
  }

  /** Follows the conversation of a chat, unless it is followed already. Another gateway finds it among the open ones. */
  async follow(chat: string, signal: AbortSignal): Promise<void> {
    if (!this.#isOwner) return await this.#records.setOpen(chat, true);
    const known = this.#followed.get(chat);
    const current = await this.conversationOf(chat);
    if (known && !known.isOver && known.conversation === current) {
      this.#followed.delete(chat);
      this.#followed.set(chat, known);
      return;
    }
    await this.#close(chat);
    const row = await this.#deps.store.find(this.senderOf(chat), current, { signal });
    if (!row) return;
    const record = (await this.#records.get(chat)) ?? { conversation: current, sent: {} };
    await this.#makeRoom();
    this.#followed.set(chat, this.#open(chat, { row, record }));
  }

  /** Follows the chats whose turn was open when the server stopped. */
  async resume(signal: AbortSignal): Promise<void> {
    for await (const chat of this.#records.openChats()) await this.follow(chat, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  #open(chat: string, { row, record }: { row: ConversationRow; record: ChatRecord }): FollowedChat {
    const [surface, records, deps] = [this.#surface, this.#records, this.#deps];
    const readFile = (path: string, options: ReadOptions) => this.#readFile(row, path, options);
    const view = new ChatView({ surface, records, chat, readFile }, record);
    return new FollowedChat({ deps, surface, records, chat, view }, row);
  }

  async #readFile(
    row: ConversationRow,
    path: string,
    { bytesMax, signal }: ReadOptions,
  ): Promise<ReadFile> {
    const file = await findFile(this.#deps.store, row, { path, signal });
    if (!file) return { why: 'it no longer exists' };
    const { blob, text = '' } = file.block;
    const size = blob?.size ?? Buffer.byteLength(text);
    if (size > bytesMax) return tooLarge(bytesMax);
    const bytes = blob
      ? await this.#deps.blobs.get(row.tenant, blob.hash, { signal })
      : Buffer.from(text);
    return { bytes };
  }

  async #makeRoom(): Promise<void> {
    if (this.#followed.size < followedChatsMax) return;
    const quiet = [...this.#followed].find(([, chat]) => !chat.isOpen);
    const [oldest] = quiet ?? [...this.#followed][0] ?? [];
    if (oldest !== undefined) await this.#close(oldest);
  }

  async #close(chat: string): Promise<void> {
    const followed = this.#followed.get(chat);
    this.#followed.delete(chat);
    await followed?.[Symbol.asyncDispose]();
  }
}
