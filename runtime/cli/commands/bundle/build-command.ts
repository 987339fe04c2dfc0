import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildPage, needsBuild } from '../../../adapters/bundles/build-page.ts';
import { findBundles } from '../../../adapters/bundles/find.ts';
import { loadBundle } from '../../../adapters/bundles/load.ts';
import { Fault } from '../../../base/fault.ts';
import { environment, readConfig } from '../../config/config.ts';
import { installMsMax } from './limits.ts';
import { withNearbyDescriptors } from './nearby-descriptors.ts';
import { widgetPages } from './widget-pages.ts';

type Options = { readonly installs: boolean; readonly json: boolean; readonly signal: AbortSignal };

/** `timeloom bundle build PATH…`: installs the packages of bundles and builds the pages of their widgets. */
export async function buildCommand(
  paths: readonly string[],
  { installs, json, signal }: Options,
): Promise<number> {
  for (const dir of await findBundles(paths)) {
    const { dataDir } = readConfig(withNearbyDescriptors(dir, environment()));
    const prepare = async (folder: string) => {
      if (installs && needsBuild(folder)) await install(folder, signal);
    };
    await prepare(dir);
    const { definition } = await loadBundle(dir, { cacheDir: join(dataDir, 'bundles') });
    for (const folder of widgetPages(dir, definition)) {
      signal.throwIfAborted();
      await prepare(folder);
      await buildPage(folder);
      const name = relative('.', folder);
      process.stdout.write(json ? `${JSON.stringify({ built: name })}\n` : `✓ ${name} is built\n`);
    }
  }
  return 0;
}

const run = promisify(execFile);

/** The packages that the lock file names, else those that fit. No script of a package runs. Fault `BUNDLE_INVALID`. */
async function install(folder: string, signal: AbortSignal): Promise<void> {
  const isLocked = existsSync(join(folder, 'package-lock.json'));
  const fixed = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
  const options = { cwd: folder, env: environment(), signal, timeout: installMsMax };
  try {
    await run('npm', [isLocked ? 'ci' : 'install', ...fixed], options);
  } catch (cause) {
    signal.throwIfAborted();
    const said = cause instanceof Error ? cause.message : String(cause);
    const because = `${relative('.', folder)}: npm could not install its packages: ${said}`;
    throw new Fault('BUNDLE_INVALID', { dir: folder, problems: [said], because }, { cause });
  }
}
