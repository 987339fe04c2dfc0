import { forwarderScript } from '../../../../supervisor/agent/forwarder-script.ts';
import {
  agentPaths,
  egressSocket,
  type SandboxedProgram,
} from '../../../engine/ports/agent-sandbox.ts';
import { systemArgv } from '../system-folders.ts';
import { agentOpenFilesMax, agentTemporaryMb } from './limits.ts';

/** User id inside the sandbox; outside it is the slot's user. */
export const innerUid = 1_000;
const mebibyte = 1024 * 1024;
const nodeFolder = '/run/node/bin';

type Host = {
  /** Node.js, in a place where the user of the sandbox may read it. */
  readonly node: string;
  /** Folder with the files that describe the user: `passwd`, `group`, `hosts`. */
  readonly etc: string;
  readonly prlimit: string;
  /** A kernel limit covers the memory of the whole sandbox. */
  readonly isGrouped: boolean;
};

/**
 * Arguments of bwrap. The program sees the system's folders and its own read-only, and may write its workspace, its home and
 * memory of a fixed size. It shares no namespace; the loopback interface leads to the egress proxy alone.
 */
export async function agentArgv(program: SandboxedProgram, host: Host): Promise<readonly string[]> {
  const { workspace, home, inputs, egress, folders } = program;
  return [
    ...['--unshare-all', '--unshare-user', '--unshare-cgroup', '--hostname', 'workspace'],
    ...['--uid', String(innerUid), '--gid', String(innerUid), '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session'],
    ...(await systemArgv()),
    ...certificates,
    ...['passwd', 'group', 'hosts'].flatMap((name) => [
      '--ro-bind',
      `${host.etc}/${name}`,
      `/etc/${name}`,
    ]),
    ...['--ro-bind', host.node, `${nodeFolder}/node`],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/tmp', '/dev/shm'].flatMap((path) => sized(path, agentTemporaryMb)),
    // After the memory file systems, so that they may be below them.
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--bind', workspace, agentPaths.workspace, '--bind', home, agentPaths.home],
    ...['--ro-bind', inputs, agentPaths.inputs, '--ro-bind', egress, agentPaths.egress],
    ...environment(program),
    ...['--remount-ro', '/', '--chdir', agentPaths.workspace, '--'],
    ...limited(program, host),
    ...[`${nodeFolder}/node`, '-e', forwarderScript],
    ...[String(agentPaths.egressPort), `${agentPaths.egress}/${egressSocket}`],
    ...program.command,
  ];
}

/** Public certificates of authorities, for encrypted connections through the proxy. */
const certificates = ['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/pki/tls/certs'].flatMap(
  (path) => ['--ro-bind-try', path, path],
);

function environment({ env }: SandboxedProgram): readonly string[] {
  const values = {
    PATH: `${nodeFolder}:/usr/local/bin:/usr/bin:/bin`,
    ...{ HOME: agentPaths.home, USER: 'agent', LOGNAME: 'agent', SHELL: '/bin/bash' },
    ...{ LANG: 'C.UTF-8', TMPDIR: '/tmp', TERM: 'dumb' },
    ...env,
  };
  return Object.entries(values).flatMap(([name, value]) => ['--setenv', name, value]);
}

/** Limits for each process; memory only where no kernel group limits it, by the size of its data. */
function limited({ limits }: SandboxedProgram, host: Host): readonly string[] {
  const { processes, fileMb, memoryMb } = limits;
  return [
    ...[host.prlimit, `--nofile=${agentOpenFilesMax}`, `--core=0`],
    ...[`--nproc=${processes}`, `--fsize=${fileMb * mebibyte}`],
    ...(host.isGrouped ? [] : [`--data=${memoryMb * mebibyte}`]),
    '--',
  ];
}

function sized(path: string, megabytes: number): readonly string[] {
  return ['--size', String(megabytes * mebibyte), '--tmpfs', path];
}
