import { defineConfig } from 'vitest/config';
import { runFolder } from './run-folder.ts';
import { factor, seed } from './runs.ts';

// Those who draw, in processes of their own, draw from the seed that is told here.
if (process.env['TIMELOOM_SEED'] === 'random') process.stdout.write(`TIMELOOM_SEED=${seed}\n`);
process.env['TIMELOOM_SEED'] = String(seed);
// Set here, workers inherit it.
runFolder();

const source = {
  resolve: { conditions: ['timeloom-source'] },
  ssr: { resolve: { conditions: ['timeloom-source'] } },
};
const real = ['contract', 'integration', 'e2e', 'attack'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const tasks = ['fargate', 'docker', 'runsc'].map((engine) => `test/**/*${engine}*.test.ts`);
const setupFiles = ['./test/tools/seeded.ts'];
/** A second try tells a busy machine from a fault; the reporter names what needed one. */
const patience = { testTimeout: 120_000 * factor, hookTimeout: 180_000, retry: 1 };
const shared = { globalSetup: ['./test/tools/global-setup.ts'] };

/**
 * `fast` needs nothing but Node; `real` starts databases, sandboxes, browsers and built programs. In `tasks` containers
 * run, which share limits of the machine that each has for itself elsewhere: one file at a time.
 */
export default defineConfig({
  test: {
    maxConcurrency: 4,
    reporters: ['default', './test/tools/plain-reporter.ts'],
    projects: [
      {
        ...source,
        test: {
          name: 'fast',
          // Nothing here changes a module for others, and loading each only once takes a third of the time.
          isolate: false,
          sequence: { groupOrder: 0 },
          include: ['test/**/*.test.ts', 'bundles/**/*.test.ts'],
          exclude: real,
          // Each takes far less; a machine that others share may take its time.
          testTimeout: 30_000 * factor,
          setupFiles,
        },
      },
      {
        ...source,
        test: {
          name: 'real',
          sequence: { groupOrder: 1 },
          include: real,
          exclude: tasks,
          setupFiles,
          ...patience,
          ...shared,
          maxWorkers: 2,
        },
      },
      {
        ...source,
        test: {
          name: 'tasks',
          sequence: { groupOrder: 2 },
          include: tasks,
          // A folder of fast tests has the name too.
          exclude: ['test/runtime/**'],
          setupFiles,
          ...patience,
          ...shared,
          maxWorkers: 1,
        },
      },
    ],
  },
});
