import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { createAgentDirectory } from '../../../../runtime/cli/wiring/agent-directory.ts';
import type { Client } from '../../../../runtime/client/api/client.ts';
import { connect } from '../../../../runtime/client/connect.ts';
import { openGateway } from '../../../../runtime/gateway/gateway.ts';
import type { GatewayDeps } from '../../../../runtime/gateway/ports/gateway-deps.ts';
import { type ModelRef, refOf } from '../../../../runtime/sdk/define/model.ts';
import { openBundle } from '../../../../runtime/testing/bundle.ts';
import { TestJobs } from '../../../../runtime/testing/jobs.ts';
import { openMemoryPorts } from '../../../../runtime/testing/memory-ports.ts';
import type { TestOptions } from '../../../../runtime/testing/types.ts';
import { startWorker } from '../../../../runtime/testing/worker.ts';

type Options = {
  readonly bundle: TestOptions['bundle'];
  /** The replies of each model; the first one is configured, the others a turn can name. */
  readonly models: Readonly<Record<ModelRef, readonly Reply[]>>;
  readonly deps?: Partial<GatewayDeps>;
};

export type ModelsRuntime = AsyncDisposable & {
  readonly url: string;
  connect(user: string): Client;
};

/** The whole runtime in memory, with several models. */
export async function openWithModels({ bundle, models, deps }: Options): Promise<ModelsRuntime> {
  const scope = new Scope();
  const { ports, storeClock } = openMemoryPorts(systemClock, scope);
  const known = new Map(
    Object.entries(models).map(([ref, replies]) => [
      ref,
      createScriptedModel(replies, { id: ref }),
    ]),
  );
  const [configured] = known.values();
  if (!configured) throw new Error('no models');
  const jobs = new TestJobs(ports, { clock: storeClock });
  const options = { bundle, model: [], dir: import.meta.dirname };
  const opened = await openBundle(options, { ports, model: configured, jobs: jobs.queue, scope });
  const agents = createAgentDirectory([opened], { first: undefined });
  const openNamed = async (ref: string) => {
    if (!known.has(ref)) throw new Fault('MODEL_NOT_CONFIGURED', { because: `no model ${ref}` });
  };
  const worker = startWorker({
    ...ports,
    agent: agents.choose,
    openModel: openNamed,
    model: ({ models: named }, role) => {
      const choice = named[role] ?? named.decision;
      return (choice && known.get(refOf(choice))) ?? configured;
    },
    background: jobs.background,
  });
  scope.defer(() => worker.stop());
  scope.own(jobs);
  const gateway = scope.own(
    await openGateway(
      {
        ...ports,
        ...{ auth: { mode: 'dev' }, scope: { tenant: 'dev', project: 'dev' }, bundles: agents },
        models: { refs: () => [...known.keys()], openNamed },
        health: () => ({}),
        ...deps,
      },
      { host: '127.0.0.1', port: 0 },
    ),
  );
  return {
    url: gateway.url,
    connect: (user) => scope.own(connect({ url: gateway.url, user })),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
