import { addAbortListener } from 'node:events';
import type { Clock } from '../../../runtime/base/clock.ts';
import { isFault } from '../../../runtime/base/fault.ts';
import { Cancelled } from '../../../runtime/base/signal.ts';
import type { LoadedBundle } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type {
  BundleOperation,
  OperationAnswer,
  OperationRequest,
} from '../../../runtime/sdk/contract/runtime-bundle.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';
import { cancelAckMsMax, disposeMsMax, startMsMax, strayCallsMax } from '../rpc/limits.ts';
import { Peer } from '../rpc/peer.ts';
import {
  type BundleOpening,
  bundleMethods,
  type JobRun,
  type Occasion,
  type ToolMethod,
  type ToolRun,
} from '../rpc/rpc-protocol.ts';
import { cancelReasonOf } from '../rpc/wire-errors.ts';
import { logOutput } from './log-output.ts';
import { ProcessLost } from './process-lost.ts';
import { RpcHandlers } from './rpc-handlers.ts';
import { type Child, type Environment, startChild } from './spawn-child.ts';

/** The built bundle and the part of the worker's environment for its process. */
export type ProcessParts = Pick<BundleOpening, 'module'> & {
  readonly env: Environment;
  readonly clock: Clock;
};

export type CallRequest = Pick<ToolRun, 'agent' | 'tool' | 'input'> & {
  readonly context: CallContext;
};

export type OperationCaller = Parameters<BundleOperation['answer']>[1];

/** One process that runs one bundle. */
export class BundleProcess {
  /** The handshake. Rejects with Fault `BUNDLE_INVALID`, or with `ProcessLost` if the process ends before. */
  readonly ready: Promise<void>;
  /** Resolves with a description of the end, when nothing of the process is left. */
  readonly ended: Promise<string>;
  readonly pid: number | undefined;
  readonly #child: Child;
  readonly #peer: Peer;
  readonly #handlers: RpcHandlers;
  readonly #life = new AbortController();
  #because: string | undefined;
  #idle: (() => void) | undefined;

