import { isRefusal, Refusal } from '../../base/refusal.ts';
import { dispatchBytesMax } from '../../tools/limits.ts';
import type { Dispatch } from '../../tools/ports/dispatch.ts';
import { notReached } from '../../tools/results/dispatch-result.ts';
import { guardedRequest } from './guarded-request.ts';

type Settings = {
  /** An address is allowed if it is one of them, or is below one of them. */
  readonly urls: readonly string[];
  /** Hosts that may be reached although their address is not public. */
  readonly privateHosts: readonly string[];
};

/** Posts to the addresses that the operator lists. A listed name that leads to a private address is still refused. */
export function createDispatch({ urls, privateHosts }: Settings): Dispatch {
  const listed = urls.map((url) => new URL(url));
  const isAllowed = (host: string) => privateHosts.includes(host);
  const allowed = (address: string): URL | undefined => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    return url && listed.some((each) => isBelow(url, each)) ? url : undefined;
  };
  return {
    allows: (address) => allowed(address) !== undefined,
    post: async (address, { body, headers, signal }) => {
      const url = allowed(address);
      if (!url) throw new Refusal('forbidden', `${address} is not an allowed address`);
      const options = { isAllowed, body, headers, signal, bytesMax: dispatchBytesMax };
      try {
        const { status, header, bytes } = await guardedRequest(url, options);
        const contentType = header('content-type') ?? '';
        return { status, contentType, text: bytes.toString('utf8') };
      } catch (error) {
        signal.throwIfAborted();
        throw isRefusal(error) ? error : notReached(address, error);
      }
    },
  };
}

function isBelow(url: URL, listed: URL): boolean {
  const hasCredentials = url.username !== '' || url.password !== '';
  if (hasCredentials || url.origin !== listed.origin) return false;
  // Servers read an encoded slash or dot in different ways.
  if (/%2e|%2f|%5c/i.test(url.pathname)) return false;
  const folder = listed.pathname.endsWith('/') ? listed.pathname : `${listed.pathname}/`;
  return url.pathname === listed.pathname || url.pathname.startsWith(folder);
}
