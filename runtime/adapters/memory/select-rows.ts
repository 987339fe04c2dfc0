import type { Block } from '../../timeline/block.ts';
import type {
  ConversationRow,
  ListedConversation,
  ListPosition,
  ListQuery,
} from '../../timeline/ports/store.ts';
import { toSnippet } from '../../timeline/search/snippet.ts';
import { wordsOf } from '../../timeline/search/word-match.ts';
import type { Conversation } from './conversation.ts';

/** Letters of a word that is searched for in messages. */
const wordCharsMin = 3;

/** The rows that a list shows, in its order. */
export function selectRows(
  conversations: readonly Conversation[],
  { limit, text, isWorking, isWaiting, pinnedFirst = false, after }: ListQuery,
): readonly ListedConversation[] {
  const compare = (a: ListPosition, b: ListPosition) =>
    (pinnedFirst ? Number(b.pinned) - Number(a.pinned) : 0) ||
    b.lastAt.localeCompare(a.lastAt) ||
    b.key - a.key;
  return conversations
    .filter((each) => text === undefined || matches(each, text))
    .map((each) => ({ ...snapshot(each), waits: isWaitingFor(each) }))
    .filter(({ openTurn }) => isWorking === undefined || isWorking === (openTurn !== undefined))
    .filter(({ waits }) => isWaiting === undefined || isWaiting === waits)
    .filter((row) => after === undefined || compare(after, row) < 0)
    .toSorted(compare)
    .slice(0, limit);
}

export function snapshot({ row }: Conversation): ConversationRow {
  return { ...row };
}

function matches({ row: { id, title = '' }, blocks }: Conversation, text: string): boolean {
  if (id === text || title.toLowerCase().includes(text.toLowerCase())) return true;
  return saidIn(blocks, text) !== undefined;
}

/** The newest message, answer or file with words that begin so. */
export function saidIn(blocks: readonly Block[], text: string): Block | undefined {
  const wanted = wordsOf(text);
  if (!wanted.some((word) => word.length >= wordCharsMin)) return undefined;
  const recalled = recalledPaths(blocks);
  return blocks.findLast((block) => !recalled.has(block.path) && hasAll(block, wanted));
}

export function recalledPaths(blocks: readonly Block[]): ReadonlySet<string | undefined> {
  return new Set(blocks.flatMap(({ type, path }) => (type === 'external.recall' ? path : [])));
}

function hasAll(block: Block, wanted: readonly string[]): boolean {
  const snippet = toSnippet(block);
  if (!snippet) return false;
  const words = wordsOf(`${snippet.heading} ${snippet.text}`);
  return wanted.every((each) => words.some((word) => word.startsWith(each)));
}

/** Whether the open turn waits for the decision of a person. */
function isWaitingFor({ row, blocks }: Conversation): boolean {
  const paths = new Set<string | undefined>(blocks.map(({ path }) => path));
  return blocks.some(
    ({ type, turn, path = '' }) =>
      type === 'approval.request' &&
      turn === row.openTurn &&
      ['decision', 'close'].every(
        (end) => !paths.has(path.replace('.approval.request.', `.approval.${end}.`)),
      ),
  );
}
