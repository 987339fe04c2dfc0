import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../../runtime/adapters/directory/blob-store.ts';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import { createScriptedModel } from '../../../runtime/adapters/models/scripted/scripted-model.ts';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Model } from '../../../runtime/engine/ports/model.ts';
import { Worker } from '../../../runtime/engine/worker/worker.ts';
import { createExecTools } from '../../../runtime/tools/exec/run/exec-tools.ts';
import { agentWith } from '../../runtime/engine/kit/harness.ts';
import { bankTools, Ledger, program } from './bank.ts';
import type { WorkerOptions } from './spawn-worker.ts';

const said = new Set<string>();

/** Once each: the killer of this process waits for one of them. */
function say(word: 'asked' | 'begun'): void {
  if (!said.has(word)) console.log(word);
  said.add(word);
}

/** Writes the program, and answers when it reads what came of it: the same in every worker. */
const model: Model = {
  id: 'scripted:kill',
  contextTokens: 200_000,
  costUsd: () => 0,
  stream: (request, options) => {
    const asked = request.parts.some(({ text }) => text.includes('execute_code_python'));
    if (!asked) say('asked');
    const call = { tool: 'exec_tools.execute_code_python', input: {} };
    const reply = asked ? { answer: 'Done.' } : { call, code: program };
    return createScriptedModel([reply], { id: 'scripted:kill' }).stream(request, options);
  },
};

/** A worker to be killed: takes whatever turn is due. */
async function main({ name, url, dir, backend }: WorkerOptions): Promise<void> {
  const { signal } = new AbortController();
  const blobs = await openDirectoryBlobStore(join(dir, 'blobs'));
  const store = await openPostgresTimelineStore({ url });
  const parts = { blobs, clock: systemClock, log: silentLog };
  const sandbox = await openSandbox(backend, parts);
  const bank = bankTools(new Ledger(dir), () => say('begun'));
  const tools = [...bank, ...createExecTools({ ...parts, sandbox, ids: randomIds })];
  const agent = agentWith({ tools });
  const log = { ...silentLog, error: (text: string, facts?: object) => console.error(text, facts) };
  new Worker(
    {
      ...{ store, blobs, bus: openMemoryBus(), clock: systemClock, ids: randomIds, log },
      worker: name,
      agent: () => agent,
      model: () => model,
    },
    { signal },
  );
}

type Parts = {
  readonly blobs: Awaited<ReturnType<typeof openDirectoryBlobStore>>;
  readonly clock: typeof systemClock;
  readonly log: typeof silentLog;
};

/** Loads what this one needs, and not the others. */
async function openSandbox(backend: WorkerOptions['backend'], parts: Parts) {
  switch (backend.kind) {
    case 'process': {
      const { openProcessSandbox } = await import('../../../runtime/adapters/process/sandbox.ts');
      return openProcessSandbox(parts);
    }
    case 'docker': {
      const { openDockerSandbox } = await import('../../../runtime/adapters/docker/sandbox.ts');
      return openDockerSandbox({ ...parts, dockerHost: backend.host });
    }
    case 'fargate': {
      const { openFargate } = await import('../../../runtime/cli/sandbox/open-fargate.ts');
      return openFargate({ ...parts, settings: backend.settings });
    }
  }
}

const [, , options = ''] = process.argv;
await main(JSON.parse(options) as WorkerOptions);
