import { useSyncExternalStore } from 'react';

export function isVisible(): boolean {
  return document.visibilityState !== 'hidden';
}

export function onVisibility(change: () => void): () => void {
  document.addEventListener('visibilitychange', change);
  return () => document.removeEventListener('visibilitychange', change);
}

/** Whether somebody can see the page: a browser has six connections for all tabs of a server, and a hidden tab needs none. */
export function useVisible(): boolean {
  return useSyncExternalStore(onVisibility, isVisible);
}
