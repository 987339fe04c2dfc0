import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { Fault } from '../../base/fault.ts';
import { parseJson } from '../../base/json.ts';
import { helperScript } from './helper-script.ts';
import { helperIdleMs, helperMsMax } from './limits.ts';

/** Mounts a read-only folder of the sandbox at another path inside it. */
export type Bind = { readonly from: string; readonly to: string };

type Requests = {
  /** Compiles the executor's files in Python, once for all sandboxes. */
  readonly compiled: { readonly folder: string };
  readonly fifos: { readonly paths: readonly string[]; readonly uid: number };
  /** Changes to a sandbox while its executor waits for a program. */
  readonly mounts: {
    /** Host pid of the sandbox's PID 1. */
    readonly pid: number;
    /** The sandbox's host user, which owns its namespaces and nothing else. */
    readonly uid: number;
    readonly binds: readonly Bind[];
    /** Memory file systems, and the maximum number of files in each. */
    readonly inodes: Readonly<Record<string, number>>;
    /** RLIMIT_CORE of PID 1, which the filter keeps it from changing; null: it stays. */
    readonly core: number | null;
  };
};

/** The number of the request, and why it could not be done. */
const Answer = z.tuple([z.number(), z.string().nullable()]);

type Waiting = { readonly resolve: () => void; readonly reject: (error: Fault) => void };

/** A started helper, and the requests that it has not answered, by number. */
type Running = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly waiting: Map<number, Waiting>;
};

/**
 * A small process that does for all sandboxes of this worker what Node cannot do: it makes named pipes, and changes the mounts
 * of a sandbox from outside. It starts with the first request, and ends when there has been none for a while, or with its worker.
 */
export class SandboxHelper implements AsyncDisposable {
  readonly #python: string;
  #running: Running | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(python: string) {
    this.#python = python;
  }

  /** Fault `EXEC_FAILED` if it cannot be done, or not in time. */
  async request<Name extends keyof Requests>(name: Name, request: Requests[Name]): Promise<void> {
    this.#count += 1;
    const number = this.#count;
    const uid = process.getuid?.() === 0 && 'uid' in request ? request.uid : null;
    const line = `${JSON.stringify([number, name, { ...request, uid }])}\n`;
    this.#running ??= this.#start();
    const { child, waiting } = this.#running;
    let late: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        late = setTimeout(() => reject(failed('no answer')), helperMsMax);
        waiting.set(number, { resolve, reject });
        child.stdin.write(line);
      });
    } finally {
      clearTimeout(late);
      waiting.delete(number);
      this.#rest();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#running?.child;
    this.#running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    child.stdin.end();
    await gone;
  }

  #start(): Running {
    const child = spawn(this.#python, ['-I', '-S', '-B', '-c', helperScript], {
      ...{ env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] },
    });
    const running: Running = { child, waiting: new Map() };
    const lost = () => {
      if (this.#running === running) this.#running = undefined;
      for (const { reject } of running.waiting.values()) reject(failed('its helper has ended'));
    };
    child.on('error', lost).on('close', lost);
    // Requests to a helper that has just ended are answered by its end.
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => answered(line, running));
    return running;
  }

  /** Ends the helper when it has had nothing to do for a while. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if ((this.#running?.waiting.size ?? 0) > 0) return;
      this.#running?.child.stdin.end();
      this.#running = undefined;
    }, helperIdleMs).unref();
  }
}

function answered(line: string, { waiting }: Running): void {
  const { data } = Answer.safeParse(parseJson(line));
  if (data === undefined) return;
  const [number, error] = data;
  const request = waiting.get(number);
  if (error === null) request?.resolve();
  else request?.reject(failed(error));
}

function failed(because: string): Fault {
  return new Fault('EXEC_FAILED', { because: `the sandbox could not be set up: ${because}` });
}
