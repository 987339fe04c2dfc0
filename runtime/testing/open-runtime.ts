import { createScriptedModel } from '../adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { Scope } from '../base/scope.ts';
import { createAgentDirectory } from '../cli/wiring/agent-directory.ts';
import { connect } from '../client/connect.ts';
import { jobLeaseTtlMs, leaseTtlMs } from '../engine/limits.ts';
import { openBundle } from './bundle.ts';
import { callerFolder } from './caller-folder.ts';
import { isClock } from './clock.ts';
import { openTestGateway } from './gateway.ts';
import { TestJobs } from './jobs.ts';
import { openMemoryPorts } from './memory-ports.ts';
import { callOperation, testUser } from './operation.ts';
import type { TestOptions, TestRuntime } from './types.ts';
import { startWorker } from './worker.ts';

/** The whole runtime in memory, with real gateway and engine, one bundle and a scripted model. */
export function openRuntime<B extends TestOptions['bundle']>(
  options: TestOptions<B>,
): Promise<TestRuntime<B>>;
export async function openRuntime(options: TestOptions): Promise<TestRuntime> {
  const dir = options.dir ?? callerFolder();
  const scope = new Scope();
  try {
    return await open({ ...options, dir }, scope);
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

async function open(options: TestOptions & { dir: string }, scope: Scope): Promise<TestRuntime> {
  const clock = options.clock && isClock(options.clock) ? options.clock : systemClock;
  const { ports, storeClock, passStoreTime } = openMemoryPorts(clock, scope);
  const model = createScriptedModel(options.model, { id: 'scripted:test' });
  const jobs = new TestJobs(ports, { clock: storeClock });
  const bundle = await openBundle(options, { ports, model, jobs: jobs.queue, scope });
  const agents = createAgentDirectory([bundle], { first: undefined });
  const engine = {
    ...ports,
    model: () => model,
    agent: agents.choose,
    background: jobs.background,
  };
  let running = startWorker(engine);
  scope.defer(() => running.stop());
  jobs.start(bundle, engine);
  scope.own(jobs);
  const gateway = scope.own(await openTestGateway(ports, agents));
  const connectAs: TestRuntime['connect'] = ({ user = testUser, tools } = {}) =>
    scope.own(connect({ url: gateway.url, user, ...(tools ? { tools } : {}) }));
  const conversation = connectAs().conversation();
  return {
    model,
    url: gateway.url,
    send: (text) => conversation.send(text),
    connect: connectAs,
    operation: (id, request) => callOperation(bundle, id, { url: gateway.url, request }),
    job: (id, input) => jobs.run(id, input),
    crash: async () => {
      await Promise.all([running.kill(), jobs.kill()]);
      passStoreTime(Math.max(leaseTtlMs, jobLeaseTtlMs));
      running = startWorker(engine);
      jobs.start(bundle, engine);
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
