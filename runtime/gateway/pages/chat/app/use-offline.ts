import { useEffect } from 'react';
import { asksForToken } from '../later/later.ts';
import type { Notices } from './use-notices.tsx';

/** How long the connection may be lost before the page shows a notice. */
const offlineMs = 3_000;

export function useOffline(isOffline: boolean, notices: Notices): void {
  useEffect(() => {
    if (!isOffline) {
      notices.clear('connection');
      return undefined;
    }
    const text =
      'The server cannot be reached. Messages you send wait until the connection is back.';
    const timer = setTimeout(() => {
      // Without a session the server refuses the connection, and the page says so.
      if (!asksForToken()) notices.show('connection', text);
    }, offlineMs);
    return () => clearTimeout(timer);
  }, [isOffline, notices]);
}
