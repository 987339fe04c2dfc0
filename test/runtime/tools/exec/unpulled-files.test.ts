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

test('the error of a program that lacks a file of another turn says how to get it', async () => {
  const world = await worldWithFile();
  for (const folder of ['t1', past]) {
    const { preview } = await world.perform(fails, {}, { code: readsFrom(folder) });
    expect(preview).toContain(
      'Not there, but it can be opened: await ctx_tools.fetch_file("fi:t1.outputs/before.csv")',
    );
    expect(preview).not.toContain('other.csv');
  }
});

test.each([
  "FileNotFoundError: [Errno 2] No such file or directory: '/out/outputs/before.csv'",
  "Error: ENOENT: no such file or directory, open '/out/outputs/before.csv'",
])('a program that looked in the wrong folder reads how to open the file: %s', async (message) => {
  const world = await worldWithFile();
  const failed = execTool(async function* (request) {
    yield envelope(request, { error: { code: 'program_failed', message } });
  });
  const code = { text: 'open(f"{OUTPUT_DIR}/outputs/{name}")', language: 'python' as const };
  const { preview } = await world.perform(failed, {}, { code });
  expect(preview).toContain(
    'Not there, but it can be opened: await ctx_tools.fetch_file("fi:t1.outputs/before.csv")',
  );
  expect(preview).not.toContain('other.csv');
});

test('a file of the contract, which starts out missing, can be opened as well', async () => {
  const world = await worldWithFile();
  const message = "No such file or directory: '/out/outputs/own.csv'";
  const failed = execTool(async function* (request) {
    yield envelope(request, { error: { code: 'program_failed', message } });
  });
  const code = { text: 'open(name)', language: 'python' as const };
  const { preview } = await world.perform(failed, {}, { code });
  expect(preview).toMatch(/fetch_file\("fi:t\d\.outputs\/own\.csv"\)/);
});

test('the error of a program that used the id of a turn names the folder of the turn', async () => {
  const world = await worldWithFile();
  await world.perform(pullTool, { paths: [path] });
  const { preview } = await world.perform(fails, {}, { code: readsFrom(past) });
  expect(preview).toContain(`${past}/outputs/before.csv is t1/outputs/before.csv`);
});

test('a file that was pulled, or that a program did not need, gives no hint', async () => {
  const world = await worldWithFile();
  const without = await world.perform(works, {}, { code: reads });
  expect(without.preview).not.toContain('fetch_file');
  await world.perform(pullTool, { paths: [path] });
  const brought = await world.perform(fails, {}, { code: reads });
  expect(brought.preview).not.toContain('fetch_file');
});
