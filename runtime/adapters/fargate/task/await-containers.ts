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

/** The executor of a task as its supervisor sees it. */
export type ExecutorConnection = {
  readonly stream: Duplex;
  /** Each ends when no process of the executor has it open. */
  readonly output: Readonly<Record<'stdout' | 'stderr', AsyncIterable<Uint8Array>>>;
};

/** The other containers of a task, which may still be starting. */
export type PendingContainers = {
  readonly executor: Promise<ExecutorConnection>;
  /** Connects to the keeper and lets it watch these quotas. */
  readonly keeper: (quotas: readonly DiskQuota[]) => Promise<KeeperClient>;
};

/** Creates the executor's pipes before its socket, so that they exist when it connects. */
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

/** Kept open on this side until released: opening does not wait for a writer, and the pipe does not end before it has had one. */
async function openPipe(path: string): Promise<Pipe> {
  const held = await open(path, constants.O_RDWR);
  const handle = await open(path, constants.O_RDONLY);
  return { bytes: bytesOf(handle), release: () => held.close() };
}

/** Waits a moment after a short read, so that many short lines are not read one by one. */
async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  await using reading = handle;
  for (;;) {
    const { bytesRead, buffer } = await reading.read(Buffer.alloc(pipeBytesMax));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    if (bytesRead < pipeBytesMax / 2) await sleep(gatherMs);
  }
}
