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
  /^(?:conv:)?fi:(?:([^.:/\s]+)\.)?((?:[a-z]+_)?turn_[\w-]+)\.((?:files|outputs|user\.attachments)\/.*)?$/s;

type Folder = { readonly turn: string; readonly prefix: string; readonly conversation?: string };

/** The file of a path, or with a `/` at its end every file beneath it; empty where there is none. */
export async function findFiles(path: string, context: CallContext): Promise<readonly FoundFile[]> {
  const beneath = folderOf(path.trim(), context);
  if (beneath) return filesBeneath(beneath, context);
  const parsed = parsePath(path);
  const resolved = parsed?.family === 'fi' ? await context.services.read(path) : undefined;
  const local = resolved && localName(resolved.path);
  if (parsed?.family !== 'fi' || !resolved?.blob || local === undefined) return [];
  return [
    { path: resolved.path, local, turn: parsed.turn, mime: resolved.mime, blob: resolved.blob },
  ];
}

function folderOf(path: string, { conversation: here }: CallContext): Folder | undefined {
  const [, owner, turn, prefix = ''] = path.endsWith('/') ? (folder.exec(path) ?? []) : [];
  if (turn === undefined) return undefined;
  return owner === undefined || owner === here
    ? { turn, prefix }
    : { turn, prefix, conversation: owner };
}

async function filesBeneath(
  { turn, prefix, conversation }: Folder,
  context: CallContext,
): Promise<readonly FoundFile[]> {
  const owner =
    conversation === undefined ? context.view.turns.findLast(({ id }) => id === turn) : undefined;
  const place = conversation === undefined ? turn : `${conversation}.${turn}`;
  const start = `fi:${place}.${prefix}`;
  if (!owner) return filesInIndex(place, start, context);
  return filesOf(owner)
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ ...file, turn }));
}

/** A turn that was compacted, or is of another conversation, is known by its index, which names its files. */
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
