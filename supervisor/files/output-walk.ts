import { constants } from 'node:fs';
import { chmod, type FileHandle, open, readdir } from 'node:fs/promises';
import { isRefusal } from '../../runtime/base/refusal.ts';
import type { FileRetention, FoundOutput, OutputFile } from '../cell/cell.ts';
import { undeclaredDepthMax, undeclaredFilesMax, undeclaredNamesMax } from './limits.ts';

/** Linux: a handle on the name itself. Opening it follows no links, does not wait for a fifo and reads nothing. */
const O_PATH = 0o10000000;
const readBytes = 1024 * 1024;
const byName = O_PATH | constants.O_NOFOLLOW;

type Options = {
  /** Required owner of delivered files. */
  readonly uid: number;
  readonly keep: FileRetention;
  readonly bytesMax: number;
};

/**
 * Opens the file at a path beneath an open directory, one name at a time, without following links. A
 * program may rename files at the same time: the file that was checked is the file that is read.
 */
export async function fileBeneath(
  root: FileHandle,
  path: string,
  options: Options,
): Promise<FoundOutput> {
  const handles: FileHandle[] = [];
  try {
    let at = root;
    const names = path.split('/');
    for (const [index, name] of names.entries()) {
      at = await open(`/proc/self/fd/${at.fd}/${name}`, byName);
      handles.push(at);
      const last = index === names.length - 1;
      const refused = last ? await unfitFile(at, options) : await unfitFolder(at);
      if (refused !== undefined) return { kind: 'refused', code: refused };
    }
    return await keepFile(at, path, options);
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' };
    throw error;
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/**
 * Lists the first files in a folder beneath an open directory, or the file at that path, without following links.
 * Folders that cannot be read are skipped.
 */
export async function filesIn(
  root: FileHandle,
  folder: string,
  { uid }: { uid: number },
): Promise<readonly OutputFile[]> {
  const walk: Walk = { uid, found: [], seen: 0 };
  const names = folder.split('/').filter((name) => name !== '');
  await walkPath(root, names, { path: names.join('/'), walk });
  return walk.found;
}

type Walk = {
  readonly uid: number;
  readonly found: { path: string; size: number }[];
  seen: number;
};
type Step = { readonly path: string; readonly walk: Walk };

async function walkPath(
  at: FileHandle,
  [name, ...rest]: readonly string[],
  step: Step,
): Promise<void> {
  if (name === undefined) return walkEntry(at, step);
  await withEntry(at, name, async (one) => {
    if (rest.length === 0 || (await one.stat()).isDirectory()) await walkPath(one, rest, step);
  });
}

async function walkEntry(one: FileHandle, { path, walk }: Step): Promise<void> {
  const { size, uid, mode } = await one.stat();
  const own = uid === walk.uid && size > 0;
  if (isKind(mode, constants.S_IFREG) && own) walk.found.push({ path, size });
  const deep = path.split('/').length > undeclaredDepthMax;
  if (isKind(mode, constants.S_IFDIR) && !deep) await walkFolder(one, { path, walk });
}

async function walkFolder(folder: FileHandle, { path, walk }: Step): Promise<void> {
  for (const name of (await readdir(`/proc/self/fd/${folder.fd}`)).toSorted()) {
    walk.seen += 1;
    if (walk.seen > undeclaredNamesMax || walk.found.length >= undeclaredFilesMax) return;
    await withEntry(folder, name, (one) => walkEntry(one, { path: `${path}/${name}`, walk }));
  }
}

function isKind(mode: number, kind: number): boolean {
  return (mode & constants.S_IFMT) === kind;
}

/** Runs `use` on an entry; skips entries that are gone or that we may not open. */
async function withEntry(
  folder: FileHandle,
  name: string,
  use: (one: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await using one = await open(`/proc/self/fd/${folder.fd}/${name}`, byName);
    await use(one);
  } catch (error) {
    if (!isMissing(error) && !isClosed(error)) throw error;
  }
}

async function unfitFolder(handle: FileHandle): Promise<string | undefined> {
  const found = await handle.stat();
  if (found.isSymbolicLink()) return 'artifact_symlink_blocked';
  if (!found.isDirectory()) return 'artifact_not_regular_file';
  // A program may lock its own directories; their owner can unlock them, and this handle is not a link.
  if ((found.mode & 0o500) !== 0o500) await chmod(`/proc/self/fd/${handle.fd}`, 0o700);
  return undefined;
}

async function unfitFile(
  handle: FileHandle,
  { uid, bytesMax }: Options,
): Promise<string | undefined> {
  const found = await handle.stat();
  if (found.isSymbolicLink()) return 'artifact_symlink_blocked';
  if (!found.isFile()) return 'artifact_not_regular_file';
  if (found.uid !== uid) return 'artifact_path_escape_blocked';
  if (found.nlink !== 1) return 'artifact_hard_link_blocked';
  if (found.size === 0) return 'empty_file';
  if (found.size > bytesMax) return 'file_too_large';
  if ((found.mode & 0o400) === 0) await chmod(`/proc/self/fd/${handle.fd}`, 0o600);
  return undefined;
}

async function keepFile(named: FileHandle, path: string, { keep }: Options): Promise<FoundOutput> {
  await using file = await open(`/proc/self/fd/${named.fd}`, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    const bytes = file.createReadStream({ autoClose: false, highWaterMark: readBytes });
    return { kind: 'file', blob: await keep.put({ path, size }, bytes) };
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', code: 'file_too_large' };
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
}

function isClosed(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
