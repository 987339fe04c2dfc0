import { type Log, silentLog } from '../../../base/log.ts';
import type { Block } from '../../../timeline/block.ts';
import type {
  AcceptRequest,
  AcceptResult,
  ConversationFeedback,
  ConversationRow,
  FeedbackQuery,
  ForkRequest,
  ForkResult,
  JournalUpdate,
  Lease,
  ListedConversation,
  ListQuery,
  LogPage,
  OwnerFilter,
  ProgramCall,
  Sender,
  Snippet,
  SnippetQuery,
  SnippetToEmbed,
  SnippetVector,
  TimelineStore,
  TurnPage,
  TurnQuery,
} from '../../../timeline/ports/store.ts';
import { checkAccept, checkAppend, toColumn } from '../../../timeline/ports/store-rules.ts';
import type { Database, Param } from '../database/database.ts';
import { withRetry } from '../database/retry.ts';
import { migrate } from '../migrations/migrate.ts';
import { toProgramBody, toProgramCall } from '../rows/program-rows.ts';
import {
  toAccepted,
  toAppended,
  toBlock,
  toConversation,
  toErased,
  toFlag,
  toForked,
  toHead,
  toLease,
  toListed,
  toRenewed,
} from '../rows/rows.ts';
import { statements } from '../rows/statements.ts';
import { acceptParams, appendParams, plainAppendParams, toColumns } from '../rows/write-params.ts';
import { findExtensions, SqlMemory } from '../search/memory.ts';
import { listFeedback } from './feedback.ts';
import { Renewals } from './renewals.ts';
import { createSideStores, type OwnedSideStores } from './side-stores.ts';

type Waits = { readonly signal: AbortSignal };

/** A timeline store on a Postgres database, which it migrates first and closes at the end. */
export async function openSqlTimelineStore(
  database: Database,
  { log = silentLog }: { log?: Log } = {},
): Promise<TimelineStore & OwnedSideStores> {
  await migrate(database, { log });
  const memory = new SqlMemory(database, await findExtensions(database));
  return new SqlTimelineStore(database, memory);
}

class SqlTimelineStore implements TimelineStore, OwnedSideStores {
  readonly values: OwnedSideStores['values'];
  readonly jobs: OwnedSideStores['jobs'];
  readonly erasures: TimelineStore['erasures'];
  readonly overview: TimelineStore['overview'];
  readonly #database: Database;
  readonly #memory: SqlMemory;
  readonly #renewals: Renewals;

  constructor(database: Database, memory: SqlMemory) {
    this.#database = database;
    this.#memory = memory;
    this.#renewals = new Renewals(database);
    const { values, jobs, erasures, overview } = createSideStores(database);
    this.values = values;
    this.jobs = jobs;
    this.erasures = erasures;
    this.overview = overview;
  }

  async accept(request: AcceptRequest, { signal }: Waits): Promise<AcceptResult> {
    checkAccept(request);
    signal.throwIfAborted();
    const [row] = await this.#database.query(statements.accept, acceptParams(request));
    return toAccepted(row);
  }

  async append(...[key, request, { signal }]: Parameters<TimelineStore['append']>) {
    checkAppend(request);
    const columns = toColumns(request.blocks);
    const plain = plainAppendParams(key, request, columns);
    const [row] = plain
      ? await this.#again(statements.appendPlain, plain, signal)
      : await this.#again(statements.append, appendParams(key, request, columns), signal);
    const { bodies } = columns;
    return toAppended(
      row,
      request.blocks.map((draft, index) => ({ draft, body: bodies[index] ?? '' })),
    );
  }

  async fork(
    { tenant, project, user }: Sender,
    { conversation, at, newConversation }: ForkRequest,
    { signal }: Waits,
  ): Promise<ForkResult> {
    const params = [tenant, project, user, toColumn(conversation), at, newConversation];
    const [answer] = await this.#again(statements.fork, params, signal);
    const { status } = toForked(answer);
    if (status !== 'forked') return { status };
    const row = await this.find({ tenant, project, user }, newConversation, { signal });
    return row ? { status, row } : { status: 'gone' };
  }

  async journal(
    key: ConversationRow['key'],
    said: JournalUpdate,
    { signal }: Waits,
  ): Promise<boolean> {
    const { fence, program, begun, ended } = said;
    const ids = begun.map(({ id }) => JSON.stringify(id));
    const over = ended.map(({ id }) => JSON.stringify(id));
    const outcomes = ended.map(({ outcome }) => toColumn(outcome));
    const params = [key, fence, program, ids, begun.map(toProgramBody), over, outcomes];
    const [row] = await this.#again(statements.journal, params, signal);
    return row !== undefined && toFlag(row);
  }

  async programCalls(
    key: ConversationRow['key'],
    program: JournalUpdate['program'],
    { signal }: Waits,
  ): Promise<readonly ProgramCall[]> {
    const rows = await this.#again(statements.programCalls, [key, toColumn(program)], signal);
    return rows.map(toProgramCall);
  }

