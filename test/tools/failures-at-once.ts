import { relative } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';

/** For long runs: names a test as soon as it has failed, with the first line of each error. */
export default class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    const because = errors.map(({ message }) => `  ${message.split('\n', 1)[0]}`);
    const name = `failed: ${relative('', test.module.moduleId)}: ${test.fullName}`;
    process.stdout.write(`\n${[name, ...because].join('\n')}\n`);
  }
}
