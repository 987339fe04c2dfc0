import { useEffect, useRef } from 'react';

/** Keys of the whole page, except while a person types. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      const types =
        target instanceof HTMLElement && target.closest('input, textarea, select, dialog');
      if (types || ctrlKey || metaKey || altKey) return;
      current.current[key]?.();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
