import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { assertPublicHost, publicLookup } from '../../base/network/public-address.ts';

export type Answer = {
  readonly url: URL;
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly bytes: Buffer;
};

export type RequestOptions = {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** Hosts that may be reached although their address is not public. */
  readonly isAllowed: (host: string) => boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the request is a GET. */
  readonly body?: string;
};

/** One request to a public address, without redirects. Refusals `address_refused` and `too_large`; other errors are of the network. */
export async function guardedRequest(url: URL, options: RequestOptions): Promise<Answer> {
  assertPublicHost(url.hostname, options.isAllowed);
  const response = await send(url, options);
  const status = response.statusCode ?? 0;
  const bytes = await readBytes(response, { bytesMax: options.bytesMax, what: url.host });
  const header = (name: string) => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return { url, status, header, bytes };
}

function send(
  url: URL,
  { isAllowed, headers, body, signal }: RequestOptions,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      signal,
      lookup: publicLookup(isAllowed),
      // A connection is checked when it is made, so none is kept for later requests.
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
    asked.end(body);
  });
}

export const userAgent = 'Timeloom/1.0 (+https://www.npmjs.com/package/timeloom)';
