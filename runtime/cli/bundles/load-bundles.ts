import { join } from 'node:path';
import { findBundles } from '../../adapters/bundles/find.ts';
import { type LoadedBundle, loadBundle } from '../../adapters/bundles/load.ts';
import { Fault } from '../../base/fault.ts';
import type { Config } from '../config/config.ts';
import { packageRoot } from '../config/package-root.ts';

/**
 * The bundles of the configured folders, else those that ship with the runtime. Fault `BUNDLE_INVALID`, also where two
 * have one id: a message could not say which it means.
 */
export async function loadBundles({
  bundlePaths,
  dataDir,
}: Config): Promise<readonly LoadedBundle[]> {
  const paths = bundlePaths.length > 0 ? bundlePaths : [join(packageRoot(), 'bundles')];
  const loaded = new Map<string, LoadedBundle>();
  for (const folder of await findBundles(paths)) {
    const bundle = await loadBundle(folder, { cacheDir: join(dataDir, 'bundles') });
    const { id } = bundle.definition;
    const other = loaded.get(id);
    if (other) {
      const because = `${other.dir} and ${bundle.dir} both call themselves “${id}”`;
      throw new Fault('BUNDLE_INVALID', { because });
    }
    loaded.set(id, bundle);
  }
  return [...loaded.values()];
}
