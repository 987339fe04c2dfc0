/// <reference lib="dom" />
import { useEffect } from 'react';

/** On a narrow screen the sidebar covers the conversation. A click beside it closes it. */
export function useOutsideClick(isOpen: boolean, setOpen: (isOpen: boolean) => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ target }: Event) => {
      const isInside =
        target instanceof Element && target.closest('#sidebar, #menu, .menu, .dialog');
      if (!isInside) setOpen(false);
    };
    document.addEventListener('click', close);
    return () => document.removeEventListener('click', close);
  }, [isOpen, setOpen]);
}
