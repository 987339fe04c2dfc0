import { setTimeout } from 'node:timers/promises';
import { type Served, startServe } from '../../tools/serve.ts';

const restartMs = 250;

export type ServerOptions = {
  readonly command: 'worker' | 'gateway';
  readonly env: Readonly<Record<string, string>>;
};

/** A program of the fleet that is started again whenever it ends, as its operator would do. */
export class ServerProcess implements AsyncDisposable {
  readonly #options: ServerOptions;
  /** What every process of it wrote. */
  readonly #logs: (() => string)[] = [];
  #current: Served | undefined;
  #stopping = false;
  readonly #running: Promise<void>;
  /** Ends that nobody caused. */
  readonly faults: string[] = [];
  #killed = false;
  #isReady: () => void = () => undefined;
  /** Resolves when it is first ready. */
  readonly ready: Promise<void>;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.#running = this.#keep();
  }

  get log(): string {
    return this.#logs.map((read) => read()).join('');
  }

  /** `kill -9`. False: it is not running. */
  kill(): boolean {
    if (!this.#current) return false;
    this.#killed = true;
    void this.#current.kill();
    return true;
  }

  /** Stops its clock for a while; what it then believes may be out of date. */
  async freeze(ms: number): Promise<void> {
    const { pid } = this.#current ?? {};
    if (pid === undefined) return;
    signal(pid, 'SIGSTOP');
    await setTimeout(ms);
    signal(pid, 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    await this.#current?.[Symbol.asyncDispose]();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { command, env } = this.#options;
    const isStopping = () => this.#stopping;
    const wasKilled = () => this.#killed;
    while (!isStopping()) {
      // It may refuse to start while its database is down.
      const served = await startServe(env, command).catch(() => undefined);
      if (!served) {
        await setTimeout(restartMs);
        continue;
      }
      this.#logs.push(served.log);
      this.#killed = false;
      this.#current = served;
      if (isStopping()) await served[Symbol.asyncDispose]();
      this.#isReady();
      await served.exited;
      this.#current = undefined;
      if (!wasKilled() && !isStopping())
        this.faults.push(`a ${command} ended: ${served.log().slice(-2_000)}`);
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
