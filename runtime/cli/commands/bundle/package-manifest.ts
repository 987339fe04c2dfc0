import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../../base/package-root.ts';

const Versions = z.record(z.string(), z.string()).default({});
const Manifest = z.object({
  version: z.string(),
  dependencies: Versions,
  devDependencies: Versions,
});

/** Whether a folder belongs to the running package, where `timeloom/sdk` resolves without installation. */
export function isWithinPackage(dir: string): boolean {
  let folder = dirname(resolve(dir));
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) return false;
    folder = dirname(folder);
  }
  return folder === packageRoot();
}

/** The package.json of a new bundle, with the runtime's dependency versions. */
export async function manifestOf(name: string, dir: string): Promise<object> {
  const { version, dependencies, devDependencies } = Manifest.parse(
    JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')),
  );
  const take = (names: readonly string[], from: Readonly<Record<string, string>>) =>
    Object.fromEntries(names.map((each) => [each, from[each] ?? '*']));
  return {
    ...{ name, version: '1.0.0', private: true, type: 'module' },
    scripts: {
      test: 'vitest run',
      check: 'timeloom bundle check .',
      dev: 'timeloom bundle dev .',
      talk: 'TIMELOOM_MODEL=scripted:./script.yaml timeloom chat',
    },
    dependencies: take(['zod'], dependencies),
    devDependencies: {
      ...take(['@types/node'], devDependencies),
      ...runtimeOf(dir, version),
      ...take(['typescript', 'vitest'], devDependencies),
    },
  };
}

/** The dependency on the runtime: none if a parent folder has it, else this checkout, else the version. */
function runtimeOf(dir: string, version: string): Readonly<Record<string, string>> {
  if (resolveFrom(dirname(dir), 'timeloom/sdk') !== undefined) return {};
  const isInstalled = packageRoot().split(sep).includes('node_modules');
  const at = relative(dir, packageRoot()).split(sep).join('/');
  return { timeloom: isInstalled ? `^${version}` : `file:${at}` };
}

/** The file that an import in a folder resolves to. */
export function resolveFrom(dir: string, name: string): string | undefined {
  try {
    return createRequire(join(dir, 'index.js')).resolve(name);
  } catch {
    // Callers treat a missing package and a malformed one alike.
    return undefined;
  }
}

/** The tsconfig.json of a new bundle, and of a bundle without its own. */
export function defaultTsconfig() {
  return {
    compilerOptions: {
      ...{ target: 'ES2023', module: 'NodeNext', lib: ['ES2023', 'ESNext.Disposable'] },
      ...{ types: ['node'], strict: true, noUncheckedIndexedAccess: true },
      ...{ verbatimModuleSyntax: true },
      ...{ allowImportingTsExtensions: true, skipLibCheck: true, noEmit: true },
    },
    include: ['**/*.ts'],
    exclude: ['node_modules', 'ui'],
  };
}
