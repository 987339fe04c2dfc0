import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { executorFolder } from '../../supervisor/cell/executor-folder.ts';
import { launcherArgv, sandboxPaths } from '../../supervisor/cell/launcher-argv.ts';
import { FrameDecoder } from '../../supervisor/protocol/frame.ts';
import { protocolVersion } from '../../supervisor/protocol/messages.ts';

// proves: exec.node-options
test('the Node in use accepts every option of a JavaScript executor', async () => {
  const limits = { memoryMb: 512, fileMb: 64, workspaceMb: 64, processes: 64 };
  const kind = { language: 'javascript', limits, folders: [] } as const;
  const bare = { processes: false, memory: false };
  const argv = launcherArgv(kind, { python: 'python3', cpus: 1, socket: null, bare });
  const lines = (argv.at(-1) ?? '').split('\n').filter((line) => line.startsWith('exec '));
  const [node, ...rest] = lines.map((line) => line.slice('exec '.length));
  expect(node).toBe(sandboxPaths.node);
  const own = rest.map((word) => word.replace(sandboxPaths.executor, executorFolder()));
  expect(own.at(-1)).toBe(join(executorFolder(), 'harness.mjs'));
  const child = spawn(process.execPath, own, {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new Error('a pipe is a stream');
  const [chunk] = z.tuple([z.instanceof(Buffer)]).parse(await once(stream, 'data'));
  expect([...new FrameDecoder().push(chunk)]).toEqual([
    { type: 'hello', version: protocolVersion },
  ]);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
});
