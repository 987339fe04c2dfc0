import { dirname } from 'node:path';
import type { LoadedBundle } from '../../../adapters/bundles/load.ts';
import { Fault } from '../../../base/fault.ts';
import { type ConfiguredBundle, configureBundles } from '../../config/bundle-settings.ts';
import type { Config } from '../../config/config.ts';

/** Applies `bundles.yaml`, if it names this folder. Fault `CONFIG_INVALID`. */
export function withBundleSettings(
  loaded: LoadedBundle,
  { descriptors, bundleSources }: Config,
): ConfiguredBundle {
  const { bundles, bundleSecrets, place } = descriptors;
  const entries = bundles?.bundles ?? [];
  const own = entries.findIndex(({ id }, index) => {
    const path = bundleSources[index];
    return path === loaded.dir || (path === dirname(loaded.dir) && id === loaded.definition.id);
  });
  const entry = entries[own];
  const [set] = configureBundles([loaded], {
    bundles: entry ? { bundles: [entry] } : undefined,
    bundleSecrets,
    place: (file, path) =>
      place(file, path[1] === 0 ? [path[0] ?? '', own, ...path.slice(2)] : path),
  });
  if (!set) throw new Fault('BUNDLE_INVALID', { because: `no bundle found in ${loaded.dir}` });
  return set;
}
