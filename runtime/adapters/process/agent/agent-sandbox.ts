import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { Duplex } from 'node:stream';
import { takeSlotIfRoot } from '../../../../supervisor/cell/slots.ts';
import { Fault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Scope } from '../../../base/scope.ts';
import type {
  AgentSandbox,
  SandboxedProcess,
  SandboxedProgram,
} from '../../../engine/ports/agent-sandbox.ts';
import { readPid } from '../spawn.ts';
import { findBubblewrap, openStagingDir, type StagingDir } from '../staging-dir.ts';
import { agentArgv } from './agent-argv.ts';
import { endOf, stopChild } from './agent-child.ts';
import { openFilter, prepareUser } from './agent-files.ts';
import { joins, openAgentGroup, removeGroup } from './agent-group.ts';

const prlimit = '/usr/bin/prlimit';
/** What bwrap reads and writes beside the program's streams: the filter, its pid, and when to begin. */
const descriptors = ['--seccomp', '3', '--info-fd', '4', '--block-fd', '5'];

/** Opens the sandbox for agent programs. Refusal `sandbox_missing` if bubblewrap is not installed. */
export async function openAgentSandbox({ log }: { readonly log: Log }): Promise<AgentSandbox> {
  const bwrap = process.platform === 'linux' ? await findBubblewrap() : undefined;
  if (bwrap === undefined)
    throw new Refusal('sandbox_missing', 'agent programs need bubblewrap on Linux, or Docker');
  const scope = new Scope();
  const stage = scope.own(await openStagingDir({ log }));
  const parts = { stage, bwrap };
  return {
    open: (program, { signal }) => start(program, parts, signal),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

type Parts = { readonly stage: StagingDir; readonly bwrap: string };

async function start(
  program: SandboxedProgram,
  { stage, bwrap }: Parts,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const scope = new Scope();
  try {
    const slot = scope.own(await takeSlotIfRoot());
    const { uid } = slot;
    const { name, path: folder } = await stage.folder({ uid });
    scope.defer(() => rm(folder, { recursive: true, force: true }));
    const etc = await prepareUser(program, { uid, folder });
    const group = await openAgentGroup(`${stage.name}-${name}`, program.limits);
    if (group) scope.defer(() => removeGroup(group));
    const host = { node: stage.node, etc, prlimit, isGrouped: group !== undefined };
    const argv = await agentArgv(program, host);
    const filter = await openFilter(folder);
    scope.defer(() => filter.close());
    signal.throwIfAborted();
    const child = spawn(bwrap, [...descriptors, ...argv], {
      ...{ env: {}, cwd: '/', detached: true },
      stdio: ['pipe', 'pipe', 'pipe', filter.fd, 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
    });
    const exited = endOf(child);
    scope.defer(() => stopChild(child, exited));
    const { stdin, stdout } = child;
    const streams: readonly unknown[] = child.stdio;
    const [info, block] = streams.slice(4);
    if (!(stdin && stdout && info instanceof Duplex && block instanceof Duplex))
      throw new Fault('AGENT_FAILED', { because: 'its sandbox has no streams' });
    for (const stream of [stdin, stdout, info, block]) stream.on('error', () => undefined);
    // Held back until its limits apply to it.
    const inner = await readPid(info);
    const isLimited = inner !== undefined && (await joins(group, inner));
    if (!isLimited) throw new Fault('AGENT_FAILED', { because: await exited });
    block.end('go');
    return { stdin, stdout, exited, [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose]() };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault('AGENT_FAILED', { because: 'its sandbox did not start' }, { cause: error });
  }
}
