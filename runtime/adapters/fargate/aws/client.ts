import { Fault } from '../../../base/fault.ts';
import { attemptsMax, connectMsMax, silenceMsMax } from '../settings/limits.ts';
import type { FargateSettings } from '../settings/settings.ts';

/** How a service of AWS is asked: so often, and never waited for without end. */
export function clientOptions({ endpoints }: FargateSettings, silenceMs = silenceMsMax) {
  return {
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, socketTimeout: silenceMs },
    ...(endpoints === undefined ? {} : { endpoint: endpoints.aws }),
  };
}

/** Fault `EXEC_FAILED` for what a service could not or would not do; anything else stays what it is. */
export function toFault(service: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || cause.name === 'AbortError') return cause;
  const outside = '$metadata' in cause || 'code' in cause || cause.name === 'TimeoutError';
  if (!outside) return cause;
  const because = `${service}: ${cause.name} ${cause.message}`;
  return new Fault('EXEC_FAILED', { because }, { cause });
}

/** An answer of the service that is no; what failed on the way there is tried again by its client first. */
export async function callService<T>(service: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toFault(service, error);
  }
}
