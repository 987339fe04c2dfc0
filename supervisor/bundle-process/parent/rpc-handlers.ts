import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';
import type { Handlers } from '../rpc/peer.ts';
import { Offers } from '../rpc/streams.ts';
import { OpenCalls, type OpenOperation } from './open-calls.ts';
import { serveBundle } from './serve-bundle.ts';
import { serveCalls } from './serve-calls.ts';

/** Where one process asks for what its bundle and its calls may have. */
export class RpcHandlers {
  readonly #calls = new OpenCalls();
  readonly #offers = new Offers();
  readonly #loaded: LoadedBundle;
  readonly #signal: AbortSignal;

  /** `signal`: of the process. */
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

  /** The number by which the process knows the call. */
  open(context: CallContext, agent: string): number {
    return this.#calls.open(context, agent);
  }

  /** The number by which the process knows the visit. */
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

  /** Calls and visits that nobody has stopped, and those that go on all the same. */
  count(): { readonly live: number; readonly stray: number } {
    const calls = this.#calls.all().map(({ context }) => context.signal);
    const all = [...calls, ...this.#calls.operations().map(({ signal }) => signal)];
    const live = all.filter(({ aborted }) => !aborted).length;
    return { live, stray: all.length - live };
  }
}
