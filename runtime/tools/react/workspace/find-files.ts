import type { BlobRef } from '../../../timeline/block.ts';
import { type TurnId, toTurnId } from '../../../timeline/ids.ts';
import { formatPath, parsePath } from '../../../timeline/paths.ts';
import { turnIdOf } from '../../../timeline/short-names.ts';
import { filesOf, localPath } from '../../files/workspace.ts';
import type { ResolvedPath } from '../../ports/call-services.ts';
import type { CallContext } from '../../ports/tool.ts';

export type FoundFile = {
  /** `fi:…`, with the conversation if it is another one. */
  readonly path: string;
  /** `outputs/…`, `files/…` or `attachments/…` of its turn. */
  readonly local: string;
  readonly turn: TurnId;
  readonly mime: string;
  readonly blob: BlobRef;
};

const folder =
  /^(?:conv:)?fi:(?:([^.:/\s]+)\.)?((?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.((?:files|outputs|user\.attachments)\/.*)?$/s;

/** `turn`: an id or a short name. */
type Folder = { readonly turn: string; readonly prefix: string; readonly conversation?: string };

/** The file at a path, or every file below a path that ends in `/`; empty if none exists. */
export async function findFiles(path: string, context: CallContext): Promise<readonly FoundFile[]> {
  const beneath = folderOf(path.trim(), context);
  if (beneath) return filesBeneath(beneath, context);
  const asked = parsePath(path)?.family === 'fi' ? await context.services.read(path) : undefined;
  return asked ? foundFile(asked) : [];
}

function foundFile(resolved: ResolvedPath): readonly FoundFile[] {
  const parsed = parsePath(resolved.path);
  const local = localPath(resolved.path);
  if (parsed?.family !== 'fi' || !resolved.blob || local === undefined) return [];
  const { path, mime, blob } = resolved;
  return [{ path, local, turn: toTurnId(parsed.turn), mime, blob }];
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
  if (conversation !== undefined) return filesInIndex({ turn, prefix, conversation }, context);
  const { view } = context;
  const own = view.turns.findLast(({ id }) => id === turnIdOf(view, turn));
  if (!own) return filesInIndex({ turn, prefix }, context);
  return filesOf(own)
    .filter(({ path }) => path.startsWith(`fi:${own.id}.${prefix}`))
    .map((file) => ({ ...file, turn: own.id }));
}

/** For a compacted turn or a turn of another conversation, the index of the turn lists its files. */
async function filesInIndex(
  { prefix, ...place }: Folder,
  context: CallContext,
): Promise<readonly FoundFile[]> {
  const path = formatPath({ family: 'ar', ...place, rest: 'react.turn.index' });
  const index = await context.services.read(path);
  const rows = (index?.text ?? '').split('\n').map((row) => row.replace(/^- /, ''));
  const named = rows.map((row) => row.replace(/ \([\w.+-]+\/[\w.+-]+\).*$/, ''));
  const found = named.filter((path) => isBeneath(prefix, path));
  return (await Promise.all(found.map((path) => findFiles(path, context)))).flat();
}

function isBeneath(prefix: string, path: string): boolean {
  const parsed = parsePath(path);
  return parsed?.family === 'fi' && parsed.rest.startsWith(prefix);
}
