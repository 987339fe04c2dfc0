/** Creates new ids; injected, so that tests and replays can choose them. */
export interface Ids {
  /** `<prefix>_` and 20 characters of [0-9a-z]: the time in milliseconds, then at least 50 random bits. Sorts by time. */
  next(prefix: 'conv' | 'turn' | 'msg' | 'tc' | 'exec' | 'op' | 'worker' | 'job'): string;
}

/** Whether an id has the form that `next` creates, which cannot be guessed. An id of hex digits only is derived from a hash. */
export function isGeneratedId(id: string): boolean {
  return /^[a-z]+_(?![0-9a-f]{20}$)[0-9a-z]{20}$/.test(id);
}
