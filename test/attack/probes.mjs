// Tries to get out of a JavaScript program. Prints `name open …` or `name closed …` for each probe.

import { execFileSync, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import inspector from 'node:inspector';
import net from 'node:net';
import { networkInterfaces, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

const world = JSON.parse('%WORLD%');

const connected = async (options) => {
  const socket = net.connect(options);
  await once(socket, 'connect');
  socket.destroy();
  return true;
};
const listening = async (...address) => {
  const server = net.createServer().listen(...address);
  await once(server, 'listening');
  server.close();
  return true;
};

const probes = {
  node_connects: () => connected({ port: world.port, host: '127.0.0.1' }),
  node_connects_abstract: () => connected({ path: `\0${world.abstract}` }),
  node_listens: () => listening(0, '127.0.0.1'),
  node_listens_unix: () => listening('/tmp/attack.sock'),
  node_listens_abstract: () => listening('\0timeloom-attack-from-inside'),
  node_fetches: () =>
    fetch(`http://127.0.0.1:${world.port}/`, { signal: AbortSignal.timeout(2_000) }),
  node_datagram: async () => {
    const socket = dgram.createSocket('udp4').bind(0);
    await once(socket, 'listening');
    socket.close();
    return true;
  },
  node_resolves: () => {
    const resolver = new dns.Resolver({ timeout: 1_000, tries: 1 });
    resolver.setServers(['127.0.0.53']);
    // Any answer means that the question got out.
    return resolver.resolve4('example.com').catch(({ code }) => {
      if (['EBADRESP', 'ENODATA', 'ENOTFOUND', 'EFORMERR'].includes(code)) return true;
      throw new Error(code);
    });
  },
  node_inspector: () => {
    inspector.open(0, '127.0.0.1');
    const url = inspector.url();
    inspector.close();
    return url !== undefined;
  },
  node_worker_connects: async () => {
    const code = `const s = require('net').connect(${world.port}, '127.0.0.1');
      s.on('connect', () => { s.destroy(); parentPort.postMessage(true) }).on('error', () => parentPort.postMessage(false))`;
    const worker = new Worker(`const { parentPort } = require('worker_threads');${code}`, {
      eval: true,
      execArgv: [],
    });
    return (await once(worker, 'message'))[0];
  },
  node_child_connects: () =>
    execFileSync(
      process.execPath,
      [
        '-e',
        `require('net').connect(${world.port}, '127.0.0.1')
      .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`,
      ],
      { stdio: 'pipe' },
    ).length >= 0,
  node_sees_secrets: () =>
    `${JSON.stringify(process.env)}${readFileSync('/proc/1/environ')}`.includes(world.canary),
  node_sees_the_runtime: () => readdirSync(world.source).length > 0,
  node_writes_core_pattern: () => opened('/proc/sys/kernel/core_pattern', 'r+'),
  node_raw_wrap: () => {
    const { TCP, constants } = process.binding('tcp_wrap');
    return new TCP(constants.SOCKET).bind('127.0.0.1', 0) === 0;
  },
};

const ran = (...argv) => execFileSync(argv[0], argv.slice(1), { stdio: 'pipe' }).length >= 0;
const opened = (path, flags) => {
  const descriptor = openSync(path, flags);
  closeSync(descriptor);
  return descriptor >= 0;
};

Object.assign(probes, {
  node_connects_metadata: () => connected({ port: 80, host: '169.254.169.254' }),
  node_connects_public: () => connected({ port: 443, host: '8.8.8.8' }),
  node_connects_6: () => connected({ port: 80, host: '::1' }),
  node_fetches_metadata: () =>
    fetch('http://169.254.169.254/latest/meta-data/', { signal: AbortSignal.timeout(2_000) }),
  node_datagram_6: async () => {
    const socket = dgram.createSocket('udp6').bind(0);
    await once(socket, 'listening');
    socket.close();
    return true;
  },
  node_serves_http: async () => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    return true;
  },
  node_child_unshares: () => ran('unshare', '--net', 'true'),
  node_child_unshares_user: () => ran('unshare', '--user', 'true'),
  node_child_mounts: () => ran('mount', '-t', 'tmpfs', 'none', '/mnt'),
  node_child_changes_root: () => ran('chroot', '/', 'true'),
  node_child_makes_a_device: () => ran('mknod', '/tmp/node-device', 'b', '254', '0'),
  node_child_is_in_another_network: () => ran('nsenter', '--target', '1', '--net', 'true'),
  node_becomes_root: () => {
    process.setgroups([0]);
    process.setuid(0);
    return process.getuid() === 0;
  },
  node_reads_shadow: () => opened('/etc/shadow', 'r'),
  node_reads_kernel_log: () => opened('/proc/kmsg', 'r'),
  node_opens_a_terminal: () => opened('/dev/ptmx', 'r+'),
  node_reads_neighbour: () => opened(world.neighbour, 'r'),
  node_writes_usr: () => opened('/usr/bin/env', 'r+'),
  node_writes_overcommit: () => opened('/proc/sys/vm/overcommit_memory', 'r+'),
  node_raises_its_priority: () => {
    setPriority(0, -10);
    return true;
  },
  node_slows_another: () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 10_000)']);
    try {
      setPriority(child.pid, 1);
      return true;
    } finally {
      child.kill('SIGKILL');
    }
  },
  node_sees_networks: () => Object.keys(networkInterfaces()).length > 0,
  node_loads_the_inspector_of_another: () => {
    const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', '-e', '0']);
    return new Promise((settle) => {
      child.stderr.on('data', (text) => {
        if (String(text).includes('listening on')) settle(true);
      });
      child.on('exit', () => settle(false));
    }).finally(() => child.kill('SIGKILL'));
  },
});

