import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header, pack } from 'tar-stream';
import type { FileRetention, FoundOutput } from '../../../../supervisor/cell/cell.ts';
import { isFolder, isWithin } from '../../../../supervisor/files/contract.ts';
import { undeclaredFilesMax } from '../../../../supervisor/files/limits.ts';
import { invariant } from '../../../base/assert.ts';
import { verifyHash } from '../../../base/bytes/verify-hash.ts';
import { isRefusal } from '../../../base/refusal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { PlacedFile } from '../engine/volumes.ts';

type Collect = {
  readonly wanted: readonly string[];
  readonly keep: FileRetention;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** Receives the files found, also if the archive ends early. */
  readonly found: Map<string, FoundOutput>;
};

/**
 * Reads the contracted files from an archive of OUTPUT_DIR. The engine wrote it from the program's directory,
 * and an archive does not follow links: an entry that is not a plain file here was not a plain file there.
 */
export async function collectArchive(
  archive: NodeJS.ReadableStream,
  { wanted, keep, bytesMax, signal, found: result }: Collect,
): Promise<void> {
  const files = wanted.filter((path) => !isFolder(path));
  const found = new Map<string, FoundOutput>(files.map((path) => [path, { kind: 'missing' }]));
  let isWhole = false;
  const folders = wanted.filter(isFolder);
  let unasked = 0;
  const takeOrTell = async (path: string, entry: Entry) => {
    const { type, size = 0 } = entry.header;
    if (type === 'directory' || unasked >= undeclaredFilesMax) return;
    if (!folders.some((folder) => isWithin(folder, path))) return;
    unasked += 1;
    const taken = keep.keeps({ path, size });
    found.set(path, taken ? await kept(entry, path, keep) : { kind: 'unasked', size });
  };
  const entries = extract();
  const fed = pipeline(archive, entries, { signal });
  const read = async () => {
    for await (const entry of entries) {
      const path = withoutTop(entry.header.name);
      const code = unfit(entry.header, bytesMax);
      if (code !== undefined) refuse(found, { path, code, header: entry.header });
      else if (found.has(path)) found.set(path, await kept(entry, path, keep));
      else await takeOrTell(path, entry);
      entry.resume();
    }
  };
  try {
    await Promise.all([fed, read()]);
    isWhole = true;
  } finally {
    for (const [path, one] of found) {
      if (isWhole || one.kind !== 'missing') result.set(path, one);
    }
  }
}

/** An entry in place of a folder hides every requested file below it. */
function refuse(
  found: Map<string, FoundOutput>,
  { path, code, header }: { path: string; code: string; header: Header },
): void {
  const hidden = [...found.keys()].filter((one) => one.startsWith(`${path}/`));
  for (const one of [path, ...hidden, ...linked(header)]) {
    if (found.has(one)) found.set(one, { kind: 'refused', code });
  }
}

function unfit({ type, size }: Header, bytesMax: number): string | undefined {
  switch (type) {
    case 'symlink':
      return 'artifact_symlink_blocked';
    case 'link':
      return 'artifact_hard_link_blocked';
    case 'file':
    case 'contiguous-file':
      if (size === 0) return 'empty_file';
      return size > bytesMax ? 'file_too_large' : undefined;
    case 'directory':
      return undefined;
    default:
      return 'artifact_not_regular_file';
  }
}

type Entry = AsyncIterable<unknown> & { readonly header: Header };

async function kept(entry: Entry, path: string, keep: FileRetention): Promise<FoundOutput> {
  if (entry.header.type === 'directory')
    return { kind: 'refused', code: 'artifact_not_regular_file' };
  try {
    const { size = 0 } = entry.header;
    return { kind: 'file', blob: await keep.put({ path, size }, bytesOf(entry)) };
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', code: 'file_too_large' };
    throw error;
  }
}

async function* bytesOf(entry: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  for await (const chunk of entry) {
    invariant(chunk instanceof Uint8Array, 'an archive is bytes');
    yield chunk;
  }
}

/** The other name of a hard link comes first and looks like a plain file. */
function linked({ type, linkname }: Header): readonly string[] {
  return type === 'link' ? [withoutTop(linkname)] : [];
}

/** Names in the archive start with the directory itself. */
function withoutTop(name: string): string {
  return name.split('/').slice(1).join('/').replace(/\/$/, '');
}

/** Packs files under the given names. The engine unpacks them, so root owns them. */
export function packFiles(
  files: readonly PlacedFile[],
  { tenant, blobs, signal }: { tenant: string; blobs: BlobStore; signal: AbortSignal },
): Readable {
  const archive = pack();
  const write = async () => {
    for (const { name, blob } of files) {
      const { stream } = await blobs.open(tenant, blob.hash, { signal });
      const entry = archive.entry({ name, size: blob.size, mode: 0o644 });
      await pipeline(verifyHash(stream, blob), entry, { signal });
    }
    archive.finalize();
  };
  write().catch((error: unknown) => archive.destroy(error instanceof Error ? error : undefined));
  return Readable.from(archive);
}
