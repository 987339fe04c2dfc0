import { invariant } from '../../../runtime/base/assert.ts';
import { Fault } from '../../../runtime/base/fault.ts';
import type { JsonObject } from '../../../runtime/base/json.ts';
import { Cancelled } from '../../../runtime/base/signal.ts';
import type { OperationAnswer } from '../../../runtime/sdk/contract/runtime-bundle.ts';
import { emptyView } from '../../../runtime/timeline/fold/fold.ts';
import type { CallContext, Tool } from '../../../runtime/tools/ports/tool.ts';
import { toPassableResult } from '../../../runtime/tools/results/large-result.ts';
import { type HookRun, hookMethod } from '../rpc/hook-protocol.ts';
import { type Handlers, on, type Peer } from '../rpc/peer.ts';
import {
  type BundleOpening,
  bundleMethods,
  type JobRun,
  type Occasion,
  type OperationCall,
  type ToolRun,
} from '../rpc/rpc-protocol.ts';
import type { Offers } from '../rpc/streams.ts';
import { type OpenBundle, openBundle } from './open-bundle.ts';
import { createRemoteHost, createRemoteScripts, type Generations } from './remote-host.ts';
import { RemoteServices } from './remote-services.ts';

type RunnerParts = { readonly offers: Offers; readonly generations: Generations };

/** Loads one bundle in a separate process and runs the methods that the worker calls. */
export class BundleRunner {
  readonly #home: RunnerParts;
  readonly #running = new Map<number, AbortController>();
  readonly #life = new AbortController();
  #opened: OpenBundle | undefined;

  constructor(home: RunnerParts) {
    this.#home = home;
  }

  handlers(): Handlers {
    return new Map([
      on(bundleMethods.open, (opening, peer) => this.#open(opening, peer)),
      on(bundleMethods.run, (running, peer) => this.#run(running, peer)),
      on(bundleMethods.consider, (running, peer) => this.#consider(running, peer)),
      on(bundleMethods.answer, (visit) => this.#answer(visit)),
      on(hookMethod, (hooking, peer) => this.#hook(hooking, peer)),
      on(bundleMethods.work, (work) => this.#work(work)),
      on(bundleMethods.props, ({ props }) => this.#give(props)),
      on(bundleMethods.cancel, ({ call, why }) =>
        this.#running.get(call)?.abort(new Cancelled(why)),
      ),
      on(bundleMethods.close, () => this.#close()),
    ]);
  }

  async #open(opening: BundleOpening, peer: Peer): Promise<void> {
    const host = createRemoteHost(opening, { ...this.#home, peer });
    const opened = await openBundle(opening, { host, runScript: createRemoteScripts(peer) });
    await opened.supervisor.open(this.#life.signal);
    this.#opened = opened;
  }

  #run(running: ToolRun, peer: Peer) {
    return this.#within(running, peer, async ({ tool, context, services }) => {
      const { call } = context;
      const { result } = await tool.run(running.input, context);
      // Checked here, where the value is: a larger value is not sent through the stream.
      const passed = await toPassableResult(result, { call, services, mask: (text) => text });
      return { result: passed, unshown: services.end() };
    });
  }

  #consider(running: ToolRun, peer: Peer) {
    return this.#within(running, peer, async ({ tool, context }) => {
      const considered = await tool.consider?.(running.input, context);
      return considered ?? ({ ok: true } as const);
    });
  }

  async #hook({ call, point, subject, site }: HookRun, peer: Peer) {
    invariant(this.#opened, 'hooks need a completed handshake');
    const { hooks } = this.#opened;
    const controller = new AbortController();
    this.#running.set(call, controller);
    const { signal } = controller;
    const services = new RemoteServices(call, { ...this.#home, peer });
    try {
      if (site.kind === 'event') return await hooks.run(point, subject, { ...site, signal });
      const context = contextOf(site.occasion, { services, signal });
      return await hooks.run(point, subject, { kind: 'call', call: context, agent: site.agent });
    } finally {
      services.end();
      this.#running.delete(call);
    }
  }

  async #answer({ call, operation: id, user, request }: OperationCall) {
    invariant(this.#opened, 'operations need a completed handshake');
    const operation = this.#opened.operations.find((one) => one.id === id);
    if (!operation) throw new Fault('NOT_IN_BUNDLE', { because: `operation ${id}` });
    const asked = { ...request, body: Buffer.from(request.body, 'base64') };
    const who = user === undefined ? {} : { user };
    return this.#stoppable(call, async (signal) =>
      toCarried(await operation.answer(asked, { ...who, signal })),
    );
  }

  async #work({ call, job: id, input }: JobRun) {
    invariant(this.#opened, 'jobs need a completed handshake');
    const job = this.#opened.jobs.find((one) => one.id === id);
    if (!job) throw new Fault('NOT_IN_BUNDLE', { because: `job ${id}` });
    await this.#stoppable(call, (signal) => job.run(input, { signal }));
  }

  async #give(props: JsonObject): Promise<void> {
    invariant(this.#opened, 'props need a completed handshake');
    const { loaded, supervisor } = this.#opened;
    loaded.props.replace(props);
    await supervisor.propsChanged(this.#life.signal);
  }

  async #stoppable<T>(call: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(call, controller);
    try {
      return await act(controller.signal);
    } finally {
      this.#running.delete(call);
    }
  }

  async #close(): Promise<void> {
    this.#life.abort(new Cancelled('shutdown'));
    await this.#opened?.supervisor.close();
  }

  async #within<T>(
    { call, agent, tool: id, occasion }: ToolRun,
    peer: Peer,
    act: (parts: { tool: Tool; context: CallContext; services: RemoteServices }) => Promise<T>,
  ): Promise<T> {
    invariant(this.#opened, 'calls need a completed handshake');
    const tool = this.#opened.tools.get(agent)?.get(id);
    if (!tool) throw new Fault('NOT_IN_BUNDLE', { because: `tool ${id} of agent ${agent}` });
    const services = new RemoteServices(call, { ...this.#home, peer });
    const controller = new AbortController();
    this.#running.set(call, controller);
    const { signal } = controller;
    try {
      return await act({ tool, context: contextOf(occasion, { services, signal }), services });
    } finally {
      services.end();
      this.#running.delete(call);
    }
  }
}

function contextOf(
  { nests, ...context }: Occasion,
  { services, signal }: { services: RemoteServices; signal: AbortSignal },
): CallContext {
  const nesting = nests ? { callTool: services.callTool } : {};
  return { ...context, ...nesting, view: emptyView, services, signal };
}

/** The answer in the form of the protocol. */
function toCarried({ status, headers, body }: OperationAnswer) {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  return { status, headers: lines, body: Buffer.from(body).toString('base64') };
}
