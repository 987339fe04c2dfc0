import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { setSourceMapsSupport } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fault, isFault } from '../../base/fault.ts';
import { withEsbuild } from '../../base/packages/esbuild.ts';
import type { Bundle } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import { messagesOf } from './build-messages.ts';
import { entryOf } from './find.ts';
import { runtimeModules } from './modules.ts';
import { removeOld } from './old-revisions.ts';
import { revisionOf } from './revision.ts';
import { sourceNames, sourcePlace } from './source-location.ts';

export type LoadedBundle = {
  readonly definition: Bundle;
  readonly revision: string;
  /** Folder of the bundle, absolute. */
  readonly dir: string;
  /** The file it was built into. */
  readonly module: string;
};

/**
 * Builds the bundle of a folder and imports it; types are not checked. `cacheDir` keeps what was built, by revision.
 * Faults `BUNDLE_INVALID` with file and line, `DATA_DIR_UNWRITABLE`.
 */
export async function loadBundle(
  folder: string,
  { cacheDir }: { readonly cacheDir: string },
): Promise<LoadedBundle> {
  const dir = resolve(folder);
  const entry = await entryOf(dir);
  if (entry === undefined) throw invalid(dir, 'bundle.ts not found');
  const revision = await revisionOf(dir);
  const place = createHash('sha256').update(dir).digest('hex').slice(0, 8);
  const outfile = join(resolve(cacheDir), `${revision}-${place}.mjs`);
  await keep(outfile, await buildOf(entry, { dir, outfile }));
  await removeOld(outfile);
  const module = await importModule(outfile, dir);
  const definition = 'bundle' in module ? module.bundle : undefined;
  if (!isDefinition('bundle', definition)) {
    throw invalid(dir, 'bundle.ts does not export `bundle`, made by defineBundle');
  }
  return { definition, revision, dir, module: outfile };
}

type Building = { readonly dir: string; readonly outfile: string };

async function buildOf(entry: string, { dir, outfile }: Building): Promise<Uint8Array> {
  try {
    const { outputFiles } = await withEsbuild((build) =>
      build({
        entryPoints: [entry],
        write: false,
        // Not written there by esbuild: the source map is relative to it.
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node22',
        sourcemap: 'inline',
        logLevel: 'silent',
        define: { ...sourceNames },
        plugins: [runtimeModules(dir), sourcePlace()],
      }),
    );
    return outputFiles[0]?.contents ?? new Uint8Array();
  } catch (cause) {
    throw invalid(dir, messagesOf(cause, dir) ?? [String(cause)], cause);
  }
}

/** Writes the file atomically: another process may load the same revision at the same time. */
async function keep(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dirname(path) }, { cause });
  }
}

async function importModule(path: string, dir: string): Promise<object> {
  // With source maps, stack traces name the source of the bundle instead of the built file.
  setSourceMapsSupport(true, { nodeModules: false });
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (cause) {
    if (isFault(cause)) throw cause;
    throw invalid(dir, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function invalid(dir: string, said: string | readonly string[], cause?: unknown): Fault {
  const problems = [said].flat();
  const because = `${dir}: ${problems.join('; ')}`;
  return new Fault('BUNDLE_INVALID', { dir, problems, because }, { cause });
}
