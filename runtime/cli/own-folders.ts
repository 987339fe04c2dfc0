import type { Config } from './config.ts';
import { packageRoot } from './package-root.ts';

/** What of this machine is ours, and no program's to see: the package, settings with secrets, data, bundles. */
export function ownFolders(config: Config): readonly string[] {
  const { configDir, dataDir, bundlePaths, blobs } = config;
  const kept = blobs !== undefined && 'folder' in blobs ? [blobs.folder] : [];
  return [packageRoot(), configDir, dataDir, ...kept, ...bundlePaths];
}
