import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { acceptExecutor } from '../../../../supervisor/connection/proxy.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import { gatherMs, pipeBytesMax } from '../settings/limits.ts';
import { outputs, socketPath } from '../settings/settings.ts';
import { awaitKeeper, type KeeperClient } from './keeper-client.ts';

/** The executor of a task as its supervisor has it. */
export type ExecutorConnection = {
  readonly stream: Duplex;
  /** Both end when nothing of the executor has them open. */
  readonly output: Readonly<Record<'stdout' | 'stderr', AsyncIterable<Uint8Array>>>;
};

/** Who else is in a task, and may still have to come. */
export type PendingContainers = {
  readonly executor: Promise<ExecutorConnection>;
  /** It watches these rooms from then on. */
  readonly keeper: (rooms: readonly DiskQuota[]) => Promise<KeeperClient>;
};

/** The executor's pipes are there before its socket is: whoever connects finds them. */
export async function awaitContainers(): Promise<PendingContainers> {
  await promisify(execFile)('mkfifo', ['-m', '666', outputs.stdout, outputs.stderr]);
  const [stdout, stderr] = await Promise.all([openPipe(outputs.stdout), openPipe(outputs.stderr)]);
  return { executor: awaitExecutor({ stdout, stderr }), keeper: awaitKeeper };
}

type Pipe = {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly release: () => Promise<void>;
};

async function awaitExecutor(
  pipes: Record<'stdout' | 'stderr', Pipe>,
): Promise<ExecutorConnection> {
  const stream = await acceptExecutor(socketPath);
  const { stdout, stderr } = pipes;
  stream.once('close', () => {
    void Promise.all([stdout.release(), stderr.release()]);
  });
  return { stream, output: { stdout: stdout.bytes, stderr: stderr.bytes } };
}

/** Held open on this side until released: it neither waits for its first writer nor ends before there was one. */
async function openPipe(path: string): Promise<Pipe> {
  const held = await open(path, constants.O_RDWR);
  const handle = await open(path, constants.O_RDONLY);
  return { bytes: bytesOf(handle), release: () => held.close() };
}

/** After little has come, more is waited for a moment: a flood of short lines is not read line by line. */
async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  await using reading = handle;
  for (;;) {
    const { bytesRead, buffer } = await reading.read(Buffer.alloc(pipeBytesMax));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    if (bytesRead < pipeBytesMax / 2) await sleep(gatherMs);
  }
}
