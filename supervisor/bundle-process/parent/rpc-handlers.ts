import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';
import type { Handlers } from '../rpc/peer.ts';
import { Offers } from '../rpc/streams.ts';
import { OpenCalls, type OpenOperation } from './open-calls.ts';
import { serveBundle } from './serve-bundle.ts';
import { serveCalls } from './serve-calls.ts';

/** Serves the requests of one process for its bundle and its calls. */
export class RpcHandlers {
  readonly #calls = new OpenCalls();
  readonly #offers = new Offers();
  readonly #loaded: LoadedBundle;
  readonly #signal: AbortSignal;

  /** `signal` aborts when the process ends. */
  constructor(loaded: LoadedBundle, signal: AbortSignal) {
    this.#loaded = loaded;
    this.#signal = signal;
  }

  handlers(): Handlers {
    const home = { loaded: this.#loaded, calls: this.#calls, signal: this.#signal };
    return new Map([
      ...this.#offers.handlers(),
      ...serveCalls(this.#calls, this.#offers),
      ...serveBundle(home),
    ]);
  }

  /** Returns the number of the call for the process. */
  open(context: CallContext, agent: string): number {
    return this.#calls.open(context, agent);
  }

  /** Returns the number of the operation for the process. */
  openOperation(visit: OpenOperation): number {
    return this.#calls.openOperation(visit);
  }

  closeOperation(visit: number): void {
    this.#calls.closeOperation(visit);
  }

  async close(call: number): Promise<void> {
    const closed = this.#calls.close(call);
    for (const stream of closed?.streams ?? []) await this.#offers.drop(stream);
  }

  /** Counts calls and operations that were not stopped (`live`), and stopped ones that still run (`stray`). */
  count(): { readonly live: number; readonly stray: number } {
    const calls = this.#calls.all().map(({ context }) => context.signal);
    const all = [...calls, ...this.#calls.operations().map(({ signal }) => signal)];
    const live = all.filter(({ aborted }) => !aborted).length;
    return { live, stray: all.length - live };
  }
}
