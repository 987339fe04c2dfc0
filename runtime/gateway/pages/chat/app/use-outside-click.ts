/// <reference lib="dom" />
import { useEffect } from 'react';

/** On a narrow screen the sidebar covers the conversation. A click beside it closes it. */
export function useOutsideClick(isOpen: boolean, setOpen: (isOpen: boolean) => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event) => {
      // What was clicked may have been replaced by now, and is then outside of everything.
      const isInside = event
        .composedPath()
        .some((each) => each instanceof Element && each.matches('#sidebar, #menu, .menu, .dialog'));
      if (!isInside) setOpen(false);
    };
    document.addEventListener('click', close);
    return () => document.removeEventListener('click', close);
  }, [isOpen, setOpen]);
}
