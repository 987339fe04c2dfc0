export type Facts = Readonly<Record<string, unknown>>;

/** Message: a constant lower-case phrase; facts go into fields. `error`: a person must act. `warn`: the program coped. */
export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
  with(facts: Facts): Log;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
};
