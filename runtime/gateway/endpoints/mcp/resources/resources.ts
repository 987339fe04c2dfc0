import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { Refusal } from '../../../../base/refusal.ts';
import type { Block } from '../../../../timeline/block.ts';
import { type Seq, toSeq } from '../../../../timeline/ids.ts';
import { objectOf, textOf } from '../../../feed/wire-json.ts';
import type { McpCaller } from '../messages/caller.ts';
import { resourceBlocksPerPage, resourceBytesMax, resourcesPerPage } from '../messages/limits.ts';
import { fileUri } from '../messages/uris.ts';
import { type Contents, toContents } from './contents.ts';
import { findResource, unknownMime } from './find-resource.ts';

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
  const skills = {
    uriTemplate: 'sk:{+path}',
    name: 'skills',
    description: 'A skill of this bundle, or a file beside it that its text names.',
  };
  const { knowledge, skills: known } = endpoint.caller;
  return [files, ...(knowledge ? [pages] : []), ...(known.length > 0 ? [skills] : [])];
}

/** One resource. ProtocolError: it does not exist; Refusal `too_large`. */
export async function readResource(caller: McpCaller, uri: string): Promise<Contents> {
  const found = await findResource(caller, uri);
  if (!found) throw new ResourceNotFoundError(uri);
  if (found.size > resourceBytesMax) {
    const message = `the file has more than ${resourceBytesMax} bytes; read it under /api/files`;
    throw new Refusal('too_large', message);
  }
  return toContents(found, await found.read(resourceBytesMax));
}