  constructor(loaded: LoadedBundle, { module, env, clock }: ProcessParts) {
    const { dir, revision, host } = loaded;
    const props = loaded.props.source;
    const { tenant, project } = host;
    this.#child = startChild({ dir, env });
    this.pid = this.#child.pid;
    const log = loaded.host.log.with({ bundle: loaded.definition.id, pid: this.pid });
    const { mask } = loaded;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      logOutput(stream, { clock, log, mask: (text) => mask.text(text) });
    }
    this.#handlers = new RpcHandlers(loaded, this.#life.signal);
    this.#peer = new Peer(this.#child.stream, this.#handlers.handlers());
    this.ended = this.#live();
    this.ready = this.#within(startMsMax, 'it was not ready', () =>
      this.#peer.ask(bundleMethods.open, { module, props, dir, revision, tenant, project }),
    );
  }

  /** Number of calls that were not stopped. */
  get calls(): number {
    return this.#handlers.count().live;
  }

  /** Too many stopped calls continue to run: the process should be replaced. */
  get isCrowded(): boolean {
    return this.#handlers.count().stray >= strayCallsMax;
  }

  /** Rejects with the error of the tool, or with `ProcessLost` if the process ends first. */
  runTool<Answer>(
    order: ToolMethod<Answer>,
    { context, ...request }: CallRequest,
  ): Promise<Answer> {
    const occasion = occasionOf(context);
    const who = { context, agent: request.agent };
    return this.withCall(who, (peer, call) => peer.ask(order, { ...request, call, occasion }));
  }

  /** Rejects with the error that prevented the operation, or with `ProcessLost` if the process ends first. */
  async answer(
    operation: string,
    request: OperationRequest,
    { user, signal }: OperationCaller,
  ): Promise<OperationAnswer> {
    const who = user === undefined ? {} : { user };
    const carried = toCarried(request);
    const { body, ...answer } = await this.withCall({ ...who, signal }, (peer, call) =>
      peer.ask(bundleMethods.answer, { call, operation, ...who, request: carried }),
    );
    return { ...answer, body: Buffer.from(body, 'base64') };
  }

  /** Runs `act` with a new call number. Until it ends, the process has the permissions of the call or operation. */
  async withCall<T>(
    who:
      | { readonly context: CallContext; readonly agent: string }
      | { readonly user?: string; readonly signal: AbortSignal },
    act: (peer: Peer, call: number) => Promise<T>,
  ): Promise<T> {
    const isCall = 'context' in who;
    const { signal } = isCall ? who.context : who;
    const call = isCall
      ? this.#handlers.open(who.context, who.agent)
      : this.#handlers.openOperation(who);
    using _tie = addAbortListener(signal, () => this.#cancel(call, signal));
    try {
      return await act(this.#peer, call);
    } finally {
      if (isCall) await this.#handlers.close(call);
      else this.#handlers.closeOperation(call);
      if (this.calls === 0) this.#idle?.();
    }
  }

  /** Rejects with the error of the job, or with `ProcessLost` if the process ends first. */
  async runJob(errand: Omit<JobRun, 'call'>, signal: AbortSignal): Promise<void> {
    const call = this.#handlers.openOperation({ signal });
    using _tie = addAbortListener(signal, () => this.#cancel(call, signal));
    try {
      await this.#peer.ask(bundleMethods.work, { call, ...errand });
    } finally {
      this.#handlers.closeOperation(call);
      if (this.calls === 0) this.#idle?.();
    }
  }

  /** Rejects with `ProcessLost` if the process ends first. */
  async replaceProps(props: BundleOpening['props']): Promise<void> {
    await this.#peer.ask(bundleMethods.props, { props });
  }

  /** Lets the process finish its calls, dispose of the bundle, and end. */
  async stop({ drainMs }: { drainMs: number }): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
      if (this.calls === 0) resolve();
    });
    try {
      await this.#within(drainMs, 'it did not finish its calls', () =>
        Promise.race([idle, this.ended]),
      );
      await this.#within(disposeMsMax, 'it did not close', () =>
        this.#peer.ask(bundleMethods.close, {}),
      );
      this.#child.stream.end();
    } catch (error) {
      if (!(error instanceof ProcessLost)) this.kill(`closing failed: ${String(error)}`);
    }
    await this.ended;
  }

  kill(because: string): void {
    this.#because ??= because;
    this.#child.kill();
  }

  #cancel(call: number, { reason }: AbortSignal): void {
    const heard = this.#within(
      cancelAckMsMax,
      'it is in an endless loop: it did not acknowledge a stop',
      () => this.#peer.ask(bundleMethods.cancel, { call, why: cancelReasonOf(reason) }),
    );
    // The caller gets the outcome from the call itself.
    heard.then(
      () => (this.calls === 0 ? this.#idle?.() : undefined),
      () => undefined,
    );
  }

  async #within<T>(ms: number, because: string, act: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.kill(`${because} within ${ms} ms`), ms);
    try {
      return await act();
    } finally {
      clearTimeout(timer);
    }
  }

  async #live(): Promise<string> {
    const exited = this.#child.exited.finally(() => this.#child.kill());
    try {
      await this.#peer.follow({ patient: true });
    } catch (error) {
      this.kill(isFault(error) ? error.message : `its stream broke: ${String(error)}`);
    }
    this.#child.kill();
    const how = await exited;
    const because = this.#because ?? how;
    this.#life.abort(new Cancelled('shutdown'));
    this.#peer.end(new ProcessLost(because));
    return because;
  }
}

function toCarried({ headers, body, ...request }: OperationRequest) {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  return { ...request, headers: lines, body: Buffer.from(body).toString('base64') };
}

/** The context of a call, for the process. */
export function occasionOf({ callTool, ...context }: CallContext): Occasion {
  const { scope, conversation, turn, round, call, key, approved, answer, now } = context;
  const { tenant, project, user } = scope;
  return {
    ...{ scope: { tenant, project, user }, conversation, turn, round, call, key, now },
    ...(approved === undefined ? {} : { approved }),
    ...(answer === undefined ? {} : { answer }),
    nests: callTool !== undefined,
  };
}
