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
import { Pauses } from './backoff.ts';
import { Gate } from './concurrency-limit.ts';
import { connect, type Link, listTools } from './connect.ts';
import { type Trouble, troubleOf, unusable, verdictOf } from './connection-problem.ts';
import { type Listing, lose, nothingListed, relist, shown } from './listing.ts';

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
 * One server under one set of credentials: connected when somebody needs it, again with growing pauses after it broke,
 * closed when nobody has used it for a while. What it listed last is known all the time.
 */
export class Session implements AsyncDisposable {
  /** Covers the credentials in whatever leaves. */
  readonly mask: Mask = createMask();
  readonly #parts: SessionParts;
  readonly #log: Log;
  readonly #work = new Work(new AbortController().signal);
  readonly #gate = new Gate({ room: callsInFlightMax, waitingMax: callsWaitingMax });
  readonly #retries = new Pauses({ min: retryMsMin, max: retryMsMax });
  readonly #listings = new Pauses({ min: retryMsMin, max: relistMsMin });
  /** What goes on beside the calls; ends with the session. */
  readonly #beside = new Set<Promise<void>>();
  #listing: Listing = nothingListed;
  #link: Link | undefined;
  #opening: Promise<Link> | undefined;
  #legacy = false;
  #trouble: Trouble | undefined;
  #isMending = false;
  #isListing = false;
  #usedMs = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#log = parts.log.with({ server: parts.settings.id });
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** What its catalogue holds now. */
  tools(): readonly ServerTool[] {
    return shown(this.#listing, this.#parts.clock.monotonic());
  }

  /** Connected and listed when it resolves. Refusals `mcp_unreachable`, `mcp_unauthorized`. */
  async reach(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#reach(), signal);
  }

  /** Rejects with what the client or the server says; the signal's reason once aborted. */
  async call(call: ServerCall): Promise<CallToolResult> {
    const { signal } = call;
    using _place = await this.#gate.enter(signal);
    this.#usedMs = this.#parts.clock.monotonic();
    const link = await untilAborted(this.#reach(), signal);
    try {
      return await callTool(link, call);
    } catch (error) {
      signal.throwIfAborted();
      const verdict = verdictOf(error);
      if (verdict === 'none' || verdict === 'cut') throw error;
      this.#lost(link, error);
      // A session that the server has forgotten: the call was not looked at.
      if (verdict === 'gone')
        return await callTool(await untilAborted(this.#reach(), signal), call);
      throw verdict === 'lost' ? error : unusable(this.#parts.settings.id, troubleOf(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#work.stop('shutdown');
    this.#work[Symbol.dispose]();
    await this.#opening?.catch(() => undefined);
    const link = this.#link;
    this.#link = undefined;
    await link?.[Symbol.asyncDispose]();
    await Promise.all(this.#beside);
  }

  async #reach(): Promise<Link> {
    if (this.#link) return this.#link;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Link> {
    const { settings, clock } = this.#parts;
    using work = new Work(this.#work.signal, { deadlineMs: connectMsMax });
    let link: Link | undefined;
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
      throw unusable(settings.id, troubleOf(error));
    }
    if (this.#trouble) this.#log.info('mcp server is back');
    this.#trouble = undefined;
    this.#link = link;
    this.#legacy = link.legacy;
    this.#usedMs = clock.monotonic();
    this.#run(this.#closeIdle(link));
    return link;
  }

  async #connect(signal: AbortSignal): Promise<Link> {
    const { settings, fetch, path } = this.#parts;
    const access = await settings.access();
    for (const secret of access.secrets) this.mask.add(secret);
    return connect(settings.place, {
      ...{ access, fetch, path, signal, mask: this.mask, log: this.#log, legacy: this.#legacy },
      changed: () => this.#run(this.#listAgain()),
    });
  }

  #take({ tools, left }: ReadTools): void {
    this.#listing = relist(this.#listing, tools, this.#parts.clock.monotonic());
    for (const text of left) this.#log.warn('mcp tool left out', { text: this.mask.text(text) });
  }

  /** The server says that its tools are others now; it is asked at once, and then ever more rarely. */
  async #listAgain(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    const { clock } = this.#parts;
    try {
      const pause = this.#listings.next(clock.monotonic());
      if (pause > 0) await clock.sleep(pause, this.#work);
      this.#isListing = false;
      const link = this.#link;
      if (!link) return;
      using work = new Work(this.#work.signal, { deadlineMs: listMsMax });
      this.#take(await listTools(link, work));
    } catch (error) {
      this.#isListing = false;
      if (isAborted(this.#work.signal)) return;
      this.#log.warn('mcp tools cannot be listed', { error: this.mask.text(String(error)) });
    }
  }

  /** A connection that broke by itself. */
  #lost(link: Link, error: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#run(link[Symbol.asyncDispose]());
    this.#fail(error);
  }

  #fail(error: unknown): void {
    const before = this.#trouble;
    const found = troubleOf(error);
    this.#trouble = { ...found, detail: this.mask.text(found.detail) };
    this.#listing = lose(this.#listing, this.#parts.clock.monotonic());
    if (!before) this.#log.warn('mcp server is out of reach', { because: this.#trouble.detail });
    this.#run(this.#mend());
  }

  async #mend(): Promise<void> {
    if (this.#isMending || isAborted(this.#work.signal)) return;
    this.#isMending = true;
    const { clock } = this.#parts;
    try {
      while (this.#trouble) {
        const pause = this.#retries.next(clock.monotonic());
        if (pause > 0) await clock.sleep(pause, this.#work);
        await this.#reach().catch(() => undefined);
      }
    } catch (error) {
      if (!isAborted(this.#work.signal)) throw error;
    } finally {
      this.#isMending = false;
    }
  }

  async #closeIdle(link: Link): Promise<void> {
    const { clock } = this.#parts;
    try {
      while (this.#link === link) {
        const leftMs = this.#usedMs + idleMsMax - clock.monotonic();
        if (leftMs > 0) await clock.sleep(leftMs, this.#work);
        else if (this.#gate.isEmpty) return await this.#hangUp(link);
        else this.#usedMs = clock.monotonic();
      }
    } catch (error) {
      if (!isAborted(this.#work.signal)) throw error;
    }
  }

  async #hangUp(link: Link): Promise<void> {
    this.#link = undefined;
    this.#log.debug('mcp session closed, nobody uses it');
    await link[Symbol.asyncDispose]();
  }

  #run(task: Promise<void> | PromiseLike<void>): void {
    const running = Promise.resolve(task)
      .catch((error: unknown) => this.#log.warn('mcp session', { error: String(error) }))
      .finally(() => this.#beside.delete(running));
    this.#beside.add(running);
  }
}

function callTool(
  { client }: Link,
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
