import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The usual order, with the files that open a Fargate place spread over it: one place at a time can be open, and a file
 * that waits for it holds a worker up.
 */
export class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isTask = ({ moduleId }: TestSpecification) => moduleId.includes('fargate');
    const tasks = sorted.filter(isTask);
    const others = sorted.filter((file) => !isTask(file));
    const step = Math.ceil(others.length / (tasks.length + 1));
    return tasks.length === 0
      ? others
      : [...tasks.entries()].flatMap(([n, task]) => [
          task,
          ...others.slice(n * step, n === tasks.length - 1 ? undefined : (n + 1) * step),
        ]);
  }
}
