import { Refusal } from '../../base/refusal.ts';

/** The origin of a request, from its headers. */
export type RequestOrigin = {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** `Sec-Fetch-Site`: the relation of the requesting page to this server, as reported by the browser. */
  readonly site?: string | undefined;
  /** A user opens the address in a browser window. */
  readonly navigates?: boolean | undefined;
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** Whether the page was delivered by this server, also behind a proxy that terminates TLS. */
export function isOwnPage({ host, origin }: RequestOrigin): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

/**
 * Refusal `forbidden`: `Host` is not this machine. Another site can give 127.0.0.1 a name of its own (DNS rebinding);
 * its browser then treats that name as the same site.
 */
export function assertLocalHost(host: string | undefined): void {
  const url = `http://${host}`;
  if (!host || (URL.canParse(url) && isLoopback(new URL(url).hostname))) return;
  throw new Refusal('forbidden', 'dev authentication accepts requests from this machine only');
}

/**
 * Refusal `forbidden`: a page of an origin that is not listed, which includes other ports of this machine. Programs,
 * which send neither `Origin` nor `Sec-Fetch-Site`, are not pages; links to this server are allowed.
 */
export function assertOrigin(request: RequestOrigin, listed: readonly string[]): void {
  const { origin, site, navigates } = request;
  if (origin === undefined || origin === '') {
    const isElsewhere = site === 'cross-site' || site === 'same-site';
    if (!isElsewhere || navigates) return;
    throw new Refusal('forbidden', 'requests from pages of other sites are not allowed');
  }
  if (listed.includes(origin) || isOwnPage(request)) return;
  const shown = origin.slice(0, 200);
  const message = `origin ${shown} is not allowed; add it to "origins" in gateway.yaml`;
  throw new Refusal('forbidden', message);
}
