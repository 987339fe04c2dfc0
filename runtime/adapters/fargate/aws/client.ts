import { Fault } from '../../../base/fault.ts';
import { attemptsMax, connectMsMax, silenceMsMax } from '../settings/limits.ts';
import type { FargateSettings } from '../settings/settings.ts';

/** Retries and timeouts for every AWS client. */
export function clientOptions({ endpoints }: FargateSettings, silenceMs = silenceMsMax) {
  return {
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectMsMax, socketTimeout: silenceMs },
    ...(endpoints === undefined ? {} : { endpoint: endpoints.aws }),
  };
}

/** Turns an error of an AWS service into Fault `EXEC_FAILED`; returns any other error unchanged. */
export function toFault(service: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || cause.name === 'AbortError') return cause;
  const outside = '$metadata' in cause || 'code' in cause || cause.name === 'TimeoutError';
  if (!outside) return cause;
  const because = `${service}: ${cause.name} ${cause.message}`;
  return new Fault('EXEC_FAILED', { because }, { cause });
}

/** Awaits a service call and translates its errors. The client has already retried transient failures. */
export async function callService<T>(service: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toFault(service, error);
  }
}
