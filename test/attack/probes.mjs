// Tries to get out of a JavaScript program. Prints `name open …` or `name closed …` for each probe.

import { execFileSync } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import net from 'node:net';
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
  node_resolves: () => dns.resolve('example.com'),
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
  node_writes_core_pattern: () =>
    writeFileSync('/proc/sys/kernel/core_pattern', 'core', { flag: 'r+' }),
  node_raw_wrap: () => {
    const { TCP, constants } = process.binding('tcp_wrap');
    return new TCP(constants.SOCKET).bind('127.0.0.1', 0) === 0;
  },
};

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
