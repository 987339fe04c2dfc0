import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadBundle } from '../../../adapters/bundles/load.ts';
import { isDefinition } from '../../../sdk/define/definition.ts';
import type { ConfiguredBundle } from '../../config/bundle-settings.ts';
import type { Config } from '../../config/config.ts';
import { type BundleFinding, findingsOf } from './bundle-finding.ts';
import { withBundleSettings } from './bundle-with-settings.ts';
import { checkTypes } from './check-types.ts';
import { compileForCheck } from './compile-for-check.ts';
import { readSourceLocations, type SourceLocations } from './source-locations.ts';

type Options = {
  readonly config: Config;
  readonly types: boolean;
  readonly signal: AbortSignal;
  say(doing: string): void;
};
type CheckResult = {
  readonly found: readonly BundleFinding[];
  /** Id and version; undefined: the bundle does not load. */
  readonly title: string | undefined;
};

/** Finds all problems of the bundle in a folder, without starting the bundle or contacting a server. */
export async function checkBundle(
  dir: string,
  { config, types, signal, say }: Options,
): Promise<CheckResult> {
  say('loading');
  const places = await readSourceLocations(dir);
  const { found, title } = await checkDefinition(dir, { config, places, signal });
  if (!types) return { found, title };
  say('checking types (takes a few seconds)');
  return { found: [...found, ...(await checkTypes(dir, { signal }))], title };
}

type CheckContext = {
  readonly config: Config;
  readonly places: SourceLocations;
  readonly signal: AbortSignal;
};

async function checkDefinition(dir: string, checking: CheckContext): Promise<CheckResult> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'timeloom-check-'));
  const { places } = checking;
  try {
    const loaded = await loadBundle(dir, { cacheDir });
    const title = isDefinition('bundle', loaded.definition)
      ? `${loaded.definition.id} ${loaded.definition.version}`
      : undefined;
    const set = withBundleSettings(loaded, checking.config);
    const found = await compileForCheck(set, checking);
    return { found: [...found, ...findSecrets(set, checking)], title };
  } catch (error) {
    return { found: findingsOf(error, { at: { dir, places } }), title: undefined };
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}

/** Warns about secrets that are declared but not set: their use in a turn fails with `SECRET_MISSING`. The chat requests users' secrets. */
function findSecrets(
  { definition }: ConfiguredBundle,
  { config, places }: CheckContext,
): readonly BundleFinding[] {
  if (!isDefinition('bundle', definition)) return [];
  const { id: bundle, secrets = [] } = definition;
  return secrets.flatMap((secret) => {
    if (!isDefinition('secret', secret) || secret.for === 'user') return [];
    if (config.secret(bundle, secret.id) !== undefined) return [];
    const file =
      secret.for === 'platform'
        ? `secrets.yaml: ${secret.id}: { env: ${secret.id} }`
        : `bundles.secrets.yaml: ${bundle}: { ${secret.id}: { env: ${secret.id} } }`;
    return [
      {
        ...({ level: 'warning', what: 'secret', places: places.of(`“${secret.id}”`) } as const),
        says: `“${secret.id}” is not set (${secret.description})`,
        fix: `set it in ${file}`,
      },
    ];
  });
}
