import { useEffect, useMemo, useState } from 'react';
import { getJson, RequestFailure } from './server.ts';

export type Loaded<T> = {
  /** Stays while an address of the same kind is loaded. */
  readonly data: T | undefined;
  readonly error: RequestFailure | undefined;
  readonly loading: boolean;
};

type State<T> = { readonly url: string; readonly data?: T; readonly error?: RequestFailure };

/** Recent answers, so that going back shows at once what was there. */
const recent = new Map<string, unknown>();
const recentMax = 60;

function remember(url: string, data: unknown): void {
  recent.delete(url);
  recent.set(url, data);
  for (const key of recent.keys()) {
    if (recent.size <= recentMax) break;
    recent.delete(key);
  }
}

/** How often a request that the server could not answer is repeated, and how long after. */
const triesMax = 3;
const againMs = 1_000;

function toFailure(cause: unknown): RequestFailure {
  return cause instanceof RequestFailure ? cause : new RequestFailure('unreachable', String(cause));
}

/** The JSON at an address; undefined: nothing is loaded. `version` loads it again. */
export function useJson<T>(url: string | undefined, version: unknown = 0): Loaded<T> {
  const [state, setState] = useState<State<T>>({ url: '' });
  const request = useMemo(() => (url === undefined ? undefined : { url, version }), [url, version]);
  useEffect(() => {
    if (request === undefined) return undefined;
    const { url } = request;
    const known = recent.get(url) as T | undefined;
    if (known !== undefined) setState({ url, data: known });
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = (triesLeft: number) => {
      getJson<T>(url, stop.signal).then(
        (data) => {
          remember(url, data);
          setState({ url, data });
        },
        (cause: unknown) => {
          if (stop.signal.aborted) return;
          const error = toFailure(cause);
          const passes = error.code === 'busy' || error.code === 'unreachable';
          if (passes && triesLeft > 0) timer = setTimeout(() => load(triesLeft - 1), againMs);
          else setState((before) => ({ ...before, url, error }));
        },
      );
    };
    load(triesMax);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [request]);
  if (url === undefined) return { data: undefined, error: undefined, loading: false };
  const isCurrent = state.url === url;
  return {
    data: state.data,
    error: isCurrent ? state.error : undefined,
    loading: !isCurrent,
  };
}
