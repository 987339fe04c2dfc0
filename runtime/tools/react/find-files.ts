import type { BlobRef } from '../../timeline/block.ts';
import { parsePath } from '../../timeline/paths.ts';
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

function filesBeneath(turn: string, prefix: string, { view }: CallContext): readonly FoundFile[] {
  const owner = view.turns.findLast(({ id }) => id === turn);
  const start = `fi:${turn}.${prefix}`;
  return (owner ? filesOf(owner) : [])
    .filter(({ path }) => path.startsWith(start))
    .map((file) => ({ ...file, turn }));
}
