import { useCallback, useSyncExternalStore } from 'react';

export const tabs = ['prompt', 'reply', 'diff', 'cache', 'blocks', 'trace', 'forks'] as const;
export type Tab = (typeof tabs)[number];

/** What the studio shows, as its address has it: `#conv_…?at=47&tab=prompt&block=8`. */
export type Address = {
  /** A conversation, or `usage`, `live`. Empty: nothing is chosen. */
  readonly page: string;
  /** The block at which the conversation is looked at. Undefined: its end. */
  readonly at?: number | undefined;
  /** Without `at`: the turn at whose end it is looked at. */
  readonly turn?: string | undefined;
  readonly tab: Tab;
  /** The chosen block. */
  readonly block?: number | undefined;
  /** The sentence whose sources are searched. */
  readonly find?: string | undefined;
  /** The round to compare with, and its conversation if that is another one. */
  readonly with?: number | undefined;
  readonly other?: string | undefined;
  /** Two runs to compare, each `conversation/turn`. */
  readonly a?: string | undefined;
  readonly b?: string | undefined;
  /** Filters of the blocks: type and text. */
  readonly type?: string | undefined;
  readonly q?: string | undefined;
  /** Grouping of usage. */
  readonly by?: string | undefined;
};

export function parseAddress(hash: string): Address {
  const [page = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const values = new URLSearchParams(query);
  const text = (key: string) => values.get(key) ?? undefined;
  const number = (key: string) => {
    const value = Number(values.get(key) ?? 'none');
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  return {
    page: decodeURIComponent(page),
    at: number('at'),
    turn: text('turn'),
    tab: tabs.find((tab) => tab === values.get('tab')) ?? 'prompt',
    block: number('block'),
    find: text('find'),
    with: number('with'),
    other: text('other'),
    a: text('a'),
    b: text('b'),
    type: text('type'),
    q: text('q'),
    by: text('by'),
  };
}

export function formatAddress({ page, tab, ...rest }: Address): string {
  const values = new URLSearchParams();
  for (const [key, value] of Object.entries(rest))
    if (value !== undefined) values.set(key, String(value));
  if (tab !== 'prompt') values.set('tab', tab);
  const query = values.toString();
  return `#${encodeURIComponent(page)}${query === '' ? '' : `?${query}`}`;
}

function subscribe(change: () => void): () => void {
  addEventListener('hashchange', change);
  return () => removeEventListener('hashchange', change);
}

export type Going = {
  readonly address: Address;
  /** The address after a change, for a link. */
  readonly to: (change: Partial<Address>) => string;
  /** Goes there. `replace`: without an entry in the history. */
  readonly go: (change: Partial<Address>, options?: { readonly replace?: boolean }) => void;
};

export function useAddress(): Going {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const address = parseAddress(hash);
  const to = (change: Partial<Address>) => formatAddress({ ...address, ...change });
  const go = useCallback<Going['go']>((change, { replace = false } = {}) => {
    const next = formatAddress({ ...parseAddress(location.hash), ...change });
    if (replace) {
      history.replaceState(null, '', next);
      dispatchEvent(new HashChangeEvent('hashchange'));
    } else location.hash = next;
  }, []);
  return { address, to, go };
}
