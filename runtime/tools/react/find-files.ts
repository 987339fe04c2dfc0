import type { BlobRef } from '../../timeline/block.ts';
import { parsePath, paths } from '../../timeline/paths.ts';
import type { CallContext } from '../tool.ts';
import { filesOf, localName } from '../workspace.ts';

export type FoundFile = {
  /** `fi:…`, with its conversation if that is another one. */
  readonly path: string;
  /** `outputs/…`, `files/…` or `attachments/…` of its turn. */
  readonly local: string;
  readonly turn: string;
  readonly mime: string;
  readonly blob: BlobRef;
};

const folder =
  /^(?:conv:)?fi:((?:[a-z]+_)?turn_[\w-]+)\.((?:files|outputs|user\.attachments)\/.*)?$/s;

/** The file of a path, or with a `/` at its end every file beneath it; empty where there is none. */
export async function findFiles(path: string, context: CallContext): Promise<readonly FoundFile[]> {
  const [, turn, prefix = ''] = path.endsWith('/') ? (folder.exec(path.trim()) ?? []) : [];
  if (turn !== undefined) return filesBeneath(turn, prefix, context);
  const parsed = parsePath(path);
  const resolved = parsed?.family === 'fi' ? await context.services.read(path) : undefined;
  const local = resolved && localName(resolved.path);
  if (parsed?.family !== 'fi' || !resolved?.blob || local === undefined) return [];
  return [
    { path: resolved.path, local, turn: parsed.turn, mime: resolved.mime, blob: resolved.blob },
  ];
}

async function filesBeneath(
  turn: string,
  prefix: string,
  context: CallContext,
): Promise<readonly FoundFile[]> {
  const owner = context.view.turns.findLast(({ id }) => id === turn);
  const start = `fi:${turn}.${prefix}`;
  if (!owner) return filesInIndex(turn, start, context);
  return filesOf(owner)
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ ...file, turn }));
}

/** A turn that was compacted is known by its index, which names its files. */
async function filesInIndex(
  turn: string,
  start: string,
  context: CallContext,
): Promise<readonly FoundFile[]> {
  const index = await context.services.read(paths.turnIndex(turn));
  const rows = (index?.text ?? '').split('\n').map((row) => row.replace(/^- /, ''));
  const named = rows.filter((row) => row.startsWith(start));
  const found = named.map((row) =>
    findFiles(row.replace(/ \([\w.+-]+\/[\w.+-]+\).*$/, ''), context),
  );
  return (await Promise.all(found)).flat();
}
