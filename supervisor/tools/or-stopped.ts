import { addAbortListener } from 'node:events';

/** What others wait for as well: this one stops waiting with its signal, the work goes on. */
export async function orStopped<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let tie: Disposable | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      tie = addAbortListener(signal, () => reject(signal.reason));
      shared.then(resolve, reject);
    });
  } finally {
    tie?.[Symbol.dispose]();
  }
}