const supervisor = '/run/timeloom/supervisor.sock';
/** Other processes in the same room; most rooms have none. */
const neighbours = readdirSync('/proc')
  .filter((name) => /^\d+$/.test(name))
  .map(Number)
  .filter((pid) => pid !== process.pid && pid !== process.ppid);
const anyOf = (act, pids = neighbours) =>
  pids.some((pid) => {
    try {
      return act(pid) !== false;
    } catch {
      return false;
    }
  });

Object.assign(probes, {
  node_reads_neighbours_environment: () =>
    anyOf((pid) => readFileSync(`/proc/${pid}/environ`).length > 0),
  node_reads_neighbours_memory: () => anyOf((pid) => opened(`/proc/${pid}/mem`, 'r')),
  node_reads_neighbours_descriptors: () => anyOf((pid) => readdirSync(`/proc/${pid}/fd`).length),
  node_reads_neighbours_root: () => anyOf((pid) => readdirSync(`/proc/${pid}/root`).length),
  node_writes_neighbours_memory: () => anyOf((pid) => opened(`/proc/${pid}/mem`, 'r+')),
  node_debugs_a_neighbour: () => {
    // The first process of a room gets no signal that it does not handle, whichever process sends it.
    const beside = neighbours.filter((pid) => pid !== 1);
    return anyOf((pid) => process._debugProcess(pid), beside);
  },
  node_ends_a_neighbour: async () => {
    anyOf((pid) => !process.kill(pid, 'SIGKILL'));
    await new Promise((settle) => setTimeout(settle, 100));
    return anyOf((pid) => /^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1')));
  },
  node_connects_to_the_supervisor: () => connected({ path: supervisor }),
  node_listens_beside_the_supervisor: () => listening(`${supervisor}.2`),
});

for (const [name, probe] of Object.entries(probes)) {
  let text;
  try {
    text = (await probe()) === false ? 'closed' : 'open';
  } catch (error) {
    text = `closed ${String(error.message ?? error)
      .replaceAll('\n', ' ')
      .slice(0, 200)}`;
  }
  console.log(name, text);
}
process.exit(0);
