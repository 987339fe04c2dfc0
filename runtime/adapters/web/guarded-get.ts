import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import { Work } from '../../base/signal.ts';
import { redirectsMax, requestDeadlineMs } from './limits.ts';
import { assertPublicHost, publicLookup } from './public-address.ts';

export type Answer = {
  /** The address after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly bytes: Buffer;
};

export type GetOptions = {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** Hosts that may be reached although their address is not public. */
  readonly isAllowed: (host: string) => boolean;
  /** Called before every request, also after a redirect; throws to refuse it. */
  readonly check?: (url: URL) => Promise<void>;
  readonly headers?: Readonly<Record<string, string>>;
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
    const response = await send(url, options, signal);
    const status = response.statusCode ?? 0;
    const bytes = await readBytes(response, { bytesMax: options.bytesMax, what: url.host });
    const header = (name: string) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { url, status, header, bytes };
  } catch (error) {
    options.signal.throwIfAborted();
    if (isRefusal(error)) throw error;
    throw failed(url, signal.aborted ? 'no answer in time' : messageOf(error));
  }
}

function send(
  url: URL,
  { isAllowed, headers }: GetOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      signal,
      lookup: publicLookup(isAllowed),
      agent: false,
      headers: {
        'user-agent': userAgent,
        accept: '*/*',
        'accept-encoding': 'identity',
        ...headers,
      },
    });
    asked.on('response', resolve);
    asked.on('error', reject);
    asked.end();
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const userAgent = 'Timeloom/1.0 (+https://www.npmjs.com/package/timeloom)';

function failed(url: URL, why: string): Refusal {
  return new Refusal('page_failed', `${url.host}: ${why}`, { retryable: true });
}
