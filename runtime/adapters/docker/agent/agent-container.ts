import type Docker from 'dockerode';
import { forwarderScript } from '../../../../supervisor/agent/forwarder-script.ts';
import {
  agentPaths,
  egressSocket,
  type SandboxedProgram,
} from '../../../engine/ports/agent-sandbox.ts';
import { locked } from '../engine/containers.ts';
import { agentOpenFilesMax, agentTemporaryMb } from './limits.ts';

const mebibyte = 1024 * 1024;

export type AgentSpec = {
  readonly image: string;
  readonly uid: number;
  /** Folder with the files that describe the user. */
  readonly etc: string;
  readonly labels: Readonly<Record<string, string>>;
};

/**
 * The container of an agent program: the root of its image read-only, no capability, no network. Its loopback interface leads to
 * the egress proxy alone, through a socket of this machine.
 */
export function agentContainer(
  program: SandboxedProgram,
  { image, uid, etc, labels }: AgentSpec,
): Docker.ContainerCreateOptions {
  const { limits, workspace, home, inputs, egress, folders } = program;
  const { memoryMb, cpus, processes, fileMb } = limits;
  const temporary = `rw,nosuid,nodev,exec,size=${agentTemporaryMb}m,mode=1777`;
  const socket = `${agentPaths.egress}/${egressSocket}`;
  return {
    Image: image,
    Entrypoint: ['node', '-e', forwarderScript, String(agentPaths.egressPort), socket],
    Cmd: [...program.command],
    ...{ Hostname: 'workspace', User: `${uid}:${uid}`, WorkingDir: agentPaths.workspace },
    Labels: { ...labels },
    Env: environment(program),
    // The program ends with the connection of the worker.
    ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true },
    ...{ OpenStdin: true, StdinOnce: true },
    HostConfig: {
      ...locked(memoryMb, processes),
      NetworkMode: 'none',
      NanoCpus: Math.round(cpus * 1e9),
      ShmSize: agentTemporaryMb * mebibyte,
      Ulimits: [
        { Name: 'nofile', Soft: agentOpenFilesMax, Hard: agentOpenFilesMax },
        { Name: 'fsize', Soft: fileMb * mebibyte, Hard: fileMb * mebibyte },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Tmpfs: { '/tmp': temporary },
      Mounts: [
        bound(workspace, agentPaths.workspace, 'write'),
        bound(home, agentPaths.home, 'write'),
        bound(inputs, agentPaths.inputs, 'read'),
        bound(egress, agentPaths.egress, 'read'),
        ...['passwd', 'group'].map((name) => bound(`${etc}/${name}`, `/etc/${name}`, 'read')),
        ...folders.map((folder) => bound(folder, folder, 'read')),
      ],
    },
  };
}

function environment({ env }: SandboxedProgram): string[] {
  const values = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...{ HOME: agentPaths.home, USER: 'agent', LOGNAME: 'agent', SHELL: '/bin/bash' },
    ...{ LANG: 'C.UTF-8', TMPDIR: '/tmp', TERM: 'dumb' },
    ...env,
  };
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

/** A folder or file of this machine, which has to be that of the engine. */
function bound(path: string, target: string, how: 'read' | 'write'): Docker.MountSettings {
  return { Type: 'bind', Source: path, Target: target, ReadOnly: how === 'read' };
}
