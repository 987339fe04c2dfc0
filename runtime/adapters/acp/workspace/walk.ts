import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { workspaceDepthMax, workspaceFilesMax } from './limits.ts';

/** Linux: a handle on the name itself. Opening it follows no links and reads nothing. */
const O_PATH = 0o10000000;
const byName = O_PATH | constants.O_NOFOLLOW;

/** Changes when the file is written. Its owner is another one at every start, so its inode changes more often. */
export type FileState = { readonly size: number; readonly mtimeMs: number; readonly ino: number };
export type Survey = {
  readonly files: ReadonlyMap<string, FileState>;
  /** Of everything in the workspace, also of what is not kept. */
  readonly bytes: number;
  /** There is more than could be looked at. */
  readonly isCut: boolean;
};

/** Folders of tools, which can be made again and are not results. */
const skipped: ReadonlySet<string> = new Set([
  ...['.git', 'node_modules', '.venv', '__pycache__', '.cache', '.pytest_cache', '.mypy_cache'],
]);

/** Lists a workspace while a program may be changing it. */
export async function survey(root: string): Promise<Survey> {
  const walk = { files: new Map<string, FileState>(), bytes: 0, seen: 0 };
  await using top = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  await walkFolder(top, { path: '', depth: 0, isKept: true }, walk);
  return { files: walk.files, bytes: walk.bytes, isCut: walk.seen > workspaceFilesMax };
}

type Walk = { files: Map<string, FileState>; bytes: number; seen: number };
type Step = { readonly path: string; readonly depth: number; readonly isKept: boolean };

async function walkFolder(folder: FileHandle, step: Step, walk: Walk): Promise<void> {
  if (step.depth > workspaceDepthMax) return;
  for (const name of (await readdir(`/proc/self/fd/${folder.fd}`)).toSorted()) {
    walk.seen += 1;
    if (walk.seen > workspaceFilesMax) return;
    await walkEntry(folder, name, { step, walk });
  }
}

async function walkEntry(
  folder: FileHandle,
  name: string,
  { step, walk }: { readonly step: Step; readonly walk: Walk },
): Promise<void> {
  const path = step.path === '' ? name : `${step.path}/${name}`;
  try {
    await using entry = await open(`/proc/self/fd/${folder.fd}/${name}`, byName);
    const found = await entry.stat();
    walk.bytes += found.blocks * 512;
    if (found.isDirectory()) {
      const isKept = step.isKept && !skipped.has(name);
      await walkFolder(entry, { path, depth: step.depth + 1, isKept }, walk);
    } else if (found.isFile() && step.isKept) {
      const { size, mtimeMs, ino } = found;
      walk.files.set(path, { size, mtimeMs, ino });
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Removed in the meantime, or closed by the program. */
function isGone(error: unknown): boolean {
  const codes = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
