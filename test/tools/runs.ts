import { randomInt } from 'node:crypto';

/** From this number whatever is drawn in tests is drawn: the same for a given commit, unless somebody asks for another. */
export const seed = toSeed(process.env['TIMELOOM_SEED'] ?? '1');

/** Factor by which the number of runs of each property is multiplied. */
export const factor = Number(process.env['TIMELOOM_RUNS'] ?? 1);

/** Factor for time limits: a part of the runs may take as long as all of them. */
export const patience = Math.max(1, factor);

/** How often something must have happened, where `usual` goes with all runs. */
export function share(usual: number): number {
  return usual * Math.min(1, factor);
}

/** Every case on every backend, as in the long run. */
export const isFullMatrix = process.env['TIMELOOM_MATRIX'] === 'full';

/** For `fc.assert`: how often a property is tried, at least `least` times. Without it, 100 times. */
export function runs(usual: number, least = 1): { readonly numRuns: number } {
  return { numRuns: Math.max(least, Math.ceil(usual * factor)) };
}

function toSeed(asked: string): number {
  return asked === 'random' ? randomInt(2 ** 31) : Number(asked);
}

/** After how many milliseconds a proxy cuts each connection; five seconds in the long run. */
export const cutMs = Number(process.env['TIMELOOM_CUT_MS'] ?? 400);
