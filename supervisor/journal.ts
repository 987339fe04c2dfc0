import type { ExecToolCall } from '../runtime/tools/sandbox.ts';
import { callsMax } from './protocol/limits.ts';

export type CallEntry = {
  readonly tool: string;
  readonly atMs: number;
  /** `ok` or the code of the error; undefined: the call has not ended. */
  outcome?: string;
};

/**
 * The calls of one execution by id, in the order they were asked for. An intent is written before
 * the call is performed, and an id is taken once, so nothing a program replays is performed twice.
 */
export class CallRegistry {
  readonly #entries = new Map<string, CallEntry>();

  /** False: the id was taken, or there have been too many calls. */
  register({ id, tool }: Pick<ExecToolCall, 'id' | 'tool'>, atMs: number): boolean {
    if (this.#entries.has(id) || this.#entries.size >= callsMax) return false;
    this.#entries.set(id, { tool, atMs });
    return true;
  }

  settle(id: string, outcome: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.outcome = outcome;
  }

  get entries(): ReadonlyMap<string, Readonly<CallEntry>> {
    return this.#entries;
  }
}
