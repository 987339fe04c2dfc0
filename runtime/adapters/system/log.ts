import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Log } from '../../base/log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

type Options = {
  readonly level: LogLevel;
  /** Where lines go; stderr by default. */
  readonly to?: DestinationStream;
};

/** Writes one JSON object per line: `level` (by name), `time` (ISO 8601), the facts, `msg`. */
export function openLog({ level, to }: Options): Log & AsyncDisposable {
  const stream = to ?? destination({ fd: 2, sync: true });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toFacts, cause: toFacts },
    },
    stream,
  );
  return { ...toLog(logger), [Symbol.asyncDispose]: async () => logger.flush() };
}

function toLog(logger: Logger): Log {
  return {
    debug: (message, facts) => logger.debug(facts ?? {}, message),
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
    with: (facts) => toLog(logger.child(facts)),
  };
}

/** Copies only named fields: other fields of driver errors contain queries, parameters and secrets. */
function toFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const facts = { ...picked(error, 'code'), ...picked(error, 'detail') };
  const because = error.cause === undefined ? {} : { cause: toFacts(error.cause) };
  return { name, message, ...facts, stack, ...because };
}

function picked(error: Error, key: string): Record<string, unknown> {
  const value: unknown = Reflect.get(error, key);
  return value === undefined ? {} : { [key]: value };
}
