import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { processMemory } from '../../tools/process-memory.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';

/** In MiB: 1.3 times what `npm run bench:embedded` has to show. */
const idleMax = 1.3 * 300;
const peakMax = 1.3 * 450;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-memory-'));
});
afterEach(() => rm(dir, { recursive: true }));

// proves: embedded.memory, exec.present
test(
  'a server that nobody uses takes little memory and keeps no executor; one waits for a client',
  async () => {
    await using server = await startServe({ TIMELOOM_DATA_DIR: dir, TIMELOOM_LOG: 'warn' });
    const children = async () => (await processMemory(server.pid)).children.join('\n');
    await expect.poll(children).not.toMatch(/harness|esbuild --service/);
    const memory = await processMemory(server.pid);
    expect(memory.idle).toBeLessThan(idleMax);
    expect(memory.peak).toBeLessThan(peakMax);

    const client = io(server.url, { auth: { tenant: 'dev', project: 'dev', user: 'ada' } });
    onTestFinished(() => void client.close());
    await expect.poll(children).toContain('harness');
  },
  serverTestsMsMax,
);
