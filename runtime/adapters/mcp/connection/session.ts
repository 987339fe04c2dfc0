import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import type { Clock } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import { isAborted, untilAborted, Work } from '../../../base/signal.ts';
import { createMask, type Mask } from '../../../sdk/compile/host/mask.ts';
import type { ToolServerSettings } from '../../../sdk/compile/host/tool-servers.ts';
import {
  callGraceMs,
  callsInFlightMax,
  callsWaitingMax,
  connectMsMax,
  idleMsMax,
  listMsMax,
  relistMsMin,
  retryMsMax,
  retryMsMin,
} from '../tools/limits.ts';
import type { ReadTools, ServerTool } from '../tools/read-tools.ts';
import { Backoff } from './backoff.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { type Connection, connect, listTools } from './connect.ts';
import {
  type ConnectionProblem,
  classifyError,
  toConnectionProblem,
  toRefusal,
} from './connection-problem.ts';
import { emptyListing, type Listing, markMissing, updateListing, visibleTools } from './listing.ts';

export type SessionParts = {
  readonly settings: Pick<ToolServerSettings, 'id' | 'place' | 'access'>;
  readonly fetch: typeof fetch;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
};

export type ServerCall = {
  readonly tool: ServerTool;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly progress: (progress: Progress) => void;
};

/**
 * One server with one set of credentials. It connects on demand, reconnects with growing pauses after a failure, and
 * closes when idle. The last listing is always available.
 */
