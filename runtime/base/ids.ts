/** Where new ids come from; injected, so that tests and replays can name them. */
export interface Ids {
  /** `<prefix>_` and 20 characters of [0-9a-z]: the time in milliseconds, then at least 50 random bits. Sorts by time. */
  next(prefix: 'conv' | 'turn' | 'msg' | 'tc' | 'exec' | 'op' | 'worker' | 'job'): string;
}
