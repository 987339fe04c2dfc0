import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { root } from '../../architecture/tree.ts';
import { patient } from '../../tools/machine-speed.ts';

const run = promisify(execFile);
const built = `${pathToFileURL(join(root, 'dist')).href}/`;
const Names = z.array(z.string());

/** Of the package's own files. When a start loaded a thousand, that took half of it. */
const filesMax = 150;

/** Starts the server with a port it refuses, beside the modules that bundles and their tests import. */
const program = `
  import { registerHooks } from 'node:module';
  const own = [];
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('${built}')) own.push(url.slice(${built.length}));
      return next(url, context);
    },
  });
  process.on('exit', () => console.log(JSON.stringify(own)));
  for (const name of ['sdk', 'channels', 'testing']) await import('${built}runtime/' + name + '/index.js');
  process.argv = [process.execPath, 'timeloom', 'serve', '--port', 'none'];
  await import('${built}runtime/cli/main.js');
`;

test('a start loads few files, and the server shares the modules that bundles and their tests import', async () => {
  const args = ['--input-type=module', '--eval', program];
  const ended = await run(process.execPath, args, { timeout: patient(60_000) }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  expect(ended.stderr).toContain('TIMELOOM_PORT');
  const own = Names.parse(JSON.parse(ended.stdout));
  expect(own.filter((name) => !name.startsWith('modules/')).sort()).toEqual([
    'runtime/channels/index.js',
    'runtime/cli/main.js',
    'runtime/sdk/index.js',
    'runtime/testing/index.js',
  ]);
  expect(own.length).toBeLessThan(filesMax);
});
