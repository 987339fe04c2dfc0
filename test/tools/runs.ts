import { randomInt } from 'node:crypto';

/** From this number whatever is drawn in tests is drawn: the same for a given commit, unless somebody asks for another. */
export const seed = toSeed(process.env['TIMELOOM_SEED'] ?? '1');

/** Factor by which the number of runs of each property is multiplied. */
export const factor = Number(process.env['TIMELOOM_RUNS'] ?? 1);

/** Every case on every backend, as in the long run. */
export const isFullMatrix = process.env['TIMELOOM_MATRIX'] === 'full';

/** For `fc.assert`: how often a property is tried. Without it, 100 times. */
export function runs(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(usual * factor) };
}

function toSeed(asked: string): number {
  return asked === 'random' ? randomInt(2 ** 31) : Number(asked);
}

/** After how many milliseconds a proxy cuts each connection; five seconds in the long run. */
export const cutMs = Number(process.env['TIMELOOM_CUT_MS'] ?? 400);
