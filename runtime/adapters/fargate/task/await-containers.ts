import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { acceptExecutor } from '../../../../supervisor/connection/proxy.ts';
import type { Room } from '../keeper/disk-quota.ts';
import { gatherMs, pipeBytesMax } from '../settings/limits.ts';
import { outputs, socketPath } from '../settings/settings.ts';
import { awaitKeeper, type Keeper } from './keeper-client.ts';

/** The executor of a task as its supervisor has it. */
export type Arrived = {
  readonly stream: Duplex;
  /** Both end when nothing of the executor has them open. */
  readonly printed: Readonly<Record<'stdout' | 'stderr', AsyncIterable<Uint8Array>>>;
};

/** Who else is in a task, and may still have to come. */
export type Arriving = {
  readonly executor: Promise<Arrived>;
  /** It watches these rooms from then on. */
  readonly keeper: (rooms: readonly Room[]) => Promise<Keeper>;
};

/** The executor's pipes are there before its socket is: whoever connects finds them. */
export async function awaitOthers(): Promise<Arriving> {
  await promisify(execFile)('mkfifo', ['-m', '666', outputs.stdout, outputs.stderr]);
  const [stdout, stderr] = await Promise.all([pipe(outputs.stdout), pipe(outputs.stderr)]);
  return { executor: arrived({ stdout, stderr }), keeper: awaitKeeper };
}

type Pipe = {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly release: () => Promise<void>;
};

async function arrived(pipes: Record<'stdout' | 'stderr', Pipe>): Promise<Arrived> {
  const stream = await acceptExecutor(socketPath);
  const { stdout, stderr } = pipes;
  stream.once('close', () => {
    void Promise.all([stdout.release(), stderr.release()]);
  });
  return { stream, printed: { stdout: stdout.bytes, stderr: stderr.bytes } };
}

/** Held open on this side until released: it neither waits for its first writer nor ends before there was one. */
async function pipe(path: string): Promise<Pipe> {
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
