import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processMemory } from '../tools/process-memory.ts';
import { startServe } from '../tools/serve.ts';
import type { Area } from './area.ts';
import { toFigure } from './figure.ts';

/** In MiB and milliseconds: what an idle laptop should notice least. */
const goals = { idle: 300, peak: 450, start: 4_000 };
type Measurement = Readonly<Record<keyof typeof goals, number>>;

/** As long as V8 optimizes what a start uses. */
const settleMs = 30_000;
const starts = 3;

/**
 * The embedded server as an operator starts it for the first time, in an empty folder, while nobody uses it: its memory
 * with everything that it has started, its peak, and the time to its first line. Beside the goals.
 */
export const benchEmbedded: Area = async () => {
  const measured: Measurement[] = [];
  for (let n = 0; n < starts; n += 1) measured.push(await firstStart());
  const figure = (name: keyof typeof goals, unit: string) =>
    toFigure(`embedded.${name}_vs_goal`, {
      ours: measured.map((one) => one[name]),
      theirs: measured.map(() => goals[name]),
      unit,
    });
  return { figures: [figure('idle', 'MiB'), figure('peak', 'MiB'), figure('start', 'ms')] };
};

async function firstStart(): Promise<Measurement> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-bench-'));
  try {
    const startedMs = performance.now();
    await using server = await startServe({ TIMELOOM_DATA_DIR: dir, TIMELOOM_LOG: 'warn' });
    const start = performance.now() - startedMs;
    await setTimeout(settleMs);
    const { idle, peak } = await processMemory(server.pid);
    return { idle, peak, start };
  } finally {
    await rm(dir, { recursive: true });
  }
}
