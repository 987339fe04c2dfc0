import { Refusal } from '../../../runtime/base/refusal.ts';
import type { CanvasWriter } from '../../../runtime/tools/ports/call-services.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';

export type OpenCall = {
  readonly context: CallContext;
  readonly agent: string;
  /** Pages by the numbers that the process assigned. */
  readonly pages: Map<number, CanvasWriter>;
  /** Streams that were offered for the call. */
  readonly streams: number[];
};

/** A running request to an operation. */
export type OpenOperation = { readonly user?: string; readonly signal: AbortSignal };

/** The running calls and operations of a process, with one numbering. */
export class OpenCalls {
  readonly #calls = new Map<number, OpenCall>();
  readonly #visits = new Map<number, OpenOperation>();
  #last = 0;

  open(context: CallContext, agent: string): number {
    this.#last += 1;
    this.#calls.set(this.#last, { context, agent, pages: new Map(), streams: [] });
    return this.#last;
  }

  openOperation(visit: OpenOperation): number {
    this.#last += 1;
    this.#visits.set(this.#last, visit);
    return this.#last;
  }

  closeOperation(visit: number): void {
    this.#visits.delete(visit);
  }

  close(call: number): OpenCall | undefined {
    const open = this.#calls.get(call);
    this.#calls.delete(call);
    return open;
  }

  /** Refusal `call_over`. */
  get(call: number): OpenCall {
    const open = this.#calls.get(call);
    if (open) return open;
    throw new Refusal('call_over', 'The call this belongs to is over.');
  }

  all(): readonly OpenCall[] {
    return [...this.#calls.values()];
  }

  operations(): readonly OpenOperation[] {
    return [...this.#visits.values()];
  }
}
