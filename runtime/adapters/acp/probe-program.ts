import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Scope } from '../../base/scope.ts';
import { Work } from '../../base/signal.ts';
import {
  type AgentSandbox,
  agentFolders,
  type EgressProxy,
} from '../../engine/ports/agent-sandbox.ts';
import type { InstalledProgram } from './open-agents.ts';
import { AcpSession } from './session/acp-session.ts';
import { acpStartMsMax } from './session/limits.ts';
import { makeFolders } from './workspace/workspace-folder.ts';

type Parts = {
  readonly sandbox: AgentSandbox;
  readonly egress: EgressProxy;
  /** Folder of all workspaces of this machine. */
  readonly root: string;
};

export type ProbedProgram = {
  readonly name: string;
  readonly version: string;
  readonly continuesSessions: boolean;
};

/** Starts a program in an empty workspace and lets it introduce itself. Fault `AGENT_FAILED`. */
export async function probeProgram(
  { command, folders, env, limits, egress: policy }: InstalledProgram,
  { sandbox, egress, root }: Parts,
  signal: AbortSignal,
): Promise<ProbedProgram> {
  await using scope = new Scope();
  await mkdir(root, { recursive: true, mode: 0o711 });
  const folder = await mkdtemp(join(root, 'doctor-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  await makeFolders(folder);
  const own = agentFolders(folder);
  scope.own(await egress.open(own.egress, policy));
  const program = { command, folders, env, limits, ...own };
  const process = scope.own(await sandbox.open(program, { signal }));
  const session = new AcpSession(process);
  using work = new Work(signal, { deadlineMs: acpStartMsMax });
  const continuesSessions = await session.introduce({ signal: work.signal });
  return { ...session.about, continuesSessions };
}
