/** Kills in all: a few by default, many in the long run. */
const total = Number(process.env['TIMELOOM_KILLS'] ?? 40);
const seed = Number(process.env['TIMELOOM_SEED'] ?? 1);
const part = (share: number) => Math.max(1, Math.round(total * share));

export const kills = {
  executors: part(0.5),
  workers: part(0.12),
  dockerExecutors: part(0.2),
  dockerSupervisors: part(0.12),
  dockerWorkers: part(0.06),
};

/** The same numbers for the same seed, from 0 to 1. */
export function* randoms(salt: number): Generator<number, never> {
  let state = seed + salt;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}
