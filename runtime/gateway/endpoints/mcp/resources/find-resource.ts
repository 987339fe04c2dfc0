import { readBytes } from '../../../../base/bytes/read-bytes.ts';
import { formatPath, type Path, parsePath } from '../../../../timeline/paths.ts';
import { storedIn } from '../../../../tools/services/path-reader.ts';
import { isPublic } from '../../../feed/block-envelopes.ts';
import { objectOf, textOf } from '../../../feed/wire-json.ts';
import type { McpCaller } from '../messages/caller.ts';
import { decodePath } from '../messages/uris.ts';

export const unknownMime = 'application/octet-stream';

/** A resource that a client may read. */
export type FoundResource = {
  readonly uri: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** Refusal `too_large`: it has more bytes. */
  read(bytesMax: number): Promise<string | Uint8Array>;
};

/** Undefined: it does not exist, or it belongs to another user. */
export async function findResource(
  caller: McpCaller,
  uri: string,
): Promise<FoundResource | undefined> {
  const path = parsePath(decodePath(uri) ?? '');
  if (!path) return undefined;
  if ('name' in path) {
    const find = path.family === 'ks' ? findPage : findSkill;
    return find(caller, { uri, name: path.name });
  }
  return path.family === 'fi' ? findFile(caller, { uri, path }) : undefined;
}

type Named = { readonly uri: string; readonly name: string };

async function findPage(
  { endpoint, signal }: McpCaller,
  { uri, name }: Named,
): Promise<FoundResource | undefined> {
  const page = await endpoint.caller.knowledge?.read(name, { signal });
  return page && toResource({ uri, name, mime: page.mime }, page.body);
}

/** `sk:<bundle>.<name>`, or a file beside it. Hidden skills are for agents. */
async function findSkill(
  { endpoint }: McpCaller,
  { uri, name }: Named,
): Promise<FoundResource | undefined> {
  const [id, ...rest] = name.split('/');
  const skill = endpoint.caller.skills.find((each) => each.id === id && !each.hidden);
  if (!skill) return undefined;
  if (rest.length === 0) return toResource({ uri, name, mime: 'text/markdown' }, skill.text);
  const file = await skill.file(rest.join('/'));
  return file && toResource({ uri, name: rest.at(-1) ?? name, mime: file.mime }, file.bytes);
}

function toResource(
  named: Named & { readonly mime: string },
  body: string | Uint8Array,
): FoundResource {
  return { ...named, size: Buffer.byteLength(body), read: async () => body };
}

type FilePath = Exclude<Path, { name: string }>;

async function findFile(
  { parts, sender, conversation, signal }: McpCaller,
  { uri, path }: { uri: string; path: FilePath },
): Promise<FoundResource | undefined> {
  const { store, blobs } = parts.deps;
  const row = await store.find(sender, path.conversation ?? conversation, { signal });
  const { conversation: _, ...named } = path;
  const local = row && (await storedIn(named, row.key, { store, signal }));
  const block = local && (await store.atPath(row.key, formatPath(local), { signal }));
  if (!block || !isPublic(block)) return undefined;
  const { blob, text = '', mime = unknownMime } = block;
  const name = textOf(objectOf(block.data)['filename']) || (block.path ?? uri);
  if (!blob) return toResource({ uri, name, mime }, text);
  const read = async (bytesMax: number) => {
    const { stream } = await blobs.open(sender.tenant, blob.hash, { signal });
    return readBytes(stream, { bytesMax, what: 'the file' });
  };
  return { uri, name, mime, size: blob.size, read };
}
