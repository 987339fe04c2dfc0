import type { Clock } from '../../base/clock.ts';
import { namedBlobs } from '../../timeline/catalogue/named-blobs.ts';
import type { ConversationKey } from '../../timeline/ids.ts';
import type { Erasure, Erasures, LooseBlob, UserErasure } from '../../timeline/ports/erasures.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import type { Conversation } from './conversation.ts';
import { sharedOf } from './lineage.ts';

type Waits = { readonly signal: AbortSignal };
type Claim = { readonly limit: number; readonly ttlMs: number };

/** Removes what erased conversations leave behind, on the given clock. */
export class MemoryErasures implements Erasures {
  readonly #conversations: readonly Conversation[];
  readonly #clock: Clock;
  readonly #due = new Map<ConversationKey, { asked: number; atMs: number }>();
  readonly #blobs = new Map<string, { blob: LooseBlob; atMs: number }>();
  readonly #users = new Map<string, { erasure: UserErasure; atMs: number }>();

  constructor(conversations: readonly Conversation[], clock: Clock) {
    this.#conversations = conversations;
    this.#clock = clock;
  }

  /** Hides the conversation at once, and schedules its erased ancestors again, which kept blocks for it. */
  erase(conversation: Conversation): void {
    if (conversation.erasedAtMs !== undefined) return;
    const nowMs = this.#clock.now();
    const { row } = conversation;
    conversation.erasedAtMs = nowMs;
    conversation.fence += 1;
    conversation.leasedUntilMs = undefined;
    conversation.dueAtMs = undefined;
    conversation.parked = undefined;
    Object.assign(row, { openTurn: undefined, title: undefined });
    let each: Conversation | undefined = conversation;
    while (each?.erasedAtMs !== undefined) {
      const { asked } = this.#due.get(each.row.key) ?? { asked: 0 };
      this.#due.set(each.row.key, { asked: asked + 1, atMs: nowMs });
      each = each.parent;
    }
  }

