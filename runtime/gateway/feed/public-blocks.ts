import type { Block } from '../../timeline/block.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { resourceOf } from '../../timeline/resource-names.ts';
import { isPublic } from './block-envelopes.ts';

/** What a client may read of these blocks of a conversation. */
export function toPublicBlocks(blocks: readonly Block[], row: ConversationRow): readonly object[] {
  return blocks.filter(isPublic).map((block) => toPublicBlock(block, row));
}

const fileTypes: ReadonlySet<string> = new Set(['user.attachment', 'artifact.file']);

/** The block without the hash of its bytes; a file with its resource name. */
function toPublicBlock({ blob, conversation: _, ...block }: Block, row: ConversationRow): object {
  const resource = fileTypes.has(block.type) ? resourceOf(block.path, row.id, row) : undefined;
  return {
    ...block,
    ...(resource !== undefined && { resource }),
    ...(blob !== undefined && { size: blob.size }),
  };
}
