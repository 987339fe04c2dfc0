import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectoryBlobStore } from '../../../runtime/adapters/directory/blob-store.ts';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { BlobRef } from '../../../runtime/timeline/block.ts';
import { toCallId, toTurnId } from '../../../runtime/timeline/ids.ts';
import type { BlobStore } from '../../../runtime/timeline/ports/blobs.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { createDraftCollector } from '../../../runtime/tools/services/draft-collector.ts';
import { writeFile } from '../../../runtime/tools/services/turn-files.ts';
import { contract, echoHost, noLimits, ran, request } from '../../integration/exec/kit.ts';
import { type Figure, toFigure } from '../figure.ts';

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;
/** What a process may need to pass a file on that is many times as large. */
const goalMb = 64;
const sampleMs = 5;

const limits = {
  ...noLimits,
  timeoutMs: 60_000,
  memoryMb: 4_096,
  fileMb: 1_100,
  workspaceMb: 1_200,
};

const writes = `block = bytes(range(256)) * 4096
with open(f"{OUTPUT_DIR}/outputs/large.bin", "wb") as file:
    for _ in range(1024): file.write(block)`;

const opens = `import os, time
began = time.perf_counter()
path = await ctx_tools.fetch_file("fi:turn_1.outputs/large.bin")
print(os.path.getsize(path), (time.perf_counter() - began) * 1000)`;

/** A file of 1 GiB by its handle, out of a program and into one: beside a copy of such a file, and the memory that took. */
export async function benchHandle(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-bench-'));
  try {
    await using blobs = await openDirectoryBlobStore(join(folder, 'blobs'));
    await using sandbox = await openProcessSandbox({ blobs, clock: systemClock, log: silentLog });
    const before = process.memoryUsage.rss();
    const out = await remembered(before, () => delivered(sandbox));
    const into = await remembered(before, () => handed(sandbox, out.blob));
    const wrote = await remembered(before, () => written(blobs));
    const theirs = [await copied(folder)];
    const memory = { theirs: [goalMb], unit: 'MiB' } as const;
    return [
      toFigure('exec.gibibyte_collected_vs_copy', { ours: [out.ms], theirs, unit: 'ms' }),
      toFigure('exec.gibibyte_memory_vs_64_mib', { ours: [out.grownMb], ...memory }),
      toFigure('exec.gibibyte_handed_vs_copy', { ours: [into.ms], theirs, unit: 'ms' }),
      toFigure('exec.gibibyte_handed_memory_vs_64_mib', { ours: [into.grownMb], ...memory }),
      toFigure('exec.gibibyte_written_vs_copy', { ours: [wrote.ms], theirs, unit: 'ms' }),
      toFigure('exec.gibibyte_written_memory_vs_64_mib', { ours: [wrote.grownMb], ...memory }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** By how much this process, which is worker and supervisor, was larger meanwhile than `before`. */
async function remembered<T>(
  before: number,
  act: () => Promise<T>,
): Promise<T & { grownMb: number }> {
  let highest = before;
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, sampleMs);
  try {
    const done = await act();
    return { ...done, grownMb: (highest - before) / mebibyte };
  } finally {
    clearInterval(sampler);
  }
}

/** By a tool, as a stream. */
async function written(blobs: BlobStore): Promise<{ ms: number }> {
  const turn = toTurnId('turn_00000000000000000001');
  const collector = createDraftCollector({ turn, call: toCallId('tc_1') });
  const scope = { tenant: 'test', project: 'bench' };
  const { signal } = new AbortController();
  const began = performance.now();
  const file = { filepath: 'outputs/large.bin', bytes: blocks() };
  const { size } = await writeFile(file, { collector, turn, scope, blobs, signal });
  if (size !== gibibyte) throw new Error(`${size} bytes were written`);
  return { ms: performance.now() - began };
}

async function* blocks(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < gibibyte / mebibyte; n += 1) yield Buffer.alloc(mebibyte, n % 251);
}

/** Out of a program that writes it. */
async function delivered(sandbox: Sandbox): Promise<{ ms: number; blob: BlobRef }> {
  const asked = request('python', writes, { limits, contract: contract('outputs/large.bin') });
  const { envelope } = await ran(sandbox, asked);
  const blob = envelope.artifacts[0]?.blob;
  if (blob?.size !== gibibyte)
    throw new Error(`the file was not delivered: ${envelope.report_text}`);
  return { ms: envelope.phases_ms.collect, blob };
}

/** Into a program that asks for it while it runs. */
async function handed(sandbox: Sandbox, blob: BlobRef): Promise<{ ms: number }> {
  const findFile = async () => ({ filename: 'large.bin', blob });
  const asked = request('python', opens, { limits });
  const { envelope } = await ran(sandbox, asked, { host: { ...echoHost, findFile } });
  const [size, ms] = envelope.user_out_tail.split(' ').map(Number);
  if (size !== gibibyte || ms === undefined)
    throw new Error(`the file was not handed: ${envelope.report_text}`);
  return { ms };
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
