import type { SSEStreamingApi } from 'hono/streaming';
import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { textOf } from '../../feed/wire-json.ts';
import { McpProgress } from '../../projections/mcp.ts';
import { elicitationOf, requestIdOf } from './approvals.ts';
import { reconnectMs } from './messages/limits.ts';
import { errorMessage } from './messages/rpc-error.ts';
import { type StreamPlace, toEventId } from './messages/stream-place.ts';

/** Writes the events of one call in order. */
export class CallWriter {
  readonly #stream: SSEStreamingApi;
  readonly #progress: McpProgress;
  #place: StreamPlace;
  #written: Promise<unknown> = Promise.resolve();

  constructor(stream: SSEStreamingApi, place: StreamPlace) {
    this.#stream = stream;
    this.#place = place;
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
    this.#place = { ...this.#place, seen: news.progress };
    if (token === undefined) return;
    const params = { progressToken: token, ...news };
    this.#write({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  /** Asks the user of the client for an approval. */
  ask(approval: JsonObject): void {
    const id = requestIdOf(textOf(approval['request']));
    const params = elicitationOf(approval);
    this.#write({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
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

  comment(): void {
    this.#then(() => this.#stream.write(': still here\n\n'));
  }

  #write(message: object): void {
    const id = toEventId(this.#place);
    this.#then(() =>
      this.#stream.writeSSE({ id, event: 'message', data: JSON.stringify(message) }),
    );
  }

  #then(step: () => Promise<unknown>): void {
    this.#written = this.#written.then(step);
  }
}
