import { Readable } from 'node:stream';
import { verifyHash } from '../../base/bytes/verify-hash.ts';
import { emptyView, foldAll, foldArchive } from '../../timeline/fold/fold.ts';
import type { ConversationKey } from '../../timeline/ids.ts';
import { formatPath, type Path, parsePath, paths, withOwner } from '../../timeline/paths.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ProjectScope, TimelineStore } from '../../timeline/ports/store.ts';
import { resolve } from '../../timeline/resolve/resolve.ts';
import { toStored, usesShortName } from '../../timeline/short-names.ts';
import type { View } from '../../timeline/view.ts';
import { logBlocksMax, logPageBlocks } from '../limits.ts';
import type { ResolvedPath, TurnServices } from '../ports/call-services.ts';

/** Resolve paths that are not in a log. Undefined if nothing has the path. */
export type Resolvers = {
  readonly skill?: (name: string) => Promise<ResolvedPath | undefined>;
  readonly knowledge?: (
    name: string,
    options: { signal: AbortSignal },
  ) => Promise<ResolvedPath | undefined>;
};

type ReaderParts = {
  readonly scope: ProjectScope & { readonly user: string };
  readonly conversation: string;
  readonly key: ConversationKey;
  readonly view: View;
  readonly store: TimelineStore;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
  readonly resolvers?: Resolvers;
  /** Files written by this call that are not in the log yet. */
  readonly written?: (path: string) => ResolvedPath | undefined;
};

/** Reads any path the user may read: this log, the user's other conversations, skills, knowledge. */
export function createPathReader(
  sources: ReaderParts,
): Pick<TurnServices, 'read' | 'bytes' | 'stream'> {
  const { resolvers = {}, blobs, scope, signal } = sources;
  return {
    read: async (text) => {
      const path = parsePath(text);
      if (path === undefined) return undefined;
      if ('name' in path) {
        const answer = path.family === 'sk' ? resolvers.skill : resolvers.knowledge;
        return answer?.(path.name, { signal });
      }
      return readLog(path, sources);
    },
    bytes: async ({ blob, text }) =>
      blob ? blobs.get(scope.tenant, blob.hash, { signal }) : new TextEncoder().encode(text ?? ''),
    stream: async ({ blob, text }) => {
      if (!blob) return Readable.from([new TextEncoder().encode(text ?? '')]);
      const { stream } = await blobs.open(scope.tenant, blob.hash, { signal });
      return verifyHash(stream, blob);
    },
  };
}

type LogPath = Exclude<Path, { name: string }>;

async function readLog(asked: LogPath, sources: ReaderParts): Promise<ResolvedPath | undefined> {
  const { conversation, ...bare } = asked;
  if (conversation === undefined || conversation === sources.conversation) {
    const local = toStored(sources.view, bare) ?? bare;
    const written = sources.written?.(formatPath(local));
    if (written) return written;
    const view = await withWholeSources(asked, sources);
    return resolve(view, formatPath(local)) ?? readStored(local, sources.key, sources);
  }
  const key = await keyOf(conversation, sources);
  const found = key === undefined ? undefined : await readStored(bare, key, sources);
  const inner = found && parsePath(found.path);
  if (found === undefined || inner === undefined || 'name' in inner) return found;
  const path = formatPath({ ...inner, conversation });
  return found.text !== undefined && containsPaths(path)
    ? { ...found, path, text: withOwner(found.text, conversation) }
    : { ...found, path };
}

/** Indexes and summaries contain paths of their own conversation. */
function containsPaths(path: string): boolean {
  return /^(?:ws|su):|\.react\.turn\.index$/.test(path);
}

/** Restores the full rows of sources that a compaction kept in shortened form. */
async function withWholeSources(
  path: LogPath,
  { view, store, key, signal }: ReaderParts,
): Promise<View> {
  if (path.family !== 'so') return view;
  const cut = view.sources.filter((row) => row.cut && path.sids.includes(row.sid));
  const rows = await Promise.all(
    cut.map(({ sid }) => store.atPath(key, paths.source(sid), { signal })),
  );
  return foldAll(
    view,
    rows.flatMap((row) => row ?? []),
  );
}

/** Another conversation can be read only by its own user. */
async function keyOf(conversation: string, { store, scope, signal }: ReaderParts) {
  const row = await store.find(scope, conversation, { signal });
  return row?.key;
}

type LogAccess = Pick<ReaderParts, 'store' | 'signal'>;

/** Outside the folded window: the block at the path, or the whole log for computed paths and short names. */
async function readStored(path: LogPath, key: ConversationKey, { store, signal }: LogAccess) {
  const local = formatPath(path);
  if (usesShortName(path)) return resolve(await readView(store, key, signal), local);
  const block = await store.atPath(key, local, { signal });
  if (block) return resolve(foldAll(emptyView, [block]), local);
  return isComputed(local) ? resolve(await readView(store, key, signal), local) : undefined;
}

function isComputed(path: string): boolean {
  return /^so:|^ar:plan\.latest:|\.(assistant\.completion|react\.turn\.index|conv\.working\.summary)$/.test(
    path,
  );
}

/** The path as a conversation stores it; undefined if it has no turn or call of this name. */
export async function storedIn<Local extends LogPath>(
  path: Local,
  key: ConversationKey,
  { store, signal }: LogAccess,
): Promise<Local | undefined> {
  return usesShortName(path) ? toStored(await readView(store, key, signal), path) : path;
}

async function readView(
  store: TimelineStore,
  key: ConversationKey,
  signal: AbortSignal,
): Promise<View> {
  let view = emptyView;
  for (let read = 0; read < logBlocksMax; ) {
    const blocks = await store.read(key, { after: view.head, limit: logPageBlocks, signal });
    view = foldArchive(view, blocks);
    read += blocks.length;
    if (blocks.length < logPageBlocks) break;
  }
  return view;
}
