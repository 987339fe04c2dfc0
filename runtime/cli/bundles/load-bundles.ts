import { join } from 'node:path';
import { findBundles } from '../../adapters/bundles/find.ts';
import { type LoadedBundle, loadBundle } from '../../adapters/bundles/load.ts';
import { Fault } from '../../base/fault.ts';
import { packageRoot } from '../../base/package-root.ts';
import type { Config } from '../config/config.ts';

/**
 * The bundles in the configured folders, else the bundles shipped with the runtime. Throws Fault `BUNDLE_INVALID`, also
 * for two bundles with the same id, because a message could not address either of them.
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
      const because = `${other.dir} and ${bundle.dir} have the same id “${id}”`;
      throw new Fault('BUNDLE_INVALID', { because });
    }
    loaded.set(id, bundle);
  }
  return [...loaded.values()];
}
