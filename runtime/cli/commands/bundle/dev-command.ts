import { basename, join, relative, sep } from 'node:path';
import { findBundles } from '../../../adapters/bundles/find.ts';
import { loadBundle } from '../../../adapters/bundles/load.ts';
import { Fault, isFault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import { type Config, environment, readConfig } from '../../config/config.ts';
import { openServer, type Server } from '../../server/open-server.ts';
import { greeting } from '../serve-command.ts';
import { findingsOf, toJsonLine, toLines } from './bundle-finding.ts';
import { withBundleSettings } from './bundle-with-settings.ts';
import { withNearbyDescriptors } from './nearby-descriptors.ts';
import { readSourceLocations } from './source-locations.ts';
import { fingerprintOf, watchFolder } from './watch-folder.ts';
import { PageBuilder, widgetPages } from './widget-pages.ts';

type Options = {
  readonly port: string | undefined;
  readonly json: boolean;
  readonly signal: AbortSignal;
};

/** `timeloom bundle dev PATH`: serves one bundle; changes in its folder apply from the next turn, and pages with packages are built again. */
export async function devCommand(path: string, { port, json, signal }: Options): Promise<number> {
  const dir = await singleBundleAt(path);
  const config = configFor(dir, port);
  const pages = new PageBuilder();
  const read = async () => {
    const loaded = await loadBundle(dir, { cacheDir: join(config.dataDir, 'bundles') });
    for (const folder of widgetPages(dir, loaded.definition)) await pages.build(folder);
    return [withBundleSettings(loaded, config)];
  };
  await using scope = new Scope();
  // Taken before the start, so that files saved during the start count as a change.
  const known = await fingerprintOf(dir);
  const server = await openServer(config, { scope, signal, loadBundles: read });
  process.stdout.write(
    json ? `${JSON.stringify(server.ready)}\n` : `${greeting(server)}  Watching ${nameOf(dir)}.\n`,
  );
  await watchFolder(dir, { signal, known, changed: () => reload(server, { dir, json }) });
  return 0;
}

/** The relative path, or in the folder itself, its name. */
const nameOf = (dir: string): string => relative('.', dir) || basename(dir);

async function singleBundleAt(path: string): Promise<string> {
  const [dir = path, ...more] = await findBundles([path]);
  if (more.length === 0) return dir;
  const names = [dir, ...more].map((each) => relative('.', each));
  const because = `${path} contains ${names.length} bundles; choose one: ${names.join(', ')}`;
  throw new Fault('BUNDLE_INVALID', { because });
}

/** Without a configured data directory, uses a hidden folder in the bundle's folder, which is not part of the bundle. */
function configFor(dir: string, port: string | undefined): Config {
  const env = withNearbyDescriptors(dir, environment());
  const config = readConfig({
    ...env,
    TIMELOOM_DATA_DIR: env['TIMELOOM_DATA_DIR'] || join(dir, '.timeloom/data'),
    ...(port === undefined ? {} : { TIMELOOM_PORT: port }),
  });
  const within = relative(dir, config.dataDir);
  const isPart =
    !within.startsWith('..') && !within.split(sep).some((name) => name.startsWith('.'));
  if (!isPart) return config;
  const because = `the data directory ${config.dataDir} is inside the bundle, so every write to it would count as a change; set TIMELOOM_DATA_DIR to another folder`;
  throw new Fault('CONFIG_INVALID', { because });
}

type Reloading = { readonly dir: string; readonly json: boolean };

async function reload(server: Server, { dir, json }: Reloading): Promise<void> {
  const name = nameOf(dir);
  try {
    const [revision] = await server.reload();
    const result = { reloaded: true, revision };
    process.stdout.write(
      json
        ? `${JSON.stringify(result)}\n`
        : `✓ ${name} ${revision}: reloaded, active from the next turn\n`,
    );
  } catch (error) {
    const failure = isFault(error)
      ? error
      : new Fault('BUNDLE_INVALID', { because: String(error) });
    const found = findingsOf(failure, { at: { dir, places: await readSourceLocations(dir) } });
    process.stdout.write(
      json
        ? `${found.map((each) => toJsonLine(name, each)).join('')}{"reloaded":false}\n`
        : `${found.map(toLines).join('')}  ${name}: not reloaded, the previous revision stays active\n`,
    );
  }
}
