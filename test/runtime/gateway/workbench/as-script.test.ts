import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import { desk, openInspected } from './inspect-kit.ts';

// proves: workbench.as-script
test('a conversation becomes a scripted model and a test that passes', async () => {
  await using inspected = await openInspected();
  const { body } = await inspected.get('as-script');
  expect(body).toMatchObject({ replies: [{}, {}, {}], gaps: [] });
  const file = String(body['test']);
  const ran: string[] = [];
  await runFile(file, (name) => ran.push(name));
  expect(ran).toEqual(['the conversation goes as recorded']);
  const changed = file.replaceAll('toBe("The tunnel is older.")', 'toBe("Another answer.")');
  await expect(runFile(changed, () => undefined)).rejects.toThrow('Another answer.');
});

/** Runs a test file with what it imports. */
async function runFile(file: string, tell: (name: string) => void): Promise<void> {
  const { code } = await transform(file, { loader: 'ts', format: 'esm', target: 'es2022' });
  const body = code.replaceAll(/^import .*$/gm, '');
  const tests: Promise<void>[] = [];
  const register = (name: string, run: () => Promise<void>) => {
    tell(name);
    tests.push(run());
  };
  const run = compileFunction(body, ['openRuntime', 'outline', 'expect', 'test', 'bundle']);
  run(openRuntime, outline, expect, register, desk);
  await Promise.all(tests);
}
