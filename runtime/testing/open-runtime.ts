import { createScriptedModel } from '../adapters/models/scripted/scripted-model.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { Fault } from '../base/fault.ts';
import { Scope } from '../base/scope.ts';
import { createAgents } from '../cli/agents.ts';
import { connect } from '../client/connect.ts';
import { leaseTtlMs } from '../engine/limits.ts';
import { openBundle } from './bundle.ts';
import { callerFolder } from './caller.ts';
import { isClock } from './clock.ts';
import { openTestGateway } from './gateway.ts';
import { askOperation, testUser } from './operation.ts';
import { openParts } from './parts.ts';
import type { TestOptions, TestRuntime } from './types.ts';
import { startWorker } from './worker.ts';

/** The whole runtime in memory, with its real gateway and engine, around one bundle and a scripted model. */
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
  const { ports, passStoreTime } = openParts(clock, scope);
  const model = createScriptedModel(options.model, { id: 'scripted:test' });
  const bundle = await openBundle(options, { ports, model, scope });
  const agents = createAgents([bundle], { first: undefined });
  const engine = { ...ports, model: () => model, agent: agents.choose };
  let running = startWorker(engine);
  scope.defer(() => running.stop());
  const gateway = scope.own(await openTestGateway(ports, agents));
  const connectAs: TestRuntime['connect'] = ({ user = testUser, tools } = {}) =>
    scope.own(connect({ url: gateway.url, user, ...(tools ? { tools } : {}) }));
  const conversation = connectAs().conversation();
  return {
    model,
    send: (text) => conversation.send(text),
    connect: connectAs,
    operation: (id, request) => askOperation(bundle, id, { url: gateway.url, request }),
    job: () => notAvailable('jobs'),
    crash: async () => {
      await running.kill();
      passStoreTime(leaseTtlMs);
      running = startWorker(engine);
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

function notAvailable(what: string): Promise<never> {
  return Promise.reject(new Fault('NOT_AVAILABLE', { because: what }));
}
