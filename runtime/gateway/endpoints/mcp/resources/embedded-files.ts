import type { ContentBlock } from '@modelcontextprotocol/server';
import { readBytes } from '../../../../base/bytes/read-bytes.ts';
import type { JsonObject } from '../../../../base/json.ts';
import { formatPath, parsePath } from '../../../../timeline/paths.ts';
import type { ConversationRow } from '../../../../timeline/ports/store.ts';
import { textOf } from '../../../feed/wire-json.ts';
import type { McpCaller } from '../messages/caller.ts';
import { embeddedFilesMax } from '../messages/limits.ts';
import { fileUri } from '../messages/uris.ts';
import { embeddedBytesMax, toContent } from './contents.ts';

/** The small images, sounds and texts among the files of a result: models see them without reading a resource. */
export async function embeddedIn(
  caller: McpCaller,
  row: ConversationRow,
  files: readonly JsonObject[],
): Promise<readonly ContentBlock[]> {
  const small = files.filter(({ mime, size }) => Number(size) <= embeddedBytesMax(textOf(mime)));
  const contents = await Promise.all(
    small.slice(0, embeddedFilesMax).map((file) => contentOf(caller, row, file)),
  );
  return contents.filter((content) => content !== undefined);
}

async function contentOf(
  { parts, sender, signal }: McpCaller,
  row: ConversationRow,
  { path, mime }: JsonObject,
): Promise<ContentBlock | undefined> {
  const { store, blobs } = parts.deps;
  const parsed = parsePath(textOf(path));
  const block = parsed && (await store.atPath(row.key, formatPath(parsed), { signal }));
  const bytesMax = embeddedBytesMax(textOf(mime));
  // It may have been written again since, and be larger now.
  if (!block?.blob || block.blob.size > bytesMax) return undefined;
  const { stream } = await blobs.open(sender.tenant, block.blob.hash, { signal });
  const bytes = await readBytes(stream, { bytesMax, what: 'the file' });
  return toContent({ uri: fileUri(textOf(path), row.id), mime: textOf(mime) }, bytes);
}
