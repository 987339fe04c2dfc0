import { expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { seed } from '../../tools/runs.ts';
import { type FleetRun, runFleet } from './fleet-run.ts';

const small = {
  gateways: 2,
  workers: 2,
  conversations: 40,
  atOnce: 20,
  mishaps: 9,
  pauseMs: 1_000,
};
/** As in the long run. */
const full = {
  ...{ gateways: 3, workers: 3, conversations: 1_000, atOnce: 200 },
  ...{ mishaps: 40, pauseMs: 1_500 },
};
const isFull = process.env['TIMELOOM_FLEET'] === 'full';
const run: FleetRun = isFull ? full : small;

// proves: topology.fleet, i3.durable-first, i3.gate, i2.one-writer
test(`${run.conversations} conversations with a fleet whose processes and services fail are answered: nothing is lost, doubled or reordered (TIMELOOM_SEED=${seed})`, {
  timeout: isFull ? 3_600_000 : 900_000,
  // A second try would hide a race.
  retry: 0,
}, async () => {
  await using scope = new Scope();
  const { talks, caused, faults } = await runFleet(run, { seed, scope });
  expect(faults).toEqual([]);
  expect(caused.length).toBeGreaterThan(run.mishaps / 2);
  expect(talks).toHaveLength(run.conversations);
});
