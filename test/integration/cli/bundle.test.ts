import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connect } from '../../../runtime/client/index.ts';
import { root } from '../../architecture/tree.ts';
import { runCommand } from '../../tools/command.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { systemEnv } from '../../tools/system-env.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

let place: Place;
let dir = '';
/** What a new bundle in a folder of this checkout finds without being installed. */
beforeAll(async () => {
  place = await openPlace();
  dir = join(root, 'dist', `test-bundles-${process.pid}`);
  await mkdir(dir, { recursive: true });
  const made = await place.run(['bundle', 'new', 'my-desk', '--in', dir]);
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toMatch(
    /^Created .*my-desk\n {2}bundle\.test\.ts\n {2}bundle\.ts\n {2}main\.md\n/,
  );
  expect(made.stdout).toMatch(/Next:\n.*bundle check dist\/.*\n.*vitest run .*\n.*bundle dev /);
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await place[Symbol.asyncDispose]();
});

const findingsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) => JSON.parse(line) as { level: string; what: string; places: string[]; says: string },
    );

// proves: cli.bundle-new
test('a new bundle has nothing wrong, its test passes, and it answers as a server', async () => {
  const checked = await place.run(['bundle', 'check', join(dir, 'my-desk')]);
  expect(checked).toEqual({ code: 0, stdout: '✓ my-desk 1.0.0: no problems found\n', stderr: '' });

  const runner = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [runner, 'run', '--root', join(dir, 'my-desk')], {
    env: { ...systemEnv(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  expect(await text(child.stdout)).toMatch(/Tests {2}3 passed \(3\)/);
  await gone;
  expect(child.exitCode).toBe(0);

  const look = 'call: { tool: my_desk.opening_hours, input: { day: monday } }';
  const script = await place.write({ 'desk.yaml': `- ${look}\n- answer: Until five.\n` });
  const model = { TIMELOOM_MODEL: `scripted:${script}`, TIMELOOM_BUNDLES: join(dir, 'my-desk') };
  await using server = await startServe({ ...place.env, ...model });
  await using client = connect({ url: server.url, user: 'ann' });
  const turn = await client.conversation().send('How long on Monday?');
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'Until five.' });
});

test('a name that is none and a folder that is there are refused, and nothing is made', async () => {
  const before = await readFile(join(dir, 'my-desk/bundle.ts'), 'utf8');
  for (const [name, because] of [
    ['My_Desk', 'use kebab-case'],
    ['../desk', 'use kebab-case'],
    ['react', 'is reserved'],
    ['a'.repeat(65), 'at most 64'],
    ['my-desk', 'already exists'],
  ] as const) {
    const { code, stdout, stderr } = await place.run(['bundle', 'new', name, '--in', dir]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(because)]);
  }
  expect(await readFile(join(dir, 'my-desk/bundle.ts'), 'utf8')).toBe(before);
  const file = join(dir, 'my-desk/bundle.ts');
  const { code, stderr } = await place.run(['bundle', 'new', 'desk', '--in', file]);
  expect([code, stderr]).toEqual([
    2,
    `${file} is not a folder; choose another one with --in DIR\n`,
  ]);
  for (const args of [['bundle'], ['bundle', 'fly'], ['bundle', 'new'], ['bundle', 'check']]) {
    const { code, stderr } = await place.run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('timeloom bundle new NAME')]);
  }
});

test('outside of the package a new bundle says what npm is to install', async () => {
  const { code, stdout } = await runCommand(['bundle', 'new', 'far-desk', '--json'], {
    cwd: place.dir,
  });
  expect(code).toBe(0);
  const made = JSON.parse(stdout) as { made: string; files: string[]; next: string[] };
  expect(made.files).toContain('package.json');
  expect(made.next).toEqual([
    ...['cd far-desk && npm install', 'npm test', 'npm run talk', 'npm run check', 'npm run dev'],
  ]);
  const manifest: unknown = JSON.parse(await readFile(join(made.made, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    name: 'far-desk',
    scripts: { check: 'timeloom bundle check .' },
    devDependencies: { timeloom: expect.stringMatching(/^file:/) as string },
  });
  // Before that, only what is not there yet is missing.
  const checked = await place.run(['bundle', 'check', made.made, '--json']);
  expect(checked.code).toBe(1);
  expect(findingsOf(checked.stdout)).toEqual([
    expect.objectContaining({
      ...{ level: 'error', what: 'types', places: ['bundle.test.ts:2:30'] },
      fix: 'is vitest installed? Run npm install in the bundle’s folder',
    }),
  ]);
});

// proves: cli.bundle-check
test('a folder with nothing but a bundle.ts has no type errors, and its own mistakes are found', async () => {
  const bare = join(place.dir, 'bare-desk');
  await mkdir(bare);
  const source = (version: string) =>
    `import { defineAgent, defineBundle } from 'timeloom/sdk';
const main = defineAgent({ id: 'main', instruction: 'Help.' });
export const bundle = defineBundle({ id: 'bare-desk', version: ${version}, agents: [main] });\n`;
  await writeFile(join(bare, 'bundle.ts'), source("'1'"));
  const good = await place.run(['bundle', 'check', bare, '--json']);
  expect([good.code, findingsOf(good.stdout)]).toEqual([0, []]);
  await writeFile(join(bare, 'bundle.ts'), source("Math.max('1')"));
  const bad = await place.run(['bundle', 'check', bare, '--json']);
  const types = findingsOf(bad.stdout).filter(({ what }) => what === 'types');
  expect(types.map(({ places }) => places)).toContainEqual(['bundle.ts:3:73']);
});

// proves: cli.bundle-check
test('what does not fit is an error with its line and ends with 1, a warning does not', async () => {
  await place.run(['bundle', 'new', 'odd-desk', '--in', dir]);
  const tools = join(dir, 'odd-desk/tools.ts');
  const good = await readFile(tools, 'utf8');
  await writeFile(tools, good.replace('{ day, open:', '{ day, open: opne ?? '));
  await writeFile(join(dir, 'odd-desk/skills/house-style/SKILL.md'), '---\nname: x\n---\n');
  const bad = await place.run(['bundle', 'check', join(dir, 'odd-desk'), '--json']);
  expect([bad.code, bad.stderr]).toEqual([1, '']);
  const line = good.split('\n').findIndex((text) => text.includes('{ day, open:')) + 1;
  expect(findingsOf(bad.stdout)).toEqual([
    expect.objectContaining({ level: 'warning', places: ['skills/house-style/SKILL.md:2'] }),
    {
      ...{ bundle: expect.stringMatching(/odd-desk$/) as string, level: 'error', what: 'types' },
      ...{ places: [`tools.ts:${line}:25`], says: "TS2304: Cannot find name 'opne'." },
    },
  ]);
  const without = await place.run(['bundle', 'check', '--no-types', join(dir, 'odd-desk')]);
  expect([without.code, without.stdout]).toEqual([
    0,
    expect.stringMatching(/^! notice {2}skills.*\nodd-desk 1\.0\.0: 0 errors, 1 warning\n$/),
  ]);
  const nowhere = await place.run(['bundle', 'check', join(dir, 'none')]);
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('cannot be read')]);
});
