import { useEffect, useState } from 'react';

/** A number that changes every so often while the page is visible. 0 ms: never. */
export function useInterval(everyMs: number): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setVersion((before) => before + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return version;
}
