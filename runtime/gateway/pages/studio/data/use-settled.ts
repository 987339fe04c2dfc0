import { useEffect, useRef, useState } from 'react';

/** A value that follows another one, at most every so often: what depends on it is not loaded for each change. */
export function useSettled<T>(value: T, everyMs: number): T {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (timer.current !== undefined || Object.is(settled, value)) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setSettled(latest.current);
    }, everyMs);
  }, [value, settled, everyMs]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return settled;
}
