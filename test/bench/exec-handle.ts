import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../runtime/adapters/directory/blob-store.ts';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { systemClock } from '../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { contract, noLimits, ran, request } from '../integration/exec-kit.ts';
import { type Figure, toFigure } from './figure.ts';

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;
/** What a process may need to pass a file on that is many times as large. */
const goalMb = 64;
const sampleMs = 5;

const program = `block = bytes(range(256)) * 4096
with open(f"{OUTPUT_DIR}/outputs/large.bin", "wb") as file:
    for _ in range(1024): file.write(block)`;

/** A file of 1 GiB out of a program by its handle: beside a copy of such a file, and the memory that took. */
export async function benchHandle(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-bench-'));
  try {
    const { ms, grownMb } = await delivered(folder);
    const theirs = await copied(folder);
    return [
      toFigure('exec.gibibyte_collected_vs_copy', { ours: [ms], theirs: [theirs], unit: 'ms' }),
      toFigure('exec.gibibyte_memory_vs_64_mib', {
        ours: [grownMb],
        theirs: [goalMb],
        unit: 'MiB',
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function delivered(folder: string): Promise<{ ms: number; grownMb: number }> {
  await using blobs = await openDirectoryBlobStore(join(folder, 'blobs'));
  await using sandbox = await openProcessSandbox({ blobs, clock: systemClock, log: silentLog });
  const limits = {
    ...noLimits,
    timeoutMs: 60_000,
    memoryMb: 4_096,
    fileMb: 1_100,
    workspaceMb: 1_200,
  };
  const asked = request('python', program, { limits, contract: contract('outputs/large.bin') });
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, sampleMs);
  const { envelope } = await ran(sandbox, asked);
  clearInterval(sampler);
  const size = envelope.artifacts[0]?.blob.size;
  if (size !== gibibyte) throw new Error(`the file was not delivered: ${envelope.report_text}`);
  return { ms: envelope.phases_ms.collect, grownMb: (highest - before) / mebibyte };
}

/** Of a file in memory, where a program's files are, to the same disk. */
async function copied(folder: string): Promise<number> {
  const memory = await mkdtemp('/dev/shm/timeloom-bench-');
  try {
    const from = join(memory, 'large.bin');
    await using file = await open(from, 'w');
    const block = Buffer.alloc(mebibyte, 1);
    for (let n = 0; n < gibibyte / mebibyte; n += 1) await file.write(block);
    const began = performance.now();
    await copyFile(from, join(folder, 'copy.bin'));
    return performance.now() - began;
  } finally {
    await rm(memory, { recursive: true });
  }
}
