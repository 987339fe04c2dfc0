/// <reference lib="dom" />
import { useEffect } from 'react';

/**
 * j and k go from turn to turn, / to the message field, and ? opens the list of keys, unless someone is writing. Ctrl . opens
 * the studio at the same conversation.
 */
export function useKeys(showKeys: () => void): void {
  useEffect(() => {
    const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
      j: () => go(1),
      k: () => go(-1),
      '?': showKeys,
      '/': (event) => {
        event.preventDefault();
        document.getElementById('text')?.focus();
      },
    };
    const press = (event: KeyboardEvent) => {
      const isShortcut = event.metaKey || event.ctrlKey || event.altKey;
      if (!isShortcut && !isWriting(event.target)) actions[event.key]?.(event);
      if (event.key === '.' && (event.metaKey || event.ctrlKey)) {
        location.assign(`/studio/${location.hash}`);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [showKeys]);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches('input, textarea, select') || target.isContentEditable)
  );
}

/** Focuses the next or previous turn, seen from the focused one or from the end. */
function go(by: 1 | -1): void {
  const turns = [...document.querySelectorAll<HTMLElement>('.turn')];
  const at = turns.findIndex((turn) => turn.contains(document.activeElement));
  const from = at === -1 ? (by === 1 ? -1 : turns.length) : at;
  const next = turns[Math.min(turns.length - 1, Math.max(0, from + by))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'start' });
}
