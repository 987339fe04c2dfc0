import type { Json, JsonObject } from '../../../base/json.ts';
import { textOf } from '../../feed/wire-json.ts';
import { outcomeOf } from '../turn-facts.ts';
import type { Chunk } from './step-parts.ts';

type Call = { readonly tool: string; readonly input: Json; readonly isOfClient: boolean };

/** The tool parts of one message. Calls of the server are `providerExecuted`, so that clients do not run them. */
export class ToolParts {
  readonly #calls = new Map<string, Call>();
  /** Calls whose part the client has. */
  readonly #announced = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #denied = new Set<string>();
  readonly #hasDecided: boolean;
  /** What came since the turn began to wait. */
  #missed: Chunk[] = [];

  /** `hasDecided`: the client has answered the requests itself. */
  constructor({ hasDecided }: { readonly hasDecided: boolean }) {
    this.#hasDecided = hasDecided;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  take(type: string, data: JsonObject): readonly Chunk[] {
    const call = textOf(data['call']);
    if (!this.isWaiting) this.#missed = [];
    const isMissed = this.isWaiting;
    const chunks = this.#take(type, call, data);
    if (isMissed) this.#missed.push(...chunks);
    return chunks;
  }

  /** What a stream that ended while the turn waited has not shown. Repeated chunks do no harm. */
  missed(): readonly Chunk[] {
    return this.#missed;
  }

  /** The stream shows a new message: its parts are not there yet. */
  forget(): void {
    this.#announced.clear();
  }

  #take(type: string, call: string, data: JsonObject): readonly Chunk[] {
    if (type === 'chat.approval') return this.#requested(call, data);
    if (type === 'approval.closed') return this.#decided(call, data);
    if (type === 'external.call') {
      this.#waiting.add(call);
      return [];
    }
    const { tool, input = null, state } = data;
    const isOfClient = state === 'external' || this.#calls.get(call)?.isOfClient === true;
    this.#calls.set(call, { tool: textOf(tool), input, isOfClient });
    const announced = this.#announce(call);
    return state === 'done' ? [...announced, ...this.#finished(call, data)] : announced;
  }

  #announce(call: string): readonly Chunk[] {
    const known = this.#calls.get(call);
    if (known === undefined || this.#announced.has(call)) return [];
    this.#announced.add(call);
    const { tool: toolName, input, isOfClient } = known;
    const runner = isOfClient ? {} : { providerExecuted: true };
    const named = { toolCallId: call, toolName, input, dynamic: true };
    return [{ type: 'tool-input-available', ...named, ...runner }];
  }

  #requested(call: string, data: JsonObject): readonly Chunk[] {
    const { request, title, tool, input = null } = data;
    this.#waiting.add(call);
    if (!this.#calls.has(call)) {
      this.#calls.set(call, { tool: textOf(tool), input, isOfClient: false });
    }
    const approval = { approvalId: request, toolCallId: call, reason: textOf(title) };
    return [...this.#announce(call), { type: 'tool-approval-request', ...approval }];
  }

  #decided(call: string, { request, outcome }: JsonObject): readonly Chunk[] {
    this.#waiting.delete(call);
    const approved = outcome === 'allowed';
    if (!approved) this.#denied.add(call);
    if (this.#hasDecided || !this.#announced.has(call)) return [];
    return [{ type: 'tool-approval-response', approvalId: request, approved }];
  }

  #finished(call: string, data: JsonObject): readonly Chunk[] {
    this.#waiting.delete(call);
    if (this.#denied.has(call)) return [{ type: 'tool-output-denied', toolCallId: call }];
    const outcome = outcomeOf(data);
    const runner = this.#calls.get(call)?.isOfClient === true ? {} : { providerExecuted: true };
    const of = { toolCallId: call, dynamic: true, ...runner };
    if (outcome.ok) return [{ type: 'tool-output-available', ...of, output: outcome.ret }];
    const errorText = outcome.message || outcome.code;
    return [{ type: 'tool-output-error', ...of, errorText }];
  }
}
