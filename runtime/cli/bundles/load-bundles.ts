import { join } from 'node:path';
import { findBundles } from '../../adapters/bundles/find.ts';
import { type LoadedBundle, loadBundle } from '../../adapters/bundles/load.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { packageRoot } from '../../base/package-root.ts';
import type { Config } from '../config/config.ts';
import { createRepositories } from './repositories.ts';

type Options = { readonly log: Log; readonly signal: AbortSignal };

/**
 * The bundles in the configured folders and repositories, else the bundles shipped with the runtime. Throws Fault
 * `BUNDLE_INVALID`, also for two bundles with the same id, because a message could not address either of them;
 * `SOURCE_UNREACHABLE` and `SOURCE_REFUSED` for repositories.
 */
export async function loadBundles(
  config: Config,
  options: Options,
): Promise<readonly LoadedBundle[]> {
  const { bundleSources, dataDir } = config;
  const sources = bundleSources.length > 0 ? bundleSources : [join(packageRoot(), 'bundles')];
  const paths: string[] = [];
  const read = createRepositories(config, options);
  for (const source of sources)
    paths.push(typeof source === 'string' ? source : await read(source));
  const loaded = new Map<string, LoadedBundle>();
  for (const folder of await findBundles(paths)) {
    const bundle = await loadBundle(folder, { cacheDir: join(dataDir, 'bundles') });
    const { id } = bundle.definition;
    const other = loaded.get(id);
    if (other) {
      const because = `${other.dir} and ${bundle.dir} have the same id “${id}”`;
      throw new Fault('BUNDLE_INVALID', { because });
    }
    loaded.set(id, bundle);
  }
  return [...loaded.values()];
}
