/// <reference lib="dom" />
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';

/** Distance from the end, in pixels, within which a scrolled conversation still follows new content. */
const followPx = 120;

/**
 * A view at the end stays at the end while content grows. A view that was scrolled up stays where it is, also when turns are
 * added before the first one.
 */
export function useFollowEnd(scroll: RefObject<HTMLElement | null>) {
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const toEnd = useCallback(() => {
    if (isFollowing.current) scroll.current?.scrollTo({ top: scroll.current.scrollHeight });
  }, [scroll]);
  const follow = useCallback(() => {
    isFollowing.current = true;
    toEnd();
  }, [toEnd]);
  useLayoutEffect(toEnd);
  useEffect(() => {
    const element = scroll.current;
    if (!element) return undefined;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < followPx;
      // Only scrolling up stops following. Content that grows below does not.
      if (isAtEnd || scrollTop < lastTop.current) isFollowing.current = isAtEnd;
      lastTop.current = scrollTop;
      document.getElementById('bar')?.classList.toggle('scrolled', scrollTop > 4);
    };
    const observer = new ResizeObserver(toEnd);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', scrolled);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [scroll, toEnd]);
  /** Runs a drawing that may add turns before the first one, and keeps the scroll position. */
  const keepPosition = useCallback(
    (draw: () => void) => {
      const first = scroll.current?.querySelector('.turn');
      const topOf = () => first?.getBoundingClientRect().top ?? 0;
      const before = topOf();
      draw();
      const isEarlier = first?.isConnected && first !== scroll.current?.querySelector('.turn');
      if (!isEarlier || !scroll.current) return;
      isFollowing.current = false;
      scroll.current.scrollTop += topOf() - before;
    },
    [scroll],
  );
  const settle = useCallback(
    (turn: HTMLElement) => {
      const element = scroll.current;
      if (!element || !isFollowing.current || turn.offsetHeight <= element.clientHeight) return;
      isFollowing.current = false;
      element.scrollTop += turn.getBoundingClientRect().top - element.getBoundingClientRect().top;
    },
    [scroll],
  );
  return { follow, settle, keepPosition };
}
