import type { ExecToolCall } from '../../runtime/tools/ports/sandbox.ts';
import { callsMax } from '../protocol/limits.ts';

export type CallEntry = {
  readonly tool: string;
  readonly atMs: number;
  /** `ok` or the error code; undefined: the call has not ended. */
  outcome?: string;
};

/**
 * The calls of one execution by id, in the order of their requests. A call is registered before it is
 * performed and an id is accepted once, so a replayed call is not performed twice.
 */
export class CallRegistry {
  readonly #entries = new Map<string, CallEntry>();

  /** False: the id was used before, or there were too many calls. */
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
