import { expect, test } from 'vitest';
import { pullTool } from '../../../../runtime/tools/react/workspace/pull.ts';
import { openWorld, past, turn } from '../kit.ts';
import { envelope, execTool } from './kit.ts';

// proves: exec.not-pulled

const path = `fi:${past}.outputs/before.csv`;
const reads = readsFrom('t1');

function readsFrom(folder: string) {
  return {
    text: `open(f"{OUTPUT_DIR}/${folder}/outputs/before.csv")`,
    language: 'python' as const,
  };
}

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
  for (const folder of ['t1', past]) {
    const { preview } = await world.perform(fails, {}, { code: readsFrom(folder) });
    expect(preview).toContain(
      'Of other turns, and not brought by react.pull: fi:t1.outputs/before.csv',
    );
    expect(preview).not.toContain('other.csv');
  }
});

test('a program that failed for the id of a turn is told the name of its folder', async () => {
  const world = await worldWithFile();
  await world.perform(pullTool, { paths: [path] });
  const { preview } = await world.perform(fails, {}, { code: readsFrom(past) });
  expect(preview).toContain(`${past}/outputs/before.csv is t1/outputs/before.csv`);
});

test('nothing is said of a file that was brought, or that a program did without', async () => {
  const world = await worldWithFile();
  const without = await world.perform(works, {}, { code: reads });
  expect(without.preview).not.toContain('react.pull');
  await world.perform(pullTool, { paths: [path] });
  const brought = await world.perform(fails, {}, { code: reads });
  expect(brought.preview).not.toContain('react.pull');
});
