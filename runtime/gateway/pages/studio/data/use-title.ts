import { useEffect } from 'react';

/** Names the page, for tabs and the history of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Timeloom Studio' : `${title} · Timeloom Studio`;
  }, [title]);
}
