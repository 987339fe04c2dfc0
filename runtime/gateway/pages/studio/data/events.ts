import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { fields } from '../../../../client/story/json-fields.ts';
import { signIn, useSignIns } from '../session/sign-in.ts';
import type { WorkingItem } from './project-wire.ts';
import { inspectUrl } from './server.ts';
import { useSettled } from './use-settled.ts';
import { isVisible, onVisibility, useVisible } from './use-visible.ts';

type Head = { readonly head: number; readonly active_turn_id?: string };

/** Changes whenever the server says that the log at this address is not what is known of it. Undefined: nothing is followed. */
export function useHeads(url: string | undefined, known: Head | undefined): string {
  const [latest, setLatest] = useState<Head>();
  const version = useRef('');
  // A browser does not connect again after a refusal.
  const signIns = useSignIns();
  const isSeen = useVisible();
  const place = useMemo(
    () => (url === undefined || !isSeen ? undefined : { url, signIns }),
    [url, signIns, isSeen],
  );
  useEffect(() => {
    if (place === undefined) return undefined;
    const source = new EventSource(place.url);
    source.addEventListener('head', ({ data }) => {
      const parsed: unknown = JSON.parse(String(data));
      // The server of this page writes what the type says.
      setLatest(parsed as Head);
    });
    return () => {
      source.close();
      setLatest(undefined);
    };
  }, [place]);
  const isBehind =
    known !== undefined &&
    latest !== undefined &&
    (latest.head !== known.head || latest.active_turn_id !== known.active_turn_id);
  if (isBehind) version.current = `${latest.head} ${latest.active_turn_id ?? ''}`;
  return version.current;
}

export type Live = {
  /** Undefined: not yet known, or the user may not see it. */
  readonly items: readonly WorkingItem[] | undefined;
  readonly metrics: Readonly<Record<string, number>>;
  readonly isLost: boolean;
};

/** What works in the installation: one connection for the whole page, while any view needs it. */
class LiveSource {
  #live: Live = { items: undefined, metrics: {}, isLost: false };
  #source: EventSource | undefined;
  readonly #listeners = new Set<() => void>();

  constructor() {
    signIn.subscribe(() => {
      if (signIn.asking() || this.#source?.readyState !== EventSource.CLOSED) return;
      this.#source = this.#open();
    });
    onVisibility(() => this.#follow());
  }

  readonly now = () => this.#live;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    this.#follow();
    return () => {
      this.#listeners.delete(listener);
      this.#follow();
    };
  };

  /** Connected while a view that is seen needs it. */
  #follow(): void {
    if (this.#listeners.size > 0 && isVisible()) {
      this.#source ??= this.#open();
      return;
    }
    this.#source?.close();
    this.#source = undefined;
  }

  #open(): EventSource {
    const source = new EventSource(inspectUrl('live'));
    source.addEventListener('live', ({ data }) => {
      const parsed: unknown = JSON.parse(String(data));
      const { items, metrics } = fields(parsed);
      // The server of this page writes what the types say.
      this.#tell({ items, metrics, isLost: false } as Live);
    });
    source.addEventListener('error', () => this.#tell({ ...this.#live, isLost: true }));
    return source;
  }

  #tell(live: Live): void {
    this.#live = live;
    for (const listener of this.#listeners) listener();
  }
}

const source = new LiveSource();

export function useLive(): Live {
  return useSyncExternalStore(source.subscribe, source.now);
}

/** How often lists are read again while turns work. */
const settleMs = 2_000;

/** Changes when a turn begins, goes on or ends. */
export function useActivity(): string {
  const { items } = useLive();
  return useSettled((items ?? []).map(({ id, head }) => `${id} ${head}`).join(), settleMs);
}
