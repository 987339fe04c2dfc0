import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { programKinds } from '../../tools/exec/program/program-kinds.ts';
import type { ProgramKind, Sandbox } from '../../tools/ports/sandbox.ts';
import type { Config } from '../config/config.ts';

/**
 * Executors that wait for the kinds of programs that the agents of the serving bundles can write. Each takes up to 85 MB,
 * so they wait only while somebody may need one. At first none does: also the one of the self-test ends.
 */
export class ReadyExecutors {
  readonly #sandbox: Sandbox | undefined;
  readonly #platform: Config['execLimits']['platform'];
  #kinds: readonly ProgramKind[] = [];
  #isKept = false;

  constructor(sandbox: Sandbox | undefined, { execLimits }: Pick<Config, 'execLimits'>) {
    this.#sandbox = sandbox;
    this.#platform = execLimits.platform;
    sandbox?.keep?.([]);
  }

  serve(bundles: readonly Pick<RuntimeBundle, 'agents'>[]): void {
    const agents = bundles.flatMap((bundle) => bundle.agents);
    this.#kinds = programKinds(agents, this.#platform);
    if (this.#isKept) this.keep();
  }

  keep(): void {
    this.#isKept = true;
    this.#sandbox?.keep?.(this.#kinds);
  }

  end(): void {
    this.#isKept = false;
    this.#sandbox?.keep?.([]);
  }
}
