import { Worker } from 'node:worker_threads';
import { memoryCheckMs } from '../rpc/limits.ts';

/**
 * Ends this process and everything it started when the stream on `descriptor` closes, because the worker is gone, or when it
 * uses more memory than allowed. Runs in a thread, as CommonJS text, because the bundle's code may be in an endless loop.
 */
const guard = `
'use strict';
const { writeSync } = require('node:fs');
const { Socket } = require('node:net');
const { workerData: { descriptor, bytesMax, memoryCheckMs } } = require('node:worker_threads');
function end(why) {
  // The other end may be closed as well.
  try { writeSync(2, why + '\\n'); } catch {}
  process.kill(-process.pid, 'SIGKILL');
}
const worker = new Socket({ fd: descriptor });
worker.on('error', () => undefined);
worker.on('close', () => end('the worker is gone'));
worker.resume();
setInterval(() => {
  if (process.memoryUsage.rss() > bytesMax) end('it uses more than ' + bytesMax + ' bytes of memory');
}, memoryCheckMs);
`;

export function guardProcess(options: { descriptor: number; bytesMax: number }): void {
  const thread = new Worker(guard, {
    eval: true,
    execArgv: [],
    workerData: { ...options, memoryCheckMs },
  });
  thread.unref();
}
