import { cutText } from '../runtime/tools/cut.ts';
import type { ExecToolCall } from '../runtime/tools/sandbox.ts';
import { journalInputCharsMax } from './limits.ts';
import { callsMax } from './protocol/limits.ts';

export type JournalEntry = {
  readonly id: string;
  readonly tool: string;
  /** JSON, cut. */
  readonly input: string;
  readonly atMs: number;
  /** `ok` or the code of the error; undefined: the call had not ended. */
  readonly outcome?: string;
};

/**
 * The calls of one execution in the order they were asked for. An intent is written before the call
 * is performed, and an id is taken once, so nothing a program replays is performed twice.
 */
export class Journal {
  readonly #entries = new Map<string, JournalEntry>();

  /** False: the id was taken, or there have been too many calls. */
  intend(call: ExecToolCall, atMs: number): boolean {
    if (this.#entries.has(call.id) || this.#entries.size >= callsMax) return false;
    const input = cutText(JSON.stringify(call.input), journalInputCharsMax);
    this.#entries.set(call.id, { id: call.id, tool: call.tool, input, atMs });
    return true;
  }

  settle(id: string, outcome: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, outcome });
  }

  get entries(): readonly JournalEntry[] {
    return [...this.#entries.values()];
  }
}
