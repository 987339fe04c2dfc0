import { Refusal } from '../../base/refusal.ts';

/** As a request's headers say. */
export type RequestOrigin = {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** `Sec-Fetch-Site`: where the page stands that asks, as its browser says. */
  readonly site?: string | undefined;
  /** A person opens the address in a window of the browser. */
  readonly navigates?: boolean | undefined;
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** Of a page that this server itself delivered, whatever stands between them and speaks TLS. */
export function isOwnPage({ host, origin }: RequestOrigin): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

/**
 * Refusal `forbidden`: `Host` is not this machine. A page elsewhere may give 127.0.0.1 a name of its own, and then its
 * browser takes that name for the same site.
 */
export function assertLocalHost(host: string | undefined): void {
  const url = `http://${host}`;
  if (!host || (URL.canParse(url) && isLoopback(new URL(url).hostname))) return;
  throw new Refusal('forbidden', 'dev authentication accepts requests from this machine only');
}

/**
 * Refusal `forbidden`: a page of another origin that is not listed, another port of this machine included. Programs,
 * which send neither `Origin` nor `Sec-Fetch-Site`, are not pages; links may lead here.
 */
export function assertOrigin(request: RequestOrigin, listed: readonly string[]): void {
  const { origin, site, navigates } = request;
  if (origin === undefined || origin === '') {
    const isElsewhere = site === 'cross-site' || site === 'same-site';
    if (!isElsewhere || navigates) return;
    throw new Refusal('forbidden', 'requests from pages of other sites are not allowed');
  }
  if (listed.includes(origin) || isOwnPage(request)) return;
  const said = origin.slice(0, 200);
  const message = `origin ${said} is not allowed; add it to "origins" in gateway.yaml`;
  throw new Refusal('forbidden', message);
}
