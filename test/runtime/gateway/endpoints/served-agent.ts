import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import type { GatewayDeps } from '../../../../runtime/gateway/ports/gateway-deps.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { agentWith } from '../../engine/kit/harness.ts';
import { openStage, signal } from '../stage.ts';

/** A gateway and a worker that plays a script: what a client of any protocol connects to. */
export async function openServedAgent(
  replies: readonly Reply[],
  { tools, deps = {} }: { tools?: readonly Tool[]; deps?: Partial<GatewayDeps> } = {},
) {
  const stage = await openStage(deps);
  const model = createScriptedModel(replies, { id: 'scripted:test' });
  const agent = agentWith(tools ? { tools } : {});
  const worker = new Worker(
    { ...stage.deps, worker: 'worker_1', agent: () => agent, model: () => model },
    { signal },
  );
  const url = (path: string) => new URL(path, stage.gateway.url).href;
  return {
    stage,
    model,
    url,
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(url(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}
