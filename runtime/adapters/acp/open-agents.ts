import { mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import { Scope } from '../../base/scope.ts';
import { Work } from '../../base/signal.ts';
import {
  type AgentSandbox,
  agentFolders,
  type EgressPolicy,
  type EgressProxy,
  type ProgramLimits,
} from '../../engine/ports/agent-sandbox.ts';
import type {
  ExternalAgent,
  ExternalAgents,
  ExternalPlace,
} from '../../engine/ports/external-agent.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { AcpSession } from './session/acp-session.ts';
import { acpStartMsMax } from './session/limits.ts';
import { watchSize } from './workspace/watch-size.ts';
import { Workspace } from './workspace/workspace.ts';
import { removeWorkspaces } from './workspace/workspace-folder.ts';

/** An agent program that the operator has installed. */
export type InstalledProgram = {
  readonly command: readonly string[];
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly egress: EgressPolicy;
  readonly limits: ProgramLimits & { readonly workspaceMb: number };
};

type Parts = {
  readonly programs: Readonly<Record<string, InstalledProgram>>;
  readonly sandbox: AgentSandbox;
  readonly egress: EgressProxy;
  /** Folder of all workspaces of this machine. */
  readonly root: string;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** Agent programs that speak the Agent Client Protocol, each in a workspace and a sandbox of its own. */
export function createExternalAgents(parts: Parts): ExternalAgents {
  return {
    open: (place, { signal }) => openAgent(place, parts, signal),
    erase: (place) => removeWorkspaces(parts.root, place),
  };
}

async function openAgent(
  place: ExternalPlace,
  parts: Parts,
  signal: AbortSignal,
): Promise<ExternalAgent> {
  const { program } = place;
  const installed = Object.hasOwn(parts.programs, program.program)
    ? parts.programs[program.program]
    : undefined;
  if (!installed) throw new Fault('AGENT_UNAVAILABLE', { because: `program “${program.program}”` });
  const scope = new Scope();
  try {
    await mkdir(parts.root, { recursive: true, mode: 0o711 });
    const workspace = scope.own(await Workspace.open(place, parts, { signal }));
    const { hosts } = installed.egress;
    const policy = {
      ...installed.egress,
      hosts: hosts.filter((host) => program.egress.includes(host)),
    };
    scope.own(await parts.egress.open(workspace.path('egress'), policy));
    const { command, folders, env, limits } = installed;
    const own = { command, folders, env, limits, ...agentFolders(workspace.folder) };
    const process = scope.own(await parts.sandbox.open(own, { signal }));
    const { AcpSession } = await import('./session/acp-session.ts');
    const session = new AcpSession(process);
    using work = new Work(signal, { deadlineMs: acpStartMsMax });
    const { mcpServers } = program;
    await session.start({ before: workspace.session, mcpServers, env }, { signal: work.signal });
    const { leftOut } = session;
    if (leftOut.length > 0)
      parts.log.warn('mcp servers left out', { program: program.program, servers: [...leftOut] });
    await workspace.keepSession(session.session);
    return running(session, { workspace, installed, scope });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw new Fault('AGENT_FAILED', { because: 'it did not start' }, { cause: error });
  }
}

type Running = {
  readonly workspace: Workspace;
  readonly installed: InstalledProgram;
  readonly scope: Scope;
};

function running(session: AcpSession, { workspace, installed, scope }: Running): ExternalAgent {
  const bytesMax = installed.limits.workspaceMb * 1024 * 1024;
  return {
    session: session.session,
    isResumed: session.isResumed,
    about: session.about,
    prompt: async function* ({ text, files }, { signal }) {
      await workspace.putInputs(files, signal);
      await using _watch = watchSize(workspace, {
        bytesMax,
        exceeded: (fault) => session.fail(fault),
      });
      yield* session.prompt(text, { signal });
    },
    changedFiles: async (waits) => {
      if ((await workspace.bytes()) > bytesMax)
        throw new Refusal('workspace_full', `The workspace has more than ${bytesMax} bytes.`);
      return workspace.changes(waits);
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
