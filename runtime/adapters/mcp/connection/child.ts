import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Log } from '../../../base/log.ts';
import type { Mask } from '../../../sdk/compile/host/mask.ts';
import { oneLine } from '../tools/clean-schema.ts';
import {
  messageBytesMax,
  stderrLineCharsMax,
  stderrLinesMax,
  stopGraceMs,
} from '../tools/limits.ts';
import { LineSplitter } from './line-splitter.ts';

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly dir: string;
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly mask: Mask;
};

/**
 * A server as a child process with one message per line. It does not inherit our environment and leads its own process
 * group. It is stopped with all its children: by the end of its input, then SIGTERM, then SIGKILL.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ChildOptions;
  readonly #lines = new LineSplitter(messageBytesMax);
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    const { command, args, dir, env } = this.#options;
    const child = spawn(command, [...args], { cwd: dir, env, stdio: 'pipe', detached: true });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#child = undefined;
        resolve();
        this.onclose?.();
      });
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#listen(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#child?.stdin;
      if (!stdin?.writable) reject(new Error('the server has ended'));
      else stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#hasEnded()) break;
      killGroup(child, signal);
    }
    await this.#ended;
    // Kill processes that the server left behind, too. They hold none of our pipes, or the streams would not have ended.
    killGroup(child, 'SIGKILL');
  }

  async #hasEnded(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), stopGraceMs);
    });
    const ended = await Promise.race([this.#ended.then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  #take(chunk: Buffer): void {
    try {
      for (const line of this.#lines.push(chunk)) this.#read(line);
    } catch (error) {
      // The message is too large, and the start of the next one cannot be found.
      this.onerror?.(toError(error));
      if (this.#child) killGroup(this.#child, 'SIGKILL');
    }
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(toError(error));
    }
  }

  /** Writes the child's standard error to the log. */
  #listen(child: ChildProcessWithoutNullStreams): void {
    const { log, mask } = this.#options;
    let lines = 0;
    child.stderr.setEncoding('utf8');
    const reader = createInterface({ input: child.stderr, crlfDelay: Number.POSITIVE_INFINITY });
    reader.on('line', (line) => {
      lines += 1;
      if (lines > stderrLinesMax) return;
      log.info('mcp server says', { line: oneLine(mask.text(line), stderrLineCharsMax) });
      if (lines === stderrLinesMax) log.info('mcp server says more than is kept');
    });
  }
}

function killGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
