import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ConversationRow, TimelineStore } from '../../timeline/ports/store.ts';

/** One conversation, opened for reading. */
export type OpenLog = {
  readonly row: ConversationRow;
  /** All blocks, in order. */
  readonly blocks: readonly Block[];
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
};

type Reading = {
  /** Blocks of one page; the store has a limit of its own. */
  readonly pageBlocks: number;
  /** Continues a log that was read before. */
  readonly known?: readonly Block[];
  readonly signal: AbortSignal;
};

/** The whole log of a conversation. */
export async function readLog(
  store: Pick<TimelineStore, 'read'>,
  { key, head }: ConversationRow,
  { pageBlocks, known = [], signal }: Reading,
): Promise<readonly Block[]> {
  const blocks = [...known];
  while ((blocks.at(-1)?.seq ?? 0) < head) {
    const after = toSeq(blocks.at(-1)?.seq ?? 0);
    const page = await store.read(key, { after, limit: pageBlocks, signal });
    if (page.length === 0) break;
    blocks.push(...page);
  }
  return blocks;
}

/** Reads text that is stored outside the log. Fault `BLOB_MISSING` or `BLOB_CORRUPT`. */
export async function textOf(
  { blobs, row, signal }: Pick<OpenLog, 'row' | 'blobs' | 'signal'>,
  hash: string,
): Promise<string> {
  const bytes = await blobs.get(row.tenant, hash, { signal });
  return Buffer.from(bytes).toString();
}
