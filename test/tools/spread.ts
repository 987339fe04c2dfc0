import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What opens a Fargate place, in folders of test/. */
export const fargatePlaces: readonly string[] = [
  'attack/fargate',
  'attack/kill/kill-fargate',
  'integration/fargate/pool',
  'integration/exec/fargate',
  'integration/exec/two-agents',
];

/** What takes longest of the rest. Those that start an engine of Docker stand between others. */
export const longest: readonly string[] = [
  ...['integration/exec/docker', 'attack/process', 'integration/server/plan-workers'],
  ...['attack/docker', 'e2e/studio/studio', 'attack/kill/kill-process', 'integration/exec/process'],
  ...['attack/kill/kill-docker', 'e2e/conversation', 'attack/fleet/fleet', 'e2e/live/bench-live'],
  ...['integration/exec/runsc', 'integration/server/servers', 'integration/timeline/stories'],
  ...['e2e/demo', 'integration/exec/load', 'e2e/bench', 'e2e/bench-memsearch', 'e2e/bench-cache'],
  ...['integration/cli/eval', 'integration/agents/agent-program', 'attack/protocol/flood'],
];

/**
 * What takes longest begins first: if it began last, the other workers would have nothing to do meanwhile. Then the usual
 * order, with the files that open a Fargate place spread over it: one place at a time can be open, and a file that waits
 * for it holds a worker up.
 */
export class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Each project has workers of its own.
    const fast = sorted.filter(({ project }) => project.name === 'fast');
    const real = sorted.filter(({ project }) => project.name !== 'fast');
    const places = real.filter((file) => fargatePlaces.some((name) => isOf(file, name)));
    const others = real.filter((file) => !places.includes(file));
    const long = longest.flatMap((name) => others.filter((file) => isOf(file, name)));
    const rest = [...long, ...others.filter((file) => !long.includes(file))];
    // The last of them is not among the last of all: nothing would run beside it.
    const between = Math.ceil(rest.length / (places.length + 2));
    const spread = places.flatMap((file, n) => [
      file,
      ...rest.slice(n * between, (n + 1) * between),
    ]);
    return [...fast, ...spread, ...rest.slice(places.length * between)];
  }
}

function isOf({ moduleId }: TestSpecification, name: string): boolean {
  return moduleId.endsWith(`/test/${name}.test.ts`);
}
