/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef, useState } from 'react';

const label = 'Load earlier messages';
const loading = 'Loading earlier messages…';

type Props = {
  readonly hasEarlier: boolean;
  /** Resolves with false if it failed. */
  load(): Promise<boolean>;
};

/** The button above a conversation that loads earlier messages. It stays enabled while it loads, to keep the focus. */
export function LoadEarlier({ hasEarlier, load }: Props): ReactNode {
  const [state, setState] = useState<'ready' | 'loading' | 'loaded'>('ready');
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (hasEarlier || !hadFocus.current) return;
    hadFocus.current = false;
    document.getElementById('scroll')?.focus({ preventScroll: true });
  }, [hasEarlier]);
  const start = async () => {
    if (state === 'loading') return;
    hadFocus.current = document.activeElement === button.current;
    setState('loading');
    setState((await load()) ? 'loaded' : 'ready');
  };
  const said = state === 'loaded' ? 'Earlier messages are loaded.' : '';
  return (
    <>
      <button
        ref={button}
        id="earlier"
        type="button"
        hidden={!hasEarlier}
        aria-busy={state === 'loading'}
        onClick={() => void start()}
      >
        {state === 'loading' ? loading : label}
      </button>
      <p id="loaded" className="unseen" role="status">
        {state === 'loading' ? loading : said}
      </p>
    </>
  );
}
