import type { ConversationRow, ListPosition, ListQuery } from '../../timeline/ports/store.ts';

/** The rows that a list shows, in its order. */
export function selectRows(
  rows: readonly ConversationRow[],
  { limit, text, isWorking, pinnedFirst = false, after }: ListQuery,
): readonly ConversationRow[] {
  const compare = (a: ListPosition, b: ListPosition) =>
    (pinnedFirst ? Number(b.pinned) - Number(a.pinned) : 0) ||
    b.lastAt.localeCompare(a.lastAt) ||
    b.key - a.key;
  return rows
    .filter((row) => text === undefined || matches(row, text))
    .filter(({ openTurn }) => isWorking === undefined || isWorking === (openTurn !== undefined))
    .filter((row) => after === undefined || compare(after, row) < 0)
    .toSorted(compare)
    .slice(0, limit);
}

function matches({ id, title = '' }: ConversationRow, text: string): boolean {
  return id === text || title.toLowerCase().includes(text.toLowerCase());
}
