import { useState } from 'react';

type State<T> = { readonly data?: T; readonly problem: string; readonly isBusy: boolean };

/** A request that a person sends, with its answer or what went wrong. */
export function useRequest<T>(request: () => Promise<T>) {
  const [state, setState] = useState<State<T>>({ problem: '', isBusy: false });
  const send = () => {
    setState({ problem: '', isBusy: true });
    request().then(
      (data) => setState({ data, problem: '', isBusy: false }),
      (error: unknown) =>
        setState({
          problem: error instanceof Error ? error.message : String(error),
          isBusy: false,
        }),
    );
  };
  return { ...state, send };
}
