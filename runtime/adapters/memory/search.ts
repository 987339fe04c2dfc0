import type { Block } from '../../timeline/block.ts';
import { toSnippet } from '../../timeline/snippet.ts';
import type { Snippet, SnippetQuery } from '../../timeline/store.ts';

/** Snippets that share words with the query: the share of its words that they hold, newer first among equals. */
export function searchBlocks(blocks: readonly Block[], query: SnippetQuery): readonly Snippet[] {
  const wanted = query.text === undefined ? undefined : words(query.text);
  return blocks
    .flatMap((block) => toHit(block, wanted))
    .filter(({ target, score }) => score > 0 && query.targets.includes(target))
    .sort((a, b) => b.score - a.score || b.at.localeCompare(a.at) || b.seq - a.seq)
    .slice(0, query.limit);
}

function toHit(block: Block, wanted: ReadonlySet<string> | undefined): readonly Snippet[] {
  const snippet = toSnippet(block);
  if (snippet === undefined || block.path === undefined) return [];
  const { conversation, turn, seq, path, at } = block;
  return [{ conversation, turn, seq, path, at, ...snippet, score: share(snippet.text, wanted) }];
}

function share(text: string, wanted: ReadonlySet<string> | undefined): number {
  if (wanted === undefined) return 1;
  const have = words(text);
  return [...wanted].filter((word) => have.has(word)).length / Math.max(1, wanted.size);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
