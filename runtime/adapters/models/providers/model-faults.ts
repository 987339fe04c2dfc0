import { Fault, type FaultCode, isFault } from '../../../base/fault.ts';
import { providerErrorChars } from './limits.ts';

/** The fields that errors of the provider libraries share. */
type ProviderError = Error & {
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  readonly type?: string | null | undefined;
  readonly code?: string | null | undefined;
};

const overflow =
  /prompt is too long|context[ _](length|window)|maximum context|too many (input )?tokens|request_too_large/i;
const busy = new Set([
  ...['overloaded_error', 'rate_limit_error', 'api_error', 'timeout_error'],
  ...['UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'INTERNAL', 'DEADLINE_EXCEEDED'],
]);
const busyStatus = new Set([408, 409, 429]);
const spent = /insufficient_quota|billing/;

/** Turns any error of a provider library into a fault: `because` is the provider's text, `retryAfterMs` the wait it asks for. */
export function toModelFault(error: unknown): Fault {
  if (isFault(error)) return error;
  if (!(error instanceof Error)) return new Fault('MODEL_UNREACHABLE', {}, { cause: error });
  const provider: ProviderError = error;
  const { status, headers } = provider;
  const retryAfterMs = retryAfterMsOf(headers);
  const detail = {
    because: because(provider).slice(0, providerErrorChars),
    ...(status !== undefined && { status }),
    ...(isQuota(provider) && { quota: true }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return new Fault(codeOf(provider), detail, { cause: error });
}

function codeOf(error: ProviderError): FaultCode {
  const { status, message } = error;
  const type = String(error.type ?? error.code ?? '');
  if (status === 413 || overflow.test(`${type} ${message}`)) return 'MODEL_CONTEXT_OVERFLOW';
  if (isQuota(error)) return 'MODEL_REFUSED';
  if (status !== undefined)
    return busyStatus.has(status) || status >= 500 ? 'MODEL_OVERLOADED' : 'MODEL_REFUSED';
  if (busy.has(type) || /server_error|rate_limit/.test(type)) return 'MODEL_OVERLOADED';
  return withoutStatus(type);
}

function isQuota({ type, code }: ProviderError): boolean {
  return spent.test(`${type ?? ''} ${code ?? ''}`);
}

/** An error event inside a stream has a type but no status; a broken connection has neither. */
function withoutStatus(type: string): FaultCode {
  return type !== '' ? 'MODEL_REFUSED' : 'MODEL_UNREACHABLE';
}

function because(error: ProviderError): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

/** Statuses of an account or an address that will not work in a moment either. */
const lastingStatus: ReadonlySet<unknown> = new Set([401, 402, 403, 404, 410]);
const lastingCodes: ReadonlySet<string> = new Set([
  ...['MODEL_KEY_MISSING', 'MODEL_NOT_CONFIGURED', 'MODEL_NOT_STREAMED'],
]);

/** Whether any request would fail: the key, the account or the name of the model is wrong, or the quota is used up. */
export function isLasting({ code, detail }: Fault): boolean {
  if (lastingCodes.has(code)) return true;
  return (
    code === 'MODEL_REFUSED' && (lastingStatus.has(detail['status']) || detail['quota'] === true)
  );
}

function retryAfterMsOf(headers: Headers | undefined): number | undefined {
  const ms = headers?.get('retry-after-ms');
  if (ms) return Number(ms);
  const after = headers?.get('retry-after');
  if (!after) return undefined;
  const seconds = Number(after);
  const waitMs = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
