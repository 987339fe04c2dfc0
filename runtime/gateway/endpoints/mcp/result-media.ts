import type { ContentBlock } from '@modelcontextprotocol/server';
import { readBytes } from '../../../base/bytes/read-bytes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { formatPath, parsePath } from '../../../timeline/paths.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import { textOf } from '../../feed/wire-json.ts';
import type { McpCaller } from './messages/caller.ts';
import { mediaBytesMax, mediaMax } from './messages/limits.ts';

/** What models can look at or listen to. */
const mediaShape = /^(image)\/(?:png|jpeg|gif|webp)$|^(audio)\/[\w.+-]+$/;

/** The small images and sounds among the files of a result: models see them without reading a resource. */
export async function mediaIn(
  caller: McpCaller,
  row: ConversationRow,
  files: readonly JsonObject[],
): Promise<readonly ContentBlock[]> {
  const small = files.filter(
    ({ mime, size }) => mediaShape.test(textOf(mime)) && Number(size) <= mediaBytesMax,
  );
  const contents = await Promise.all(
    small.slice(0, mediaMax).map((file) => contentOf(caller, row, file)),
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
  if (!block?.blob) return undefined;
  const { stream } = await blobs.open(sender.tenant, block.blob.hash, { signal });
  const bytes = await readBytes(stream, { bytesMax: mediaBytesMax, what: 'the file' });
  const mimeType = textOf(mime);
  const data = Buffer.from(bytes).toString('base64');
  return { type: mimeType.startsWith('image/') ? 'image' : 'audio', data, mimeType };
}
