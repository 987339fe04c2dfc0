/** Where new ids come from; injected, so that tests and replays can name them. */
export interface Ids {
  /** `<prefix>_` and 20 characters of [0-9a-z]: the time in milliseconds, then at least 50 random bits. Sorts by time. */
  next(prefix: 'conv' | 'turn' | 'msg' | 'tc' | 'exec' | 'op' | 'worker' | 'job'): string;
}

/** Whether an id has the form of those that `next` makes: it cannot be guessed. One of hex digits alone was derived by a hash. */
export function isGeneratedId(id: string): boolean {
  return /^[a-z]+_(?![0-9a-f]{20}$)[0-9a-z]{20}$/.test(id);
}
