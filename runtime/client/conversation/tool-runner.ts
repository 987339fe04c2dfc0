import type { Json } from '../../base/json.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { ClientTools } from '../api/client.ts';
import type { ChatEvent } from '../api/types.ts';
import { fieldsOf } from '../events/to-event.ts';
import { callsRememberedMax, errorCharsMax } from '../protocol/limits.ts';

/** The payload of an `external.result`. */
export type ToolCallResult =
  | { readonly call: string; readonly ok: true; readonly ret: Json }
  | {
      readonly call: string;
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string };
    };

type ToolCall = { readonly call: string; readonly tool: string; readonly input: unknown };

/**
 * Runs the tool calls that a conversation sends to this client, each call once. Replayed calls may already have an answer, so
 * calls wait until the replay is complete.
 */
export class ToolRunner implements Disposable {
  readonly #tools: ClientTools;
  readonly #send: (performed: ToolCallResult) => Promise<unknown>;
  readonly #waiting = new Map<string, ToolCall>();
  readonly #running = new Map<string, AbortController>();
  readonly #started = new Set<string>();
  /** Events up to this seq are replayed. */
  #replayUntil = 0;

  constructor(tools: ClientTools, send: (performed: ToolCallResult) => Promise<unknown>) {
    this.#tools = tools;
    this.#send = send;
  }

  /** Events from now on may be replayed ones. */
  catchUp(): void {
    this.#replayUntil = Number.POSITIVE_INFINITY;
  }

  caughtUpAt(head: number): void {
    this.#replayUntil = head;
  }

  handle(event: ChatEvent): void {
    if (event.type === 'chat.step' && event.event.step === 'external.call') {
      this.#enqueue(fieldsOf(event.data));
    }
    if (event.type === 'chat.tool' && event.data.state === 'done') this.#cancel(event.data.call);
    if (event.seq >= this.#replayUntil) this.#startWaiting();
  }

  [Symbol.dispose](): void {
    this.#waiting.clear();
    for (const call of [...this.#running.keys()]) this.#cancel(call);
  }

  #enqueue({ call, tool, input }: Readonly<Record<string, unknown>>): void {
    if (typeof call !== 'string' || typeof tool !== 'string') return;
    if (!Object.hasOwn(this.#tools, tool) || this.#started.has(call)) return;
    this.#waiting.set(call, { call, tool, input });
  }

  #cancel(call: string): void {
    this.#waiting.delete(call);
    this.#running.get(call)?.abort(new Refusal('call_over', 'the call is over'));
    this.#running.delete(call);
  }

  #startWaiting(): void {
    for (const asked of this.#waiting.values()) {
      this.#waiting.delete(asked.call);
      this.#started.add(asked.call);
      void this.#runAndSend(asked);
    }
    for (const oldest of this.#started) {
      if (this.#started.size <= callsRememberedMax) break;
      this.#started.delete(oldest);
    }
  }

  /** Never rejects: an error becomes the answer, and an answer that is no longer needed is dropped. */
  async #runAndSend({ call, tool, input }: ToolCall): Promise<void> {
    const stop = new AbortController();
    this.#running.set(call, stop);
    const performed = await this.#run({ call, tool, input }, stop.signal);
    if (stop.signal.aborted) return;
    try {
      await this.#send(performed);
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'invalid_input') return;
      const refused = { code: 'result_refused', message: error.message };
      await this.#send({ call, ok: false, error: refused }).catch(() => undefined);
    } finally {
      this.#running.delete(call);
    }
  }

  async #run({ call, tool, input }: ToolCall, signal: AbortSignal): Promise<ToolCallResult> {
    try {
      // The author of the function is responsible for matching the input type to the tool's schema.
      const ret: Json | undefined = await this.#tools[tool]?.(input as never, { signal });
      return { call, ok: true, ret: ret ?? null };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const code = isRefusal(error) ? error.code : 'tool_failed';
      return { call, ok: false, error: { code, message: message.slice(0, errorCharsMax) } };
    }
  }
}
