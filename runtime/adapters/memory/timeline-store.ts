import type { Clock } from '../../base/clock.ts';
import { type CallId, type ConversationKey, toConversationKey, toSeq } from '../../timeline/ids.ts';
import type { BlockPath } from '../../timeline/paths.ts';
import type { EraseResult } from '../../timeline/ports/erasures.ts';
import type {
  AcceptRequest,
  AcceptResult,
  FeedbackQuery,
  ForkRequest,
  ForkResult,
  JournalUpdate,
  Lease,
  ListQuery,
  LogPage,
  OwnerFilter,
  Sender,
  SnippetQuery,
  SnippetVector,
  TimelineStore,
  TurnQuery,
} from '../../timeline/ports/store.ts';
import { checkAccept, checkAppend, toColumn } from '../../timeline/ports/store-rules.ts';
import { acceptIn, refusedIn } from './accept.ts';
import { appendTo, type Conversation, emptyConversation, oldestOf } from './conversation.ts';
import { MemoryErasures } from './erasures.ts';
import { forkOf, newestIn, readLog } from './lineage.ts';
import { Memory } from './memory.ts';
import { MemoryOverview } from './overview.ts';
import { programCallsIn, recordProgramCalls } from './programs.ts';
import { selectRows, snapshot } from './select-rows.ts';

type Waits = { readonly signal: AbortSignal };
type Claim = { readonly ttlMs: number };
type Remembered = { digest: string; answer: AcceptResult };

/** The delay before a sweep returns to the same conversation doubles, up to this many times. */
const backOffDoublingsMax = 6;

/** A timeline store in memory, for tests and simulations, with the same guarantees as the SQL store, on the given clock. */
export function openMemoryTimelineStore(parts: { clock: Clock }): TimelineStore & AsyncDisposable {
  return new MemoryTimelineStore(parts.clock);
}

