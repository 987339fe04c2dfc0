import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Scope } from '../../runtime/base/scope.ts';
import type { ExecRequest, Language, Sandbox } from '../../runtime/tools/ports/sandbox.ts';
import { noLimits, ran, request } from '../integration/exec/kit.ts';
import { bareIn, type TaskPlace } from '../tools/aws/task.ts';

/** What there is to reach outside, so that a probe fails because of a wall and not for want of a target. */
export type World = {
  readonly port: number;
  readonly abstract: string;
  readonly canary: string;
  readonly source: string;
  readonly socket: string;
  /** A file of another execution. */
  readonly neighbour: string;
  /** The process that started the probes. */
  readonly parent?: number;
  /** Probes in Python that are left out, or all but which are. */
  readonly without?: readonly string[];
  readonly only?: readonly string[];
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
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-neighbour-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const neighbour = join(folder, 'secret');
  await writeFile(neighbour, canary);
  const address = tcp.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await openDatagram(`${abstract}-datagram`, scope);
  return {
    port,
    abstract,
    canary,
    source: join(import.meta.dirname, '../../runtime'),
    socket,
    neighbour,
  };
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

function probesFor(language: Language, world: World): string {
  const file = language === 'python' ? 'probes.py' : 'probes.mjs';
  const program = readFileSync(join(import.meta.dirname, file), 'utf8');
  return program.replace('%WORLD%', JSON.stringify(world));
}

/** Some probes fill memory and then go on. */
export const probeLimits = { ...noLimits, memoryMb: 512 } as const;

/** Name of each probe, and `open …` or `closed …`. */
export type Verdicts = ReadonlyMap<string, string>;

export async function attacked(
  sandbox: Sandbox,
  language: Language,
  world: World,
): Promise<Verdicts> {
  const program = probesFor(language, world);
  return verdictsOf(sandbox, request(language, program, { limits: probeLimits }));
}

async function verdictsOf(sandbox: Sandbox, asked: ExecRequest): Promise<Verdicts> {
  const { envelope, events } = await ran(sandbox, asked);
  expect(envelope.error).toBe(null);
  const said = events.map((event) => (event.kind === 'output' ? event.text : ''));
  return toVerdicts(said.join(''));
}

/** All probes in Python once more, by an interpreter that a program in JavaScript starts: whatever comes after it is held as well. */
export async function attackedByChild(sandbox: Sandbox, world: World): Promise<Verdicts> {
  const program = JSON.stringify(probesFor('python', { ...world, parent: 0 }));
  const code = `const { spawnSync } = require('node:child_process');
require('node:fs').writeFileSync('probes.py', ${program}.replace('"parent":0', '"parent":' + process.pid));
process.exit(spawnSync('python3', ['probes.py'], { stdio: 'inherit' }).status ?? 1);`;
  return verdictsOf(sandbox, request('javascript', code, { limits: probeLimits }));
}

/** The same probes by root, in a room of its own where everything they try can be had and nothing is spoilt. */
export async function unprotected(language: Language, world: World): Promise<Verdicts> {
  const room = join(import.meta.dirname, 'room.py');
  const runs = {
    python: ['/usr/bin/python3', '-'],
    javascript: [process.execPath, '--input-type=module', '-'],
  };
  const spaces = ['--mount', '--pid', '--ipc', '--uts', '--net', '--fork', '--mount-proc'];
  const argv = [...spaces, '/usr/bin/python3', room, JSON.stringify(world), ...runs[language]];
  const child = spawn('unshare', argv, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(probesFor(language, world));
  return toVerdicts(await text(child.stdout));
}

/** The same probes, or other code that tells verdicts, by the user of a task's executor, without its launcher. */
export async function inTask(
  language: Language,
  { world, place, code }: { world: World; place: TaskPlace; code?: string },
): Promise<Verdicts> {
  const program = code ?? probesFor(language, world);
  const argv = {
    python: ['python3', '-c', program],
    javascript: ['node', '--input-type=module', '-e', `${needsRequire}${program}`],
  };
  return toVerdicts(await bareIn(place, argv[language]));
}

/** Programs find it; modules do not. */
const needsRequire = `import { createRequire } from 'node:module'; const require = createRequire('/x.mjs');`;

function toVerdicts(said: string): Verdicts {
  return new Map(
    [...said.matchAll(/^(\w+) ((?:open|closed).*)$/gm)].map(([, name = '', found = '']) => [
      name,
      found,
    ]),
  );
}

export function open(verdicts: Verdicts): readonly string[] {
  return [...verdicts].filter(([, found]) => found.startsWith('open')).map(([name]) => name);
}

/** How many there are at least: one that is lost would go unnoticed. */
export const probesMin = { python: 302, javascript: 47 } as const;

/** Probes that cannot be shown to succeed here, and why; each of their walls is proven by its neighbours in the table. */
export const unprovable: Readonly<Record<string, string>> = {
  x32_numbers: 'most kernels are built without them; the filter kills, they only refuse',
  i386_numbers: 'some virtual machines have no 32-bit calls, and end who makes one',
  init_module: 'a kernel without modules answers as the filter does',
  finit_module: 'a kernel without modules answers as the filter does',
  delete_module: 'a kernel without modules answers as the filter does',
  kexec_load: 'a kernel without it answers as the filter does',
  kexec_file_load: 'a kernel without it answers as the filter does',
  ports_of_the_machine: 'kernels for virtual machines have none',
  all_ports_of_the_machine: 'kernels for virtual machines have none',
  reads_kernel_core: 'kernels for virtual machines have none',
  writes_sysrq: 'kernels for virtual machines have none',
  raises_its_limits: 'takes a capability that root in a virtual machine may lack',
  raises_its_chance_to_live: 'takes a capability that root in a virtual machine may lack',
};
