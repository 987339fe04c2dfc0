import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../runtime/adapters/directory/blob-store.ts';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { openMemoryBus } from '../../runtime/adapters/memory/bus.ts';
import { createScriptedModel } from '../../runtime/adapters/models/scripted/scripted-model.ts';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { openPostgresTimelineStore } from '../../runtime/adapters/sql/open.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../runtime/adapters/system/ids.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { Model } from '../../runtime/engine/ports/model.ts';
import { Worker } from '../../runtime/engine/worker.ts';
import { createExecTools } from '../../runtime/tools/exec/exec-tools.ts';
import { agentWith } from '../runtime/engine/desk.ts';
import { bankTools, Ledger, program } from './kill-world.ts';

const [, , name = '', url = '', dir = '', dockerHost = ''] = process.argv;

/** Writes the program, and answers when it reads what came of it: the same in every worker. */
const model: Model = {
  id: 'scripted:kill',
  contextTokens: 200_000,
  costUsd: () => 0,
  stream: (request, options) => {
    const asked = request.parts.some(({ text }) => text.includes('execute_code_python'));
    const call = { tool: 'exec_tools.execute_code_python', input: {} };
    const reply = asked ? { answer: 'Done.' } : { call, code: program };
    return createScriptedModel([reply], { id: 'scripted:kill' }).stream(request, options);
  },
};

/** A worker to be killed: takes whatever turn is due, and says when the first effect has begun. */
async function main(): Promise<void> {
  const { signal } = new AbortController();
  let said = false;
  const begun = () => {
    if (!said) console.log('begun');
    said = true;
  };
  const blobs = await openDirectoryBlobStore(join(dir, 'blobs'));
  const store = await openPostgresTimelineStore({ url });
  const parts = { blobs, clock: systemClock, log: silentLog };
  const sandbox =
    dockerHost === ''
      ? await openProcessSandbox(parts)
      : await openDockerSandbox({ ...parts, dockerHost });
  const bank = bankTools(new Ledger(dir), begun);
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

await main();