class MemoryTimelineStore implements TimelineStore, AsyncDisposable {
  readonly #clock: Clock;
  /** By key - 1. */
  readonly #conversations: Conversation[] = [];
  readonly #byName = new Map<string, Conversation>();
  readonly #accepted = new Map<string, Remembered>();
  readonly #memory: Memory;
  readonly erasures: MemoryErasures;
  readonly overview: MemoryOverview;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#memory = new Memory(this.#conversations, clock);
    this.erasures = new MemoryErasures(this.#conversations, clock);
    this.overview = new MemoryOverview(this.#conversations, () => clock.now());
  }

  async accept(request: AcceptRequest, { signal }: Waits): Promise<AcceptResult> {
    signal.throwIfAborted();
    checkAccept(request);
    const { tenant, project, user } = request.sender;
    const id = JSON.stringify([tenant, project, user, request.message]);
    const before = this.#accepted.get(id);
    if (before && this.#at(before.answer.key) === undefined) {
      const nothing = { turn: undefined, seq: toSeq(0), opened: false, windowSeq: toSeq(1) };
      return { ...before.answer, status: 'gone', key: undefined, ...nothing };
    }
    if (before) {
      const same = before.digest === request.digest;
      const opened = same && before.answer.opened;
      const { windowSeq = before.answer.windowSeq } = this.#at(before.answer.key)?.row ?? {};
      return { ...before.answer, status: same ? 'duplicate' : 'conflict', opened, windowSeq };
    }
    const answer = this.#take(request);
    if (answer.status === 'started' || answer.status === 'queued') {
      this.#accepted.set(id, { digest: request.digest, answer });
    }
    return answer;
  }

  async append(...[key, request, { signal }]: Parameters<TimelineStore['append']>) {
    signal.throwIfAborted();
    checkAppend(request);
    const found = this.#at(key);
    if (found) return appendTo(found, request, this.#clock.now());
    const none = toSeq(0);
    const seqs = { firstSeq: none, head: none, reactive: none, steer: none };
    return { status: 'gone' as const, ...seqs, openTurn: undefined };
  }

  async fork(sender: Sender, request: ForkRequest, { signal }: Waits): Promise<ForkResult> {
    signal.throwIfAborted();
    const { at, newConversation } = request;
    const from = this.#byName.get(nameOf(sender, request.conversation));
    const isGone = from?.erasedAtMs !== undefined;
    if (!from || isGone) return { status: 'gone' };
    if (at < 1 || at > from.row.head) return { status: 'beyond' };
    const names = { key: toConversationKey(this.#conversations.length + 1), id: newConversation };
    const fork = forkOf(from, at, { ...names, nowMs: this.#clock.now() });
    const known = this.#byName.get(nameOf(sender, newConversation));
    const same = JSON.stringify(known?.row.forkedFrom) === JSON.stringify(fork.row.forkedFrom);
    const isLiving = known?.erasedAtMs === undefined;
    if (known && !(same && isLiving)) return { status: 'taken' };
    return { status: 'forked', row: snapshot(known ?? this.#keep(fork)) };
  }

  async journal(key: ConversationKey, said: JournalUpdate, { signal }: Waits): Promise<boolean> {
    signal.throwIfAborted();
    return recordProgramCalls(this.#at(key), said);
  }

  async programCalls(key: ConversationKey, program: CallId, { signal }: Waits) {
    signal.throwIfAborted();
    return programCallsIn(this.#at(key), program);
  }

  async acquire(key: ConversationKey, { signal, ttlMs }: { worker: string } & Claim & Waits) {
    signal.throwIfAborted();
    const found = this.#at(key);
    return found && this.#isFree(found) ? this.#claim(found, ttlMs) : undefined;
  }

  async renew(key: ConversationKey, { signal, fence, ttlMs }: { fence: number } & Claim & Waits) {
    signal.throwIfAborted();
    const found = this.#at(key);
    if (found?.fence !== fence || found.leasedUntilMs === undefined) return undefined;
    found.leasedUntilMs = this.#clock.now() + ttlMs;
    const { head, reactive, steer } = found.row;
    return { head, reactive, steer };
  }

  async release(
    key: ConversationKey,
    { signal, fence, handOver = false }: { fence: number; handOver?: boolean } & Waits,
  ) {
    signal.throwIfAborted();
    const found = this.#at(key);
    if (found?.fence !== fence) return { pending: false };
    const { row, parked = 0 } = found;
    const pending = row.reactive > Math.max(row.answered, parked);
    found.leasedUntilMs = undefined;
    if (!pending || found.parked !== undefined) found.attempts = 0;
    else if (handOver) {
      const nowMs = this.#clock.now();
      found.attempts = Math.max(0, found.attempts - 1);
      found.dueAtMs = Math.min(found.dueAtMs ?? nowMs, nowMs);
    }
    return { pending };
  }

  async sweep({ signal, limit, ttlMs }: { worker: string; limit: number } & Claim & Waits) {
    signal.throwIfAborted();
    const nowMs = this.#clock.now();
    const dueAt = ({ dueAtMs = Number.POSITIVE_INFINITY }: Conversation) => dueAtMs;
    return this.#conversations
      .filter((each) => each.erasedAtMs === undefined && dueAt(each) <= nowMs && this.#isFree(each))
      .sort((a, b) => dueAt(a) - dueAt(b))
      .slice(0, limit)
      .map((each) => {
        each.dueAtMs = nowMs + ttlMs * 2 ** Math.min(each.attempts, backOffDoublingsMax);
        return this.#claim(each, ttlMs);
      });
  }

  async read(key: ConversationKey, { signal, after, limit }: LogPage & Waits) {
    signal.throwIfAborted();
    const found = this.#at(key);
    return found ? readLog(found, after, limit) : [];
  }

  async atPath(key: ConversationKey, path: BlockPath, { signal }: Waits) {
    signal.throwIfAborted();
    const found = this.#at(key);
    return found && newestIn(found, (block) => block.path === path);
  }

  async find({ user, ...scope }: OwnerFilter, conversation: string, { signal }: Waits) {
    signal.throwIfAborted();
    const found =
      user === undefined
        ? oldestOf(this.#conversations, scope, conversation)
        : this.#byName.get(nameOf({ ...scope, user }, conversation));
    return found?.erasedAtMs === undefined ? found && snapshot(found) : undefined;
  }

  async heads(keys: readonly ConversationKey[]) {
    const known = keys.flatMap((key) => this.#at(key)?.row ?? []);
    return new Map(known.map(({ key, head }) => [key, head] as const));
  }

  async list(sender: Sender, { signal, ...query }: ListQuery & Waits) {
    signal.throwIfAborted();
    return selectRows(this.#of(sender), query);
  }

  async setPinned(key: ConversationKey, pinned: boolean): Promise<void> {
    const found = this.#at(key);
    if (found) found.row.pinned = pinned;
  }

  async setTitle(key: ConversationKey, title: string, { signal }: Waits): Promise<void> {
    signal.throwIfAborted();
    const found = this.#at(key);
    if (found) found.row.title = toColumn(title);
  }

  async erase(sender: Sender, conversation: string, { signal }: Waits): Promise<EraseResult> {
    signal.throwIfAborted();
    const found = this.#byName.get(nameOf(sender, conversation));
    if (!found) return { status: 'gone' };
    this.erasures.erase(found);
    return { status: 'erased', key: found.row.key };
  }

  async search(sender: Sender, query: SnippetQuery, { signal }: Waits) {
    signal.throwIfAborted();
    return this.#memory.search(sender, query);
  }

  async turns(sender: Sender, query: TurnQuery, { signal }: Waits) {
    signal.throwIfAborted();
    return this.#memory.turns(sender, query);
  }

  async feedback(whose: OwnerFilter, query: FeedbackQuery, { signal }: Waits) {
    signal.throwIfAborted();
    return this.#memory.feedback(whose, query);
  }

  async unembedded(space: string, { signal, ...claim }: { limit: number } & Claim & Waits) {
    signal.throwIfAborted();
    return this.#memory.claim(space, claim);
  }

  async keepVectors(space: string, vectors: readonly SnippetVector[], { signal }: Waits) {
    signal.throwIfAborted();
    this.#memory.keep(space, vectors);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#conversations.length = 0;
    this.#byName.clear();
    this.#accepted.clear();
  }

  #take(request: AcceptRequest): AcceptResult {
    const name = request.conversation ?? request.newConversation;
    const known = this.#byName.get(nameOf(request.sender, name));
    const refused = refusedIn(known, request);
    if (refused) return refused;
    return acceptIn(known ?? this.#create(request, name), request, this.#clock.now());
  }

  #create({ sender, events }: AcceptRequest, id: string): Conversation {
    const key = toConversationKey(this.#conversations.length + 1);
    const created = emptyConversation(sender, { key, id, nowMs: this.#clock.now() });
    created.opened = events.length === 0;
    return this.#keep(created);
  }

  #keep(created: Conversation): Conversation {
    this.#conversations.push(created);
    this.#byName.set(nameOf(created.row, created.row.id), created);
    return created;
  }

  #claim(conversation: Conversation, ttlMs: number): Lease {
    conversation.fence += 1;
    conversation.attempts += 1;
    conversation.leasedUntilMs = this.#clock.now() + ttlMs;
    const { fence, attempts } = conversation;
    return { row: snapshot(conversation), fence, attempts, ttlMs };
  }

  #isFree({ leasedUntilMs = 0 }: Conversation): boolean {
    return leasedUntilMs <= this.#clock.now();
  }

  #at(key: ConversationKey | undefined): Conversation | undefined {
    const found = key === undefined ? undefined : this.#conversations[key - 1];
    return found?.erasedAtMs === undefined ? found : undefined;
  }

  #of({ tenant, project, user }: Sender): readonly Conversation[] {
    return this.#conversations.filter(
      ({ row, erasedAtMs }) =>
        erasedAtMs === undefined &&
        row.tenant === tenant &&
        row.project === project &&
        row.user === user,
    );
  }
}

function nameOf({ tenant, project, user }: Sender, conversation: string): string {
  return JSON.stringify([tenant, project, user, conversation]);
}