export class Session implements AsyncDisposable {
  /** Masks the credentials in all output. */
  readonly mask: Mask = createMask();
  readonly #parts: SessionParts;
  readonly #log: Log;
  readonly #work = new Work(new AbortController().signal);
  readonly #callLimit = new ConcurrencyLimit({
    room: callsInFlightMax,
    waitingMax: callsWaitingMax,
  });
  readonly #retries = new Backoff({ min: retryMsMin, max: retryMsMax });
  readonly #listings = new Backoff({ min: retryMsMin, max: relistMsMin });
  /** Background tasks; they end with the session. */
  readonly #background = new Set<Promise<void>>();
  #listing: Listing = emptyListing;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #legacy = false;
  #problem: ConnectionProblem | undefined;
  #isReconnecting = false;
  #isListing = false;
  #lastUsedMs = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#log = parts.log.with({ server: parts.settings.id });
  }

  get problem(): ConnectionProblem | undefined {
    return this.#problem;
  }

  /** The tools in its catalogue. */
  tools(): readonly ServerTool[] {
    return visibleTools(this.#listing, this.#parts.clock.monotonic());
  }

  /** Resolves when the server is connected and its tools are listed. Refusals `mcp_unreachable`, `mcp_unauthorized`. */
  async ensureConnected(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#ensureConnected(), signal);
  }

  /** Rejects with the error of the client or the server, or with the signal's reason once aborted. */
  async call(call: ServerCall): Promise<CallToolResult> {
    const { signal } = call;
    using _place = await this.#callLimit.enter(signal);
    this.#lastUsedMs = this.#parts.clock.monotonic();
    const link = await untilAborted(this.#ensureConnected(), signal);
    try {
      return await callTool(link, call);
    } catch (error) {
      signal.throwIfAborted();
      const verdict = classifyError(error);
      if (verdict === 'none' || verdict === 'cut') throw error;
      this.#lost(link, error);
      // The server no longer knows the session, so it did not run the call: repeat it.
      if (verdict === 'gone')
        return await callTool(await untilAborted(this.#ensureConnected(), signal), call);
      throw verdict === 'lost'
        ? error
        : toRefusal(this.#parts.settings.id, toConnectionProblem(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#work.stop('shutdown');
    this.#work[Symbol.dispose]();
    await this.#opening?.catch(() => undefined);
    const link = this.#connection;
    this.#connection = undefined;
    await link?.[Symbol.asyncDispose]();
    await Promise.all(this.#background);
  }

  async #ensureConnected(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Connection> {
    const { settings, clock } = this.#parts;
    using work = new Work(this.#work.signal, { deadlineMs: connectMsMax });
    let link: Connection | undefined;
    try {
      link = await this.#connect(work.signal);
      this.#take(await listTools(link, work));
      const opened = link;
      opened.client.onclose = () => this.#lost(opened, new Error('it has ended'));
    } catch (error) {
      await link?.[Symbol.asyncDispose]();
      this.#work.signal.throwIfAborted();
      this.#legacy = false;
      this.#fail(error);
      throw toRefusal(settings.id, toConnectionProblem(error));
    }
    if (this.#problem) this.#log.info('mcp server is back');
    this.#problem = undefined;
    this.#connection = link;
    this.#legacy = link.legacy;
    this.#lastUsedMs = clock.monotonic();
    this.#run(this.#closeIdle(link));
    return link;
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { settings, fetch, path } = this.#parts;
    const access = await settings.access();
    for (const secret of access.secrets) this.mask.add(secret);
    return connect(settings.place, {
      ...{ access, fetch, path, signal, mask: this.mask, log: this.#log, legacy: this.#legacy },
      changed: () => this.#run(this.#listAgain()),
    });
  }

  #take({ tools, left }: ReadTools): void {
    this.#listing = updateListing(this.#listing, tools, this.#parts.clock.monotonic());
    for (const text of left) this.#log.warn('mcp tool left out', { text: this.mask.text(text) });
  }

  /** Lists the tools again after the server announced a change: at once, then with growing pauses. */
  async #listAgain(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    const { clock } = this.#parts;
    try {
      const pause = this.#listings.next(clock.monotonic());
      if (pause > 0) await clock.sleep(pause, this.#work);
      this.#isListing = false;
      const link = this.#connection;
      if (!link) return;
      using work = new Work(this.#work.signal, { deadlineMs: listMsMax });
      this.#take(await listTools(link, work));
    } catch (error) {
      this.#isListing = false;
      if (isAborted(this.#work.signal)) return;
      this.#log.warn('mcp tools cannot be listed', { error: this.mask.text(String(error)) });
    }
  }

  /** Handles a connection that broke on its own. */
  #lost(link: Connection, error: unknown): void {
    if (this.#connection !== link) return;
    this.#connection = undefined;
    this.#run(link[Symbol.asyncDispose]());
    this.#fail(error);
  }

  #fail(error: unknown): void {
    const before = this.#problem;
    const found = toConnectionProblem(error);
    this.#problem = { ...found, detail: this.mask.text(found.detail) };
    this.#listing = markMissing(this.#listing, this.#parts.clock.monotonic());
    if (!before) this.#log.warn('mcp server is out of reach', { because: this.#problem.detail });
    this.#run(this.#reconnect());
  }

  async #reconnect(): Promise<void> {
    if (this.#isReconnecting || isAborted(this.#work.signal)) return;
    this.#isReconnecting = true;
    const { clock } = this.#parts;
    try {
      while (this.#problem) {
        const pause = this.#retries.next(clock.monotonic());
        if (pause > 0) await clock.sleep(pause, this.#work);
        await this.#ensureConnected().catch(() => undefined);
      }
    } catch (error) {
      if (!isAborted(this.#work.signal)) throw error;
    } finally {
      this.#isReconnecting = false;
    }
  }

  async #closeIdle(link: Connection): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (this.#connection === link) {
        const leftMs = this.#lastUsedMs + idleMsMax - clock.monotonic();
        if (leftMs > 0) await clock.sleep(leftMs, this.#work);
        else if (this.#callLimit.isEmpty) return await this.#hangUp(link);
        else this.#lastUsedMs = clock.monotonic();
      }
    } catch (error) {
      if (!isAborted(this.#work.signal)) throw error;
    }
  }

  async #hangUp(link: Connection): Promise<void> {
    this.#connection = undefined;
    this.#log.debug('idle mcp session closed');
    await link[Symbol.asyncDispose]();
  }

  #run(task: Promise<void> | PromiseLike<void>): void {
    const running = Promise.resolve(task)
      .catch((error: unknown) => this.#log.warn('mcp session', { error: String(error) }))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }
}

function callTool(
  { client }: Connection,
  { tool, input, signal, timeoutMs, progress }: ServerCall,
): Promise<CallToolResult> {
  return client.callTool(
    { name: tool.name, arguments: input },
    {
      toolDefinition: tool.definition,
      signal,
      timeout: timeoutMs + callGraceMs,
      onprogress: progress,
    },
  );
}
