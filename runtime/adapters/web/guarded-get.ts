import { assertPublicHost } from '../../base/network/public-address.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import { Work } from '../../base/signal.ts';
import { type Answer, guardedRequest, type RequestOptions } from './guarded-request.ts';
import { redirectsMax, requestDeadlineMs } from './limits.ts';

export type { Answer };

export type GetOptions = Omit<RequestOptions, 'body'> & {
  /** Called before every request, also after a redirect; throws to refuse it. */
  readonly check?: (url: URL) => Promise<void>;
};

/** Fetches a public address. Refusals `address_refused`, `too_large`, `page_failed`, and what `check` throws. */
export async function guardedGet(address: string | URL, options: GetOptions): Promise<Answer> {
  using work = new Work(options.signal, { deadlineMs: requestDeadlineMs });
  let url = new URL(address);
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new Refusal('address_refused', `${url.protocol}// is not read, only http and https`);
    }
    assertPublicHost(url.hostname, options.isAllowed);
    await options.check?.(url);
    const answer = await getOnce(url, options, work.signal);
    const location = answer.header('location');
    if (answer.status < 300 || answer.status > 399 || location === undefined) return answer;
    if (!URL.canParse(location, url)) throw failed(url, `redirects to “${location}”`);
    url = new URL(location, url);
  }
  throw failed(url, `more than ${redirectsMax} redirects`);
}

async function getOnce(url: URL, options: GetOptions, signal: AbortSignal): Promise<Answer> {
  try {
    return await guardedRequest(url, { ...options, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (isRefusal(error)) throw error;
    throw failed(url, signal.aborted ? 'no answer in time' : messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failed(url: URL, why: string): Refusal {
  return new Refusal('page_failed', `${url.host}: ${why}`, { retryable: true });
}
