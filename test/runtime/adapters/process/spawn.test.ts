import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxHelper } from '../../../../runtime/adapters/process/helper.ts';
import { openInfoFile } from '../../../../runtime/adapters/process/info-file.ts';
import { openPipes } from '../../../../runtime/adapters/process/pipes.ts';
import { spawnSandbox } from '../../../../runtime/adapters/process/spawn.ts';

// proves: exec.early-hello
test('what an executor says while its worker is busy is heard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-spawn-'));
  const uid = process.getuid?.() || 65_534;
  await using helper = new SandboxHelper('/usr/bin/python3');
  const pipes = await openPipes(folder, { uid, helper });
  using info = await openInfoFile(folder);
  const argv = ['-c', 'printf hello >&3'];
  const starting = spawnSandbox('/bin/sh', { argv, uid, pipes, info, filter: '/dev/null' });
  // As on a machine where the worker gets no processor: the process has spoken and ended before its next turn.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const { stream, exitCode } = await starting;
  // The worker's turns go on.
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(String(chunk));
  expect(chunks.join('')).toBe('hello');
  expect(await exitCode).toBe(0);
  for (const { read } of pipes) read.destroy();
  await rm(folder, { recursive: true });
});
