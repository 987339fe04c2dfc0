import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patient } from './machine-speed.ts';
import { runFolder } from './run-folder.ts';
import { patience, seed } from './runs.ts';
import { Spread } from './spread.ts';

// Those who draw, in processes of their own, use the seed printed here.
if (process.env['TIMELOOM_SEED'] === 'random') process.stdout.write(`TIMELOOM_SEED=${seed}\n`);
process.env['TIMELOOM_SEED'] = String(seed);
// Set here, workers inherit them, and how slow the machine is.
runFolder();
// Programs that tests start in other folders share it.
process.env['NODE_COMPILE_CACHE'] ??= join(
  import.meta.dirname,
  '../../node_modules/.cache/compiled',
);

const source = {
  resolve: { conditions: ['timeloom-source'] },
  ssr: { resolve: { conditions: ['timeloom-source'] } },
};
const real = ['contract', 'integration', 'e2e', 'attack'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const setupFiles = ['./test/tools/seeded.ts'];
/** A second try tells a busy machine from a fault; the reporter names what needed one. */
const realPatience = {
  testTimeout: patient(120_000 * patience),
  hookTimeout: patient(180_000),
  retry: 1,
  expect: { poll: { timeout: patient(100_000) } },
};

/** `fast` needs nothing but Node; `real` starts databases, sandboxes, browsers and built programs. */
export default defineConfig({
  test: {
    maxConcurrency: 4,
    sequence: { sequencer: Spread },
    reporters: ['default', './test/tools/plain-reporter.ts'],
    projects: [
      {
        ...source,
        test: {
          name: 'fast',
          // Nothing here changes a module for others, and loading each only once takes a third of the time.
          isolate: false,
          sequence: { groupOrder: 0 },
          // Without it, one worker: on two cores one would be idle.
          maxWorkers: '100%',
          include: ['test/**/*.test.ts', 'bundles/**/*.test.ts'],
          exclude: real,
          // Each takes far less; a machine that others share may take its time.
          testTimeout: patient(30_000 * patience),
          expect: { poll: { timeout: patient(20_000) } },
          setupFiles,
        },
      },
      {
        ...source,
        test: {
          name: 'real',
          // Files share the modules of their process, as above.
          isolate: false,
          sequence: { groupOrder: 1 },
          include: real,
          setupFiles: ['./test/tools/machine-ready.ts', ...setupFiles],
          ...realPatience,
          globalSetup: ['./test/tools/global-setup.ts'],
          // More than there are cores: some of them wait for what they have started. With six, virtual machines were busy changing
          // between processes.
          maxWorkers: 4,
        },
      },
    ],
  },
});
