import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBundles } from '../../../../runtime/adapters/bundles/find.ts';
import { loadBundle } from '../../../../runtime/adapters/bundles/load.ts';
import { isDefinition } from '../../../../runtime/sdk/define/definition.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'timeloom-bundles-'));
});
afterAll(() => rm(home, { recursive: true }));

async function write(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(home, name, file);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
  }
  return join(home, name);
}
const load = (dir: string) => loadBundle(dir, { cacheDir: join(home, '.cache') });

const echo = `
  import { z } from 'zod';
  import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
  import { shout } from './shout.ts';
  const say = defineTool({ id: 'echo.say', description: 'Says it.', input: z.object({ text: z.string() }),
    run: ({ text }: { text: string }) => shout(text) });
  export const bundle = defineBundle({ id: 'echo', version: '1', agents: [defineAgent({ id: 'main', instruction: 'Echo.', tools: [say] })] });
`;
const shout = 'export const shout = (text: string): string => text.toUpperCase();';

test('a folder with a bundle.ts becomes a definition', async () => {
  const dir = await write('echo', { 'bundle.ts': echo, 'shout.ts': shout });
  const { definition, revision } = await load(dir);
  expect(isDefinition('bundle', definition) && definition.id).toBe('echo');
  expect(revision).toMatch(/^[0-9a-f]{12}$/);
});

test('the same files are the same revision, a changed one another', async () => {
  const dir = await write('twice', { 'bundle.ts': echo, 'shout.ts': shout });
  const first = await load(dir);
  const again = await load(dir);
  await write('twice', { 'shout.ts': shout.replace('toUpperCase', 'trim') });
  const changed = await load(dir);
  expect(again.revision).toBe(first.revision);
  expect(changed.revision).not.toBe(first.revision);
});

test('packages come from the folder of the bundle', async () => {
  const dir = await write('packaged', {
    'bundle.ts': `import { id } from 'made-up';
      import { defineBundle } from 'timeloom/sdk';
      export const bundle = defineBundle({ id, version: '1' });`,
    'node_modules/made-up/package.json': '{ "name": "made-up", "main": "index.js" }',
    'node_modules/made-up/index.js': "exports.id = 'from-package';",
  });
  expect((await load(dir)).definition.id).toBe('from-package');
});

test('a mistake in the source is reported with file and line', async () => {
  const dir = await write('broken', { 'bundle.ts': 'export const bundle = {\n  id: ,\n};\n' });
  await expect(load(dir)).rejects.toThrow(/^BUNDLE_INVALID.*bundle\.ts:2:7: Unexpected ","/);
});

test('what a bundle may not import is named', async () => {
  const engine = await write('inside', { 'bundle.ts': "import 'timeloom/engine';" });
  await expect(load(engine)).rejects.toThrow(/bundle\.ts:1:8: a bundle may import timeloom\/sdk/);
  const absent = await write('absent', { 'bundle.ts': "import 'no-such-package';" });
  await expect(load(absent)).rejects.toThrow(/Could not resolve "no-such-package"/);
});

test('a module that throws or exports something else is refused', async () => {
  const thrower = await write('thrower', { 'bundle.js': "throw new Error('not today');" });
  await expect(load(thrower)).rejects.toThrow(/not today/);
  const other = await write('other', { 'bundle.js': 'export const bundle = { id: "x" };' });
  await expect(load(other)).rejects.toThrow(/does not export `bundle`/);
});

test('a path is a bundle or a folder of bundles, and each bundle is found once', async () => {
  await write('many/a', { 'bundle.ts': '' });
  await write('many/b', { 'bundle.js': '' });
  await write('many/not-one', { 'readme.md': '' });
  const many = join(home, 'many');
  const found = await findBundles([many, join(many, 'a')]);
  expect(found).toEqual([join(many, 'a'), join(many, 'b')]);
  await expect(findBundles([join(many, 'not-one')])).rejects.toThrow(
    /is not a bundle and contains no bundles/,
  );
  await expect(findBundles([join(many, 'nowhere')])).rejects.toThrow(/cannot be read/);
});

const here = `
  import { readFileSync } from 'node:fs';
  import { defineBundle } from 'timeloom/sdk';
  import { place } from './lib/place.js';
  const read = readFileSync(new URL('./orders.csv', import.meta.url), 'utf8');
  const title = [read, import.meta.dirname, import.meta.filename, place, 'import.meta.url'].join('|');
  export const bundle = defineBundle({ id: 'here', version: '1', title });
`;

// proves: sdk.source-place
test('import.meta of a bundle names its source, not what was built from it', async () => {
  const dir = await write('here', {
    'bundle.ts': here,
    'orders.csv': 'a,b',
    'lib/place.js': 'export const place = import.meta.dirname;',
  });
  const { definition } = await load(dir);
  expect(isDefinition('bundle', definition) && definition.title).toBe(
    ['a,b', dir, join(dir, 'bundle.ts'), join(dir, 'lib'), 'import.meta.url'].join('|'),
  );
});

// proves: sdk.source-traces
test('the stack of a throw names file and line of the source', async () => {
  const dir = await write('stack', {
    'bundle.ts': `import { defineBundle } from 'timeloom/sdk';
      import { fail } from './fail.ts';
      export const bundle = defineBundle({ id: 'stack', version: '1', onLoad: () => fail() });`,
    'fail.ts':
      'type A = {\n  a: string;\n};\nexport function fail() {\n  throw new Error("no");\n}\n',
  });
  const { definition } = await load(dir);
  const thrown = await Promise.resolve()
    .then(() => isDefinition('bundle', definition) && definition.onLoad?.(Object(undefined)))
    .catch((error: unknown) => error);
  expect(thrown instanceof Error && thrown.stack).toContain(`${join(dir, 'fail.ts')}:5:`);
});

// proves: cli.old-revisions
test('what was built from earlier revisions is removed, but for the newest few', async () => {
  const other = await write('stays', { 'bundle.ts': echo, 'shout.ts': shout });
  const { module: elsewhere } = await load(other);
  const built: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    const dir = await write('old', { 'bundle.ts': echo, 'shout.ts': `${shout}// ${number}` });
    const { module } = await load(dir);
    built.push(module);
    // Files of one moment have no order.
    await utimes(module, number, number);
  }
  expect(built.map((path) => existsSync(path))).toEqual([
    ...[false, false, true, true, true, true, true],
  ]);
  expect(existsSync(elsewhere)).toBe(true);
});