  async claim({ limit, ttlMs, signal }: Claim & Waits): Promise<readonly Erasure[]> {
    signal.throwIfAborted();
    const nowMs = this.#clock.now();
    const due = [...this.#due]
      .filter(([, { atMs }]) => atMs <= nowMs)
      .sort(([, one], [, other]) => one.atMs - other.atMs)
      .slice(0, limit);
    for (const [, entry] of due) entry.atMs = nowMs + ttlMs;
    return due.flatMap(([key, { asked }]) => {
      const row = this.#conversations[key - 1]?.row;
      if (!row) return [];
      const { tenant, project, user, id: conversation } = row;
      return [{ key, asked, tenant, project, user, conversation }];
    });
  }

  async remove({ key }: Erasure, { signal }: Waits): Promise<boolean> {
    signal.throwIfAborted();
    const conversation = this.#conversations[key - 1];
    if (conversation?.erasedAtMs === undefined) return false;
    const { row, blocks, windows, programs } = conversation;
    const keeps = this.#keeps(conversation);
    programs.clear();
    windows.splice(windows.findLastIndex(({ seq }) => seq <= keeps) + 1);
    const dropped = blocks.splice(Math.max(0, keeps - sharedOf(row)));
    for (const { hash } of namedBlobs(dropped)) {
      const blob = { tenant: row.tenant, hash };
      this.#blobs.set(nameOf(blob), { blob, atMs: this.#clock.now() });
    }
    return false;
  }

  async settle({ key, asked }: Erasure, { settleMs, signal }: { settleMs: number } & Waits) {
    signal.throwIfAborted();
    const entry = this.#due.get(key);
    if (entry?.asked !== asked) return;
    const atMs = (this.#conversations[key - 1]?.erasedAtMs ?? 0) + settleMs;
    if (atMs > this.#clock.now()) entry.atMs = atMs;
    else this.#due.delete(key);
  }

  async claimBlobs({ limit, ttlMs, signal }: Claim & Waits): Promise<readonly LooseBlob[]> {
    signal.throwIfAborted();
    const nowMs = this.#clock.now();
    const due = [...this.#blobs.values()].filter(({ atMs }) => atMs <= nowMs).slice(0, limit);
    const named = due.filter(({ blob }) => this.#isNamed(blob));
    for (const { blob } of named) this.#blobs.delete(nameOf(blob));
    const loose = due.filter((entry) => !named.includes(entry));
    for (const entry of loose) entry.atMs = nowMs + ttlMs;
    return loose.map(({ blob }) => blob);
  }

  async settleBlob(blob: LooseBlob, { againInMs, signal }: { againInMs?: number } & Waits) {
    signal.throwIfAborted();
    if (againInMs === undefined) this.#blobs.delete(nameOf(blob));
    else this.#blobs.set(nameOf(blob), { blob, atMs: this.#clock.now() + againInMs });
  }

  async unnamedBlobs(tenant: string, hashes: readonly string[], { signal }: Waits) {
    signal.throwIfAborted();
    return hashes.filter((hash) => !this.#isNamed({ tenant, hash }));
  }

  async startUser(
    { tenant, project, user }: Sender,
    { ttlMs, signal }: { ttlMs: number } & Waits,
  ): Promise<UserErasure> {
    signal.throwIfAborted();
    const nowMs = this.#clock.now();
    const name = userNameOf({ tenant, project, user });
    const asked = (this.#users.get(name)?.erasure.asked ?? 0) + 1;
    const erasure = {
      tenant,
      project,
      user,
      asked,
      at: new Date(nowMs).toISOString(),
      late: false,
    };
    this.#users.set(name, { erasure, atMs: nowMs + ttlMs });
    return erasure;
  }

  async claimUsers({ limit, ttlMs, signal }: Claim & Waits): Promise<readonly UserErasure[]> {
    signal.throwIfAborted();
    const nowMs = this.#clock.now();
    const due = [...this.#users.values()]
      .filter(({ atMs }) => atMs <= nowMs)
      .sort((one, other) => one.atMs - other.atMs)
      .slice(0, limit);
    for (const entry of due) entry.atMs = nowMs + ttlMs;
    return due.map(({ erasure }) => erasure);
  }

  async conversationsOf(erasure: UserErasure, { limit, signal }: { limit: number } & Waits) {
    signal.throwIfAborted();
    const name = userNameOf(erasure);
    return this.#conversations
      .filter(({ row, erasedAtMs }) => erasedAtMs === undefined && userNameOf(row) === name)
      .filter(({ row }) => row.createdAt <= erasure.at)
      .slice(0, limit)
      .map(({ row }) => row.id);
  }

  async settleUser(erasure: UserErasure, { settleMs, signal }: { settleMs: number } & Waits) {
    signal.throwIfAborted();
    const name = userNameOf(erasure);
    const kept = this.#users.get(name)?.erasure;
    if (kept?.asked !== erasure.asked) return false;
    if (kept.late) return this.#users.delete(name);
    const late = { erasure: { ...kept, late: true }, atMs: this.#clock.now() + settleMs };
    this.#users.set(name, late);
    return true;
  }

  /** The last block that an existing conversation shares with this one; 0 if there is none. */
  #keeps(conversation: Conversation): number {
    const shared = this.#conversations
      .filter(({ parent }) => parent === conversation)
      .filter((child) => child.erasedAtMs === undefined || this.#keeps(child) > 0)
      .map(({ row }) => sharedOf(row));
    return Math.max(0, ...shared);
  }

  #isNamed({ tenant, hash }: LooseBlob): boolean {
    const ofTenant = this.#conversations.filter(({ row }) => row.tenant === tenant);
    return ofTenant.some(({ blocks }) => namedBlobs(blocks).some((named) => named.hash === hash));
  }
}

function nameOf({ tenant, hash }: LooseBlob): string {
  return JSON.stringify([tenant, hash]);
}

function userNameOf({ tenant, project, user }: Sender): string {
  return JSON.stringify([tenant, project, user]);
}
