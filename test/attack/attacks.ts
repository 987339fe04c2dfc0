import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Scope } from '../../runtime/base/scope.ts';
import type { Language, Sandbox } from '../../runtime/tools/sandbox.ts';
import { ran, request } from '../integration/exec-kit.ts';

/** What there is to reach outside, so that a probe fails because of a wall and not for want of a target. */
export type World = {
  readonly port: number;
  readonly abstract: string;
  readonly canary: string;
  readonly source: string;
  readonly socket: string;
};

/** Listeners on the loopback and in the abstract namespace, a secret in our environment, our own source. */
export async function openWorld(scope: Scope, socket = '/none'): Promise<World> {
  const abstract = `timeloom-attack-${process.pid}`;
  const canary = `canary-${process.pid}`;
  process.env['TIMELOOM_CANARY'] = canary;
  const tcp = createServer(answer).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  scope.defer(() => void tcp.close());
  const unix = createServer().listen(`\0${abstract}`);
  await once(unix, 'listening');
  scope.defer(() => void unix.close());
  const address = tcp.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await openDatagram(`${abstract}-datagram`, scope);
  return { port, abstract, canary, source: join(import.meta.dirname, '../../runtime'), socket };
}

/** Probes hang up as they like. */
function answer(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.end('HTTP/1.1 200 OK\r\n\r\n');
}

/** Node cannot listen for datagrams there. */
async function openDatagram(name: string, scope: Scope): Promise<void> {
  const code = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("\\0${name}")
print("bound", flush=True); sys.stdin.read()`;
  const listener = spawn('/usr/bin/python3', ['-c', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(listener.stdout, 'data');
  scope.defer(async () => {
    const exit = once(listener, 'exit');
    listener.stdin.end();
    await exit;
  });
}

export function probesFor(language: Language, world: World): string {
  const file = language === 'python' ? 'probes.py' : 'probes.mjs';
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return text.replace('%WORLD%', JSON.stringify(world));
}

/** Name of each probe, and `open …` or `closed …`. */
export type Verdicts = ReadonlyMap<string, string>;

export async function attacked(
  sandbox: Sandbox,
  language: Language,
  world: World,
): Promise<Verdicts> {
  const { envelope } = await ran(sandbox, request(language, probesFor(language, world)));
  expect(envelope.error).toBe(null);
  return toVerdicts(envelope.report_text);
}

/** The same probes with every protection off; those that change the machine are left out. */
export async function unprotected(language: Language, world: World): Promise<Verdicts> {
  const text = probesFor(language, world);
  const run = promisify(execFile);
  if (language === 'python') {
    return toVerdicts((await run('/usr/bin/python3', ['-c', text, '--harmless'])).stdout);
  }
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-attack-'));
  const program = join(folder, 'probes.mjs');
  await writeFile(program, text.replace(/^ {2}node_writes.*\n.*$/m, ''));
  const { stdout } = await run(process.execPath, [program]);
  await rm(folder, { recursive: true });
  return toVerdicts(stdout);
}

function toVerdicts(text: string): Verdicts {
  return new Map(
    [...text.matchAll(/^(\w+) ((?:open|closed).*)$/gm)].map(([, name = '', found = '']) => [
      name,
      found,
    ]),
  );
}

export function open(verdicts: Verdicts): readonly string[] {
  return [...verdicts].filter(([, found]) => found.startsWith('open')).map(([name]) => name);
}

/** Probes that succeed for anybody on a bare host; a wall that is shown to hold them holds something. */
export const provable: readonly string[] = [
  ...['unix', 'inet', 'inet6', 'netlink', 'vsock', 'mptcp'].map((name) => `socket_${name}`),
  ...['socketpair_datagram', 'socketpair_seqpacket', 'abstract_socket', 'abstract_stream'],
  ...['loopback', 'connect_a_pair', 'bind_a_pair', 'listen_on_a_pair', 'accept_on_a_pair'],
  ...['unshare_user', 'clone_user', 'clone3', 'ptrace_a_child', 'process_vm_readv'],
  ...['process_vm_writev', 'pidfd_open', 'pidfd_getfd', 'kcmp', 'bpf', 'keyctl', 'add_key'],
  ...['request_key', 'io_uring', 'name_to_handle', 'move_pages', 'personality'],
  ...['terminal_input', 'newer_than_the_filter', 'may_gain_privileges', 'runs_without_filter'],
  ...['sees_other_processes', 'sees_the_runtime', 'sees_another_network'],
];
