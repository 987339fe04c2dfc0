import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../base/package-root.ts';
import { mimeOf } from '../../tools/files/mime.ts';

export type Asset = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mime: string;
  readonly etag: string;
  /** The same file compressed, by content encoding. */
  readonly compressed: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
};

const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The files of the pages, kept in memory. The build has bundled them. From source they are bundled at the first request, into
 * a cache that later processes share.
 */
export class PageAssets {
  #folder: Promise<string> | undefined;
  readonly #assets = new Map<string, Promise<Asset | undefined>>();

  /** Undefined: the file does not exist. */
  read(name: string): Promise<Asset | undefined> {
    const known = this.#assets.get(name);
    if (known) return known;
    const reading = this.#read(name);
    this.#assets.set(name, reading);
    // A failed or missing read is not kept, so that unknown names need no memory.
    const forget = () => this.#assets.delete(name);
    reading.then((asset) => (asset ? undefined : forget()), forget);
    return reading;
  }

  async #read(name: string): Promise<Asset | undefined> {
    this.#folder ??= findFolder();
    const folder = await this.#folder.catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    const bytes = await readIfPresent(join(folder, name));
    if (!bytes) return undefined;
    const mime = mimeOf(name);
    const compressed = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [encoding, ending] of encodings) {
      const packed = await readIfPresent(join(folder, name + ending));
      if (packed) compressed.set(encoding, packed);
    }
    return {
      bytes,
      mime: mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
      etag: `"${digestOf(bytes)}"`,
      compressed,
    };
  }
}

async function readIfPresent(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const sources = fileURLToPath(new URL('../pages/', import.meta.url));
const client = fileURLToPath(new URL('../../client/index.ts', import.meta.url));

/** The folder that the build has filled or, in a checkout that runs from source, one filled now. */
async function findFolder(): Promise<string> {
  const built = join(sources, 'assets');
  if (existsSync(built)) return built;
  const cache = join(packageRoot(), 'node_modules/.cache/timeloom-pages', await fingerprint());
  if (!existsSync(cache)) await fill(cache);
  return cache;
}

/** Other processes see the folder only when it is complete. */
async function fill(cache: string): Promise<void> {
  const { bundlePages } = await import('./bundle-pages.ts');
  const out = `${cache}.${randomUUID()}`;
  await bundlePages({ sources, client, out }, { compress: false });
  try {
    await rename(out, cache);
  } catch (error) {
    await rm(out, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(cache)) throw error;
  }
}

/** Changes whenever a source file of the pages changes. */
async function fingerprint(): Promise<string> {
  const folders = [sources, ...['client', 'base'].map((name) => join(sources, '../..', name))];
  const lines = await Promise.all(folders.map(filesIn));
  return digestOf(lines.flat().toSorted().join('\n'));
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const { mtimeMs, size } = await stat(file);
      return `${file} ${mtimeMs} ${size}`;
    }),
  );
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 20);
}
