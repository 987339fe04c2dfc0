import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { loadBundle } from '../../../../../runtime/adapters/bundles/load.ts';
import { buildCommand } from '../../../../../runtime/cli/commands/bundle/build-command.ts';
import { compileWidgets } from '../../../../../runtime/sdk/compile/compile-widgets.ts';
import type { BundleDefinition } from '../../../../../runtime/sdk/define/bundle.ts';
import { patient } from '../../../../tools/machine-speed.ts';
import { openFolder } from '../../../sdk/kit.ts';

const files = {
  'bundle.ts': `
    import { defineAgent, defineBundle, defineWidget } from 'timeloom/sdk';
    import { name } from 'greeting';
    export const bundle = defineBundle({ id: 'desk', version: '1', title: name,
      agents: [defineAgent({ id: 'main', instruction: 'Help.' })],
      widgets: [defineWidget({ id: 'board', title: 'Board', ui: './ui/board' })] });`,
  'package.json': JSON.stringify({ dependencies: { greeting: 'file:./greeting' } }),
  'greeting/package.json': JSON.stringify({
    ...{ name: 'greeting', version: '1.0.0', type: 'module', main: 'index.js' },
    scripts: { preinstall: 'touch ../ran', install: 'touch ../ran' },
  }),
  'greeting/index.js': 'export const name = "Front desk";',
  'ui/board/package.json': JSON.stringify({
    dependencies: { greeting: 'file:../../greeting' },
    scripts: { preinstall: 'touch ran', prepare: 'touch ran', build: 'touch ran' },
  }),
  'ui/board/index.html':
    '<!doctype html><title>Board</title><script type="module" src="/src/main.ts"></script>',
  'ui/board/public/robots.txt': 'none',
  'ui/board/src/main.ts': `
    import { connect } from 'timeloom/client';
    import { name } from 'greeting';
    import './style.css';
    const text: string = name; document.body.append(text, typeof connect);`,
  'ui/board/src/style.css': 'body { color: teal; }',
};

/** The widgets that a server would serve, and what the load says of the others. */
async function served(dir: string) {
  const { definition } = await loadBundle(dir, { cacheDir: join(dir, '.data') });
  const notices: string[] = [];
  const widgets = await compileWidgets((definition as BundleDefinition).widgets ?? [], {
    ...{ dir, notice: (text: string) => notices.push(text) },
    problems: { add: (text: string) => notices.push(text) } as never,
  });
  return { widgets, notices };
}

// proves: bundle.build
test('a page with packages is built by command, runs no script of a package, and is served', async () => {
  await using folder = await openFolder(files);
  const { dir } = folder;
  vi.stubEnv('TIMELOOM_DATA_DIR', join(dir, '.data'));
  using _quiet = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const options = { json: true, signal: AbortSignal.timeout(patient(120_000)) };
  expect(await buildCommand([dir], { installs: true, ...options })).toBe(0);
  vi.unstubAllEnvs();
  expect([existsSync(join(dir, 'ran')), existsSync(join(dir, 'ui/board/ran'))]).toEqual([
    false,
    false,
  ]);
  const { widgets, notices } = await served(dir);
  expect(notices).toEqual([]);
  const place = join(dir, 'ui/board/dist');
  expect(widgets).toMatchObject([{ id: 'board', dir: place }]);
  const html = await readFile(join(place, 'index.html'), 'utf8');
  const [, style = '', script = ''] =
    /href="\.\/(assets\/main-\w+\.css)".*src="\.\/(assets\/main-\w+\.js)"/.exec(html) ?? [];
  expect(await readFile(join(place, style), 'utf8')).toContain('teal');
  const code = await readFile(join(place, script), 'utf8');
  expect(code).toContain('Front desk');
  expect(code).toContain('/assets/client.js');
  expect((await readdir(place)).toSorted()).toEqual(['assets', 'index.html', 'robots.txt']);
});

// proves: bundle.build
test('a page that is not built is not served, and errors of a build have file and line', async () => {
  const broken = { ...files, 'ui/board/src/main.ts': 'import "absent-package";\nlet x = ;' };
  const { 'package.json': _, ...plain } = broken;
  const own = plain['bundle.ts'].replace("import { name } from 'greeting';", "const name = 'x';");
  await using folder = await openFolder({ ...plain, 'bundle.ts': own });
  const { dir } = folder;
  const { widgets, notices } = await served(dir);
  expect(widgets).toEqual([]);
  expect(notices.join()).toContain('run timeloom bundle build');
  vi.stubEnv('TIMELOOM_DATA_DIR', join(dir, '.data'));
  const signal = AbortSignal.timeout(patient(120_000));
  const building = buildCommand([dir], { installs: false, json: true, signal });
  await expect(building).rejects.toThrow(/board: src\/main\.ts:2:9/);
  vi.unstubAllEnvs();
  expect(existsSync(join(dir, 'ui/board/dist'))).toBe(false);
});
