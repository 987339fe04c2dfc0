import { expect, test } from 'vitest';
import { pullTool } from '../../../../runtime/tools/react/pull.ts';
import { openWorld, past, turn } from '../kit.ts';
import { envelope, execTool } from './kit.ts';

// proves: exec.not-pulled

const path = `fi:${past}.outputs/before.csv`;
const reads = {
  text: `open(f"{OUTPUT_DIR}/${past}/outputs/before.csv")`,
  language: 'python' as const,
};
const fails = execTool(async function* (request) {
  yield envelope(request, { error: { code: 'program_failed', message: 'no such file' } });
});
const works = execTool(async function* (request) {
  yield envelope(request);
});

async function worldWithFile() {
  const world = await openWorld();
  await world.file(path, 'a;b');
  await world.file(`fi:${past}.outputs/other.csv`, 'c;d');
  await world.file(`fi:${turn}.outputs/own.csv`, 'e;f');
  return world;
}

test('a program that failed for a file of another turn is told how to bring it', async () => {
  const world = await worldWithFile();
  const { preview } = await world.perform(fails, {}, { code: reads });
  expect(preview).toContain(`Of other turns, and not brought by react.pull: ${path}`);
  expect(preview).not.toContain('other.csv');
});

test('nothing is said of a file that was brought, or that a program did without', async () => {
  const world = await worldWithFile();
  const without = await world.perform(works, {}, { code: reads });
  expect(without.preview).not.toContain('react.pull');
  await world.perform(pullTool, { paths: [path] });
  const brought = await world.perform(fails, {}, { code: reads });
  expect(brought.preview).not.toContain('react.pull');
});
