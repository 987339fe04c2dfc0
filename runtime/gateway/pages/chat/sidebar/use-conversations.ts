/// <reference lib="dom" />
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Client, ConversationFacts } from '../../../../client/index.ts';

/** Conversations per page of the list. */
const pageSize = 60;
/** The most that the server lists at once. */
const pageMax = 200;
/** How long a search waits for the next key, and a refresh for the next change. */
const typingMs = 200;
const refreshMs = 60;

export type ConversationList = {
  readonly items: readonly ConversationFacts[];
  readonly hasMore: boolean;
  readonly query: string;
  search(query: string): void;
  more(): void;
  refresh(): void;
};

/** The user's conversations that match a search, newest first. */
export function useConversations(
  client: Client,
  { failed, loaded }: { failed(error: unknown, retry: () => void): void; loaded(): void },
): ConversationList {
  const [items, setItems] = useState<readonly ConversationFacts[]>([]);
  const [next, setNext] = useState<string>();
  const [query, setQuery] = useState('');
  const latest = useRef(0);
  /** Conversations on the page, which a refresh loads again. */
  const shown = useRef(0);
  const load = useCallback(
    async (after?: string) => {
      latest.current += 1;
      const request = latest.current;
      try {
        const words = query.trim();
        const page = await client.conversations({
          limit:
            after === undefined ? Math.min(pageMax, Math.max(pageSize, shown.current)) : pageSize,
          ...(words !== '' && { q: words }),
          ...(after !== undefined && { cursor: after }),
        });
        if (request !== latest.current) return;
        setItems((before) => {
          const all = after === undefined ? page.items : [...before, ...page.items];
          shown.current = all.length;
          return all;
        });
        setNext(page.nextCursor);
        loaded();
      } catch (error) {
        failed(error, () => void load());
      }
    },
    [client, query, failed, loaded],
  );
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => void load(), refreshMs);
  }, [load]);
  useEffect(() => {
    const timer = setTimeout(() => void load(), query === '' ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [load, query]);
  useEffect(() => client.onListChange(refresh), [client, refresh]);
  return {
    items,
    hasMore: next !== undefined,
    query,
    search: setQuery,
    more: () => void load(next),
    refresh,
  };
}
