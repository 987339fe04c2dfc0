import { useCallback, useState } from 'react';
import { getJson } from './server.ts';
import { useJson } from './use-json.ts';

type Page<T> = { readonly items: readonly T[]; readonly next_cursor?: string };
type More<T> = { readonly url: string; readonly items: readonly T[]; readonly next?: string };

/** A list that continues with a cursor. Loading it again keeps what was loaded after the first page. */
export function usePages<T extends { readonly id: string }>(url: string, version: unknown) {
  const { data, error } = useJson<Page<T>>(url, version);
  const [more, setMore] = useState<More<T>>();
  const own = more?.url === url ? more : undefined;
  const next = own ? own.next : data?.next_cursor;
  const loadMore = useCallback(async () => {
    if (next === undefined) return;
    const glue = url.includes('?') ? '&' : '?';
    const page = await getJson<Page<T>>(`${url}${glue}cursor=${encodeURIComponent(next)}`);
    setMore((before) => ({
      url,
      items: [...(before?.url === url ? before.items : []), ...page.items],
      ...(page.next_cursor !== undefined && { next: page.next_cursor }),
    }));
  }, [url, next]);
  const first = data?.items ?? [];
  const known = new Set(first.map(({ id }) => id));
  const items = [...first, ...(own?.items ?? []).filter(({ id }) => !known.has(id))];
  return { items, isLoaded: data !== undefined, error, hasMore: next !== undefined, loadMore };
}
