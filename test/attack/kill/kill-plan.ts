import { patient } from '../../tools/machine-speed.ts';
import { seed } from '../../tools/runs.ts';

/** Kills in all: a few by default, many in the long run. */
const total = Number(process.env['TIMELOOM_KILLS'] ?? 40);
const part = (share: number) => Math.max(1, Math.round(total * share));

export const kills = {
  executors: part(0.44),
  workers: part(0.1),
  dockerExecutors: part(0.16),
  dockerSupervisors: part(0.1),
  dockerCombined: part(0.06),
  dockerWorkers: part(0.05),
  fargateTasks: part(0.05),
  fargateWorkers: part(0.04),
};

/** For what a part needs around its kills, and for each kill: on a machine that is busy with much else. */
const aroundMsMax = patient(180_000);
const killMsMax = patient(60_000);

/** Milliseconds that a part with this number of kills may take. */
export function limitMs(count: number): number {
  return aroundMsMax + count * killMsMax;
}

/** The same numbers for the same seed, from 0 to 1. */
export function* randoms(salt: number): Generator<number, never> {
  let state = seed + salt;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** When a worker dies: so long after it has asked for an executor, or after the first effect of a program. */
export type Life = { readonly from: 'asked' | 'begun'; readonly ms: number };

/** About every third, while it waits for an executor, which takes so long; the others during effects. */
export function* lives(random: Generator<number, never>, waitMs: number): Generator<Life, never> {
  for (;;) {
    const [share, at] = [random.next().value, random.next().value];
    yield share < 1 / 3 ? { from: 'asked', ms: at * waitMs } : { from: 'begun', ms: at * 400 };
  }
}
