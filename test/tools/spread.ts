import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What opens a Fargate place, by name. */
const opensPlace = /\/(exec\/fargate|fargate\/pool|kill-fargate|attack\/fargate)\.test\.ts$/;

/**
 * The usual order, with the files that open a Fargate place spread over it: one place at a time can be open, and a file
 * that waits for it holds a worker up.
 */
export class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const others = sorted.filter(({ moduleId }) => !opensPlace.test(moduleId));
    const places = sorted.filter(({ moduleId }) => opensPlace.test(moduleId));
    // Each project has workers of its own.
    const fast = others.filter(({ project }) => project.name === 'fast');
    const real = others.filter(({ project }) => project.name !== 'fast');
    // The last of them is not the last of all: nothing would run beside it.
    const between = Math.ceil(real.length / (places.length + 1));
    const spread = places.flatMap((file, n) => [
      file,
      ...real.slice(n * between, (n + 1) * between),
    ]);
    return [...fast, ...spread, ...real.slice(places.length * between)];
  }
}
