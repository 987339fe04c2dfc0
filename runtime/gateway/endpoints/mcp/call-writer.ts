import type { SSEStreamingApi } from 'hono/streaming';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { type LogLevel, logLine, McpProgress } from '../../projections/mcp.ts';
import { reconnectMs } from './messages/limits.ts';
import { errorMessage } from './messages/rpc-error.ts';
import { type StreamPlace, toEventId } from './messages/stream-place.ts';

/** Writes the events of one call in order. */
export class CallWriter {
  readonly #stream: SSEStreamingApi;
  readonly #progress: McpProgress;
  readonly #logs: LogLevel | undefined;
  #place: StreamPlace;
  #written: Promise<unknown> = Promise.resolve();

  /** `logs`: the least level of the messages that the client wants. Undefined: it wants none. */
  constructor(stream: SSEStreamingApi, place: StreamPlace, logs?: LogLevel) {
    this.#stream = stream;
    this.#place = place;
    this.#logs = logs;
    this.#progress = new McpProgress(place.seen);
  }

  /** Clients since November 2025 accept an event without data, and can resume from there. */
  async begin(version = ''): Promise<void> {
    if (version < '2025-11-25') return;
    await this.#stream.write(`id: ${toEventId(this.#place)}\nretry: ${reconnectMs}\ndata: \n\n`);
  }

  progress(envelope: WireEnvelope): void {
    const { token } = this.#place;
    const news = this.#progress.take(envelope);
    this.#place = { ...this.#place, cursor: envelope.cursor };
    if (!news) return;
    const line = this.#logs && logLine(envelope, news, this.#logs);
    const log = line && { jsonrpc: '2.0', method: 'notifications/message', params: line };
    // One place in the stream: a client that is cut off between the two gets both again.
    if (log) this.#write(log, { isWhole: token === undefined });
    this.#place = { ...this.#place, seen: news.progress };
    if (token === undefined) return;
    const params = { progressToken: token, ...news };
    this.#write({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  /** Asks the user of the client. */
  ask(request: object): void {
    this.#write(request);
  }

  async end(
    make: () => Promise<object>,
    explain: (error: unknown) => Parameters<typeof errorMessage>[1],
  ): Promise<void> {
    const { id } = this.#place;
    try {
      this.#write({ jsonrpc: '2.0', id, result: await make() });
    } catch (error) {
      this.#write(errorMessage(id, explain(error)));
    }
    await this.#written;
  }

  /** Resolves when the client has taken it. */
  comment(): Promise<unknown> {
    return this.#then(() => this.#stream.write(': still here\n\n'));
  }

  /** `isWhole`: nothing else is sent at this place, so a client can go on after it. */
  #write(message: object, { isWhole = true } = {}): void {
    const id = isWhole ? { id: toEventId(this.#place) } : {};
    void this.#then(() =>
      this.#stream.writeSSE({ ...id, event: 'message', data: JSON.stringify(message) }),
    );
  }

  #then(step: () => Promise<unknown>): Promise<unknown> {
    this.#written = this.#written.then(step);
    return this.#written;
  }
}