  async acquire(
    key: ConversationRow['key'],
    { worker, ttlMs, signal }: { worker: string; ttlMs: number } & Waits,
  ): Promise<Lease | undefined> {
    signal.throwIfAborted();
    const [row] = await this.#database.query(statements.acquire, [key, worker, ttlMs]);
    return row === undefined ? undefined : toLease(row, ttlMs);
  }

  async renew(
    key: ConversationRow['key'],
    { fence, ttlMs, signal }: { fence: number; ttlMs: number } & Waits,
  ) {
    signal.throwIfAborted();
    const renewed = await this.#renewals.renew(key, { fence, ttlMs });
    if (renewed) return renewed;
    const [row] = await this.#again(statements.renew, [key, fence, ttlMs], signal);
    return row === undefined ? undefined : toRenewed(row);
  }

  async release(
    key: ConversationRow['key'],
    { fence, handOver = false, signal }: { fence: number; handOver?: boolean } & Waits,
  ) {
    const [row] = await this.#again(statements.release, [key, fence, handOver], signal);
    return { pending: row !== undefined && toFlag(row) };
  }

  async sweep({
    worker,
    limit,
    ttlMs,
    signal,
  }: { worker: string; limit: number; ttlMs: number } & Waits): Promise<readonly Lease[]> {
    signal.throwIfAborted();
    const rows = await this.#database.query(statements.sweep, [worker, limit, ttlMs]);
    return rows.map((row) => toLease(row, ttlMs));
  }

  async read(
    key: ConversationRow['key'],
    { after, limit, signal }: LogPage & Waits,
  ): Promise<readonly Block[]> {
    const rows = await this.#again(statements.read, [key, after, limit], signal);
    return rows.map(toBlock);
  }

  async atPath(key: ConversationRow['key'], path: NonNullable<Block['path']>, { signal }: Waits) {
    const [row] = await this.#again(statements.atPath, [key, toColumn(path)], signal);
    return row === undefined ? undefined : toBlock(row);
  }

  async find(
    { tenant, project, user }: OwnerFilter,
    conversation: string,
    { signal }: Waits,
  ): Promise<ConversationRow | undefined> {
    const place = [tenant, project, toColumn(conversation)];
    const [row] =
      user === undefined
        ? await this.#again(statements.findAny, place, signal)
        : await this.#again(statements.find, [...place, user], signal);
    return row === undefined ? undefined : toConversation(row);
  }

  async heads(keys: readonly ConversationRow['key'][], { signal }: Waits) {
    const rows = await this.#again(statements.heads, [keys.map(String)], signal);
    return new Map(rows.map(toHead));
  }

  async list(
    { tenant, project, user }: Sender,
    { signal, ...query }: ListQuery & Waits,
  ): Promise<readonly ListedConversation[]> {
    const { limit, text, isWorking = null, isWaiting = null, pinnedFirst = false, after } = query;
    const words = text === undefined ? null : toColumn(text);
    const place = [after?.pinned ?? null, after?.lastAt ?? null, after?.key ?? null];
    const params = [tenant, project, user, limit, words, isWorking, pinnedFirst, ...place];
    const rows = await this.#again(statements.list, [...params, isWaiting], signal);
    return rows.map(toListed);
  }

  async setPinned(key: ConversationRow['key'], pinned: boolean, { signal }: Waits): Promise<void> {
    await this.#again(statements.setPinned, [key, pinned], signal);
  }

  async setTitle(key: ConversationRow['key'], title: string, { signal }: Waits): Promise<void> {
    await this.#again(statements.setTitle, [key, toColumn(title)], signal);
  }

  async erase({ tenant, project, user }: Sender, conversation: string, { signal }: Waits) {
    const params = [tenant, project, user, toColumn(conversation)];
    const [row] = await this.#again(statements.erase, params, signal);
    return toErased(row);
  }

  async search(
    sender: Sender,
    query: SnippetQuery,
    { signal }: Waits,
  ): Promise<readonly Snippet[]> {
    return await this.#memory.search(this.#with(signal), sender, query);
  }

  async turns(sender: Sender, query: TurnQuery, { signal }: Waits): Promise<TurnPage> {
    return await this.#memory.turns(this.#with(signal), sender, query);
  }

  async feedback(
    whose: OwnerFilter,
    query: FeedbackQuery,
    { signal }: Waits,
  ): Promise<readonly ConversationFeedback[]> {
    return await listFeedback(this.#with(signal), whose, query);
  }

  async unembedded(
    space: string,
    { signal, ...claim }: { limit: number; ttlMs: number } & Waits,
  ): Promise<readonly SnippetToEmbed[]> {
    return await this.#memory.claim(this.#with(signal), space, claim);
  }

  async keepVectors(
    space: string,
    vectors: readonly SnippetVector[],
    { signal }: Waits,
  ): Promise<void> {
    signal.throwIfAborted();
    await this.#memory.keep(space, vectors);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }

  #with(
    signal: AbortSignal,
  ): (sql: string, params: readonly Param[]) => Promise<readonly unknown[]> {
    return (sql, params) => this.#again(sql, params, signal);
  }

  #again(sql: string, params: readonly Param[], signal: AbortSignal): Promise<readonly unknown[]> {
    return withRetry(() => this.#database.query(sql, params), signal);
  }
}
