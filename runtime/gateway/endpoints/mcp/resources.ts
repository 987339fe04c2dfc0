import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { readBytes } from '../../../base/bytes/read-bytes.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Block } from '../../../timeline/block.ts';
import { type Seq, toSeq } from '../../../timeline/ids.ts';
import { formatPath, parsePath } from '../../../timeline/paths.ts';
import { isTextual } from '../../../tools/files/mime.ts';
import { storedIn } from '../../../tools/services/path-reader.ts';
import { isPublic } from '../../feed/block-envelopes.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import type { McpCaller } from './messages/caller.ts';
import { resourceBlocksPerPage, resourceBytesMax, resourcesPerPage } from './messages/limits.ts';
import { decodePath, fileUri } from './messages/uris.ts';

const unknownMime = 'application/octet-stream';

/** The files of the session's conversation that people may see, a page at a time. */
export async function listResources(caller: McpCaller, cursor: string | undefined) {
  const { parts, sender, conversation, signal } = caller;
  const { store } = parts.deps;
  const row = await store.find(sender, conversation, { signal });
  if (!row) return { resources: [] };
  const after = toSeq(Number(/^\d{1,15}$/.exec(cursor ?? '0')?.[0] ?? 0));
  const page = await store.read(row.key, { after, limit: resourceBlocksPerPage, signal });
  const files = page.filter(isVisibleFile).slice(0, resourcesPerPage);
  const end: Seq | undefined =
    files.length === resourcesPerPage
      ? files.at(-1)?.seq
      : page.length === resourceBlocksPerPage
        ? page.at(-1)?.seq
        : undefined;
  // A file that was written again is listed once, as it is now.
  const resources = new Map(files.map((block) => [block.path, toResource(block, conversation)]));
  return {
    resources: [...resources.values()],
    ...(end === undefined ? {} : { nextCursor: String(end) }),
  };
}

function isVisibleFile(block: Block): boolean {
  if (block.type !== 'artifact.file' || block.path === undefined) return false;
  return (objectOf(block.data)['visibility'] ?? 'external') === 'external';
}

function toResource({ path, mime = unknownMime, data }: Block, conversation: string) {
  const { filename, size, description } = objectOf(data);
  return {
    uri: fileUri(path ?? '', conversation),
    name: textOf(filename) || (path ?? ''),
    mimeType: mime,
    ...(typeof size === 'number' ? { size } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

export function resourceTemplates({ endpoint }: McpCaller) {
  const files = {
    uriTemplate: 'fi:{+path}',
    name: 'files',
    description: 'A file that a call has produced, as its result names it.',
  };
  const pages = {
    uriTemplate: 'ks:{+path}',
    name: 'knowledge',
    description: 'A page of the knowledge of this bundle.',
  };
  return [files, ...(endpoint.caller.knowledge ? [pages] : [])];
}

export type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/** One resource. ProtocolError: it does not exist, or is too large. */
export async function readResource(caller: McpCaller, uri: string): Promise<Contents> {
  const path = parsePath(decodePath(uri) ?? '');
  if (path?.family === 'ks' && 'name' in path) return readPage(caller, { uri, name: path.name });
  if (path?.family === 'fi' && !('name' in path)) return readFile(caller, { uri, path });
  throw new ResourceNotFoundError(uri);
}

async function readPage(
  { endpoint, signal }: McpCaller,
  { uri, name }: { uri: string; name: string },
): Promise<Contents> {
  const page = await endpoint.caller.knowledge?.read(name, { signal });
  if (!page) throw new ResourceNotFoundError(uri);
  return toContents({ uri, mime: page.mime }, page.body);
}

type FilePath = Exclude<NonNullable<ReturnType<typeof parsePath>>, { name: string }>;

async function readFile(
  { parts, sender, conversation, signal }: McpCaller,
  { uri, path }: { uri: string; path: FilePath },
): Promise<Contents> {
  const { store, blobs } = parts.deps;
  const row = await store.find(sender, path.conversation ?? conversation, { signal });
  const { conversation: _, ...named } = path;
  const local = row && (await storedIn(named, row.key, { store, signal }));
  const block = local && (await store.atPath(row.key, formatPath(local), { signal }));
  if (!block || !isPublic(block)) throw new ResourceNotFoundError(uri);
  const mime = block.mime ?? unknownMime;
  if (!block.blob) return toContents({ uri, mime }, block.text ?? '');
  if (block.blob.size > resourceBytesMax) {
    const message = `the file has more than ${resourceBytesMax} bytes; read it under /api/files`;
    throw new Refusal('too_large', message);
  }
  const { stream } = await blobs.open(sender.tenant, block.blob.hash, { signal });
  const limit = { bytesMax: resourceBytesMax, what: 'the file' };
  return toContents({ uri, mime }, await readBytes(stream, limit));
}

export function toContents(
  { uri, mime }: { uri: string; mime: string },
  body: string | Uint8Array,
): Contents {
  if (typeof body === 'string') return { uri, mimeType: mime, text: body };
  const bytes = Buffer.from(body);
  return isTextual(mime)
    ? { uri, mimeType: mime, text: bytes.toString('utf8') }
    : { uri, mimeType: mime, blob: bytes.toString('base64') };
}
