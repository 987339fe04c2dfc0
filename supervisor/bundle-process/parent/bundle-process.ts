import { addAbortListener } from 'node:events';
import type { Clock } from '../../../runtime/base/clock.ts';
import { isFault } from '../../../runtime/base/fault.ts';
import { Cancelled } from '../../../runtime/base/signal.ts';
import type { Loaded } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import type {
  BundleOperation,
  OperationAnswer,
  OperationRequest,
} from '../../../runtime/sdk/contract/runtime-bundle.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';
import { disposeMsMax, hearMsMax, startMsMax, strayCallsMax } from '../rpc/limits.ts';
import { Peer } from '../rpc/peer.ts';
import {
  type Occasion,
  type Opening,
  type Order,
  orders,
  type Running,
  type Work,
} from '../rpc/rpc-protocol.ts';
import { whyOf } from '../rpc/wire-errors.ts';
import { logPrinted } from './log-output.ts';
import { Lost } from './process-lost.ts';
import { Desk } from './rpc-handlers.ts';
import { type Child, type Environment, startChild } from './spawn-child.ts';

/** The built bundle, and the part of the worker's environment that its process gets. */
export type ProcessParts = Pick<Opening, 'module'> & {
  readonly env: Environment;
  readonly clock: Clock;
};

export type Request = Pick<Running, 'agent' | 'tool' | 'input'> & { readonly context: CallContext };

export type Visiting = Parameters<BundleOperation['answer']>[1];

/** One process with one bundle in it. */
export class ToolProcess {
  /** The handshake. Rejects with Fault `BUNDLE_INVALID`, or with `Lost` if the process ends before. */
  readonly ready: Promise<void>;
  /** Resolves with how it ended; nothing of it is left then. */
  readonly ended: Promise<string>;
  readonly pid: number | undefined;
  readonly #child: Child;
  readonly #peer: Peer;
  readonly #desk: Desk;
  readonly #life = new AbortController();
  #because: string | undefined;
  #idle: (() => void) | undefined;

  constructor(loaded: Loaded, { module, env, clock }: ProcessParts) {
    const { dir, revision, host } = loaded;
    const props = loaded.props.given;
    const { tenant, project } = host;
    this.#child = startChild({ dir, env });
    this.pid = this.#child.pid;
    const log = loaded.host.log.with({ bundle: loaded.definition.id, pid: this.pid });
    const { mask } = loaded;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      logPrinted(stream, { clock, log, mask: (text) => mask.text(text) });
    }
    this.#desk = new Desk(loaded, this.#life.signal);
    this.#peer = new Peer(this.#child.stream, this.#desk.handlers());
    this.ended = this.#live();
    this.ready = this.#within(startMsMax, 'it was not ready', () =>
      this.#peer.ask(orders.open, { module, props, dir, revision, tenant, project }),
    );
  }

  /** Calls that nobody has stopped. */
  get calls(): number {
    return this.#desk.count().live;
  }

  /** Too many calls go on that were stopped: it should be replaced. */
  get isCrowded(): boolean {
    return this.#desk.count().stray >= strayCallsMax;
  }

  /** Rejects with what the tool threw; with `Lost`, when the process ends first. */
  perform<Answer>(order: Order<Answer>, { context, ...request }: Request): Promise<Answer> {
    const occasion = occasionOf(context);
    const who = { context, agent: request.agent };
    return this.under(who, (peer, call) => peer.ask(order, { ...request, call, occasion }));
  }

  /** Rejects with what kept the operation from being asked; with `Lost`, when the process ends first. */
  async answer(
    operation: string,
    request: OperationRequest,
    { user, signal }: Visiting,
  ): Promise<OperationAnswer> {
    const who = user === undefined ? {} : { user };
    const carried = toCarried(request);
    const { body, ...answer } = await this.under({ ...who, signal }, (peer, call) =>
      peer.ask(orders.answer, { call, operation, ...who, request: carried }),
    );
    return { ...answer, body: Buffer.from(body, 'base64') };
  }

  /** Has it do something under a number of its own: meanwhile it may have what the call or visit may, until that is stopped. */
  async under<T>(
    who:
      | { readonly context: CallContext; readonly agent: string }
      | { readonly user?: string; readonly signal: AbortSignal },
    act: (peer: Peer, call: number) => Promise<T>,
  ): Promise<T> {
    const isCall = 'context' in who;
    const { signal } = isCall ? who.context : who;
    const call = isCall ? this.#desk.open(who.context, who.agent) : this.#desk.visit(who);
    using _tie = addAbortListener(signal, () => this.#cancel(call, signal));
    try {
      return await act(this.#peer, call);
    } finally {
      if (isCall) await this.#desk.close(call);
      else this.#desk.leave(call);
      if (this.calls === 0) this.#idle?.();
    }
  }

  /** Rejects with what the job threw; with `Lost`, when the process ends first. */
  async work(errand: Omit<Work, 'call'>, signal: AbortSignal): Promise<void> {
    const call = this.#desk.visit({ signal });
    using _tie = addAbortListener(signal, () => this.#cancel(call, signal));
    try {
      await this.#peer.ask(orders.work, { call, ...errand });
    } finally {
      this.#desk.leave(call);
      if (this.calls === 0) this.#idle?.();
    }
  }

  /** Rejects with `Lost`, when the process ends first. */
  async give(props: Opening['props']): Promise<void> {
    await this.#peer.ask(orders.props, { props });
  }

  /** Lets it finish its calls, `dispose` of the bundle, and end. */
  async stop({ drainMs }: { drainMs: number }): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
      if (this.calls === 0) resolve();
    });
    try {
      await this.#within(drainMs, 'it did not finish its calls', () =>
        Promise.race([idle, this.ended]),
      );
      await this.#within(disposeMsMax, 'it did not close', () => this.#peer.ask(orders.close, {}));
      this.#child.stream.end();
    } catch (error) {
      if (!(error instanceof Lost)) this.kill(`closing failed: ${String(error)}`);
    }
    await this.ended;
  }

  kill(because: string): void {
    this.#because ??= because;
    this.#child.kill();
  }

  #cancel(call: number, { reason }: AbortSignal): void {
    const heard = this.#within(hearMsMax, 'it runs in a circle: it did not hear a stop', () =>
      this.#peer.ask(orders.cancel, { call, why: whyOf(reason) }),
    );
    // Whoever made the call is told by the call itself.
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
    this.#peer.end(new Lost(because));
    return because;
  }
}

function toCarried({ headers, body, ...request }: OperationRequest) {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  return { ...request, headers: lines, body: Buffer.from(body).toString('base64') };
}

/** What a process is told of a call. */
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
