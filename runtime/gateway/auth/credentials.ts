import { isOwnPage } from './origins.ts';

/** Of a browser that has signed in, for what it opens by an address alone. */
export const tokenCookie = 'timeloom_token';

/** Name, in lower case, to value; undefined: the request has none. */
export type HeaderOf = (name: string) => string | undefined;

/**
 * The token that a request presents: in its header, else in the cookie, which a browser adds by itself. That one counts
 * only where our own page asks, or where nothing can change and no page of others reads the answer.
 */
export function presentedToken(header: HeaderOf, method = 'GET'): string | undefined {
  const bearer = bearerOf(header);
  if (bearer !== undefined) return bearer;
  const origin = header('origin');
  const reads = method === 'GET' || method === 'HEAD';
  const isOurs = isOwnPage({ origin, host: header('host') }) || (origin === undefined && reads);
  return isOurs ? cookieIn(header('cookie')) : undefined;
}

/** The token in the header that no browser adds by itself. */
export function bearerOf(header: HeaderOf): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
}

function cookieIn(cookies: string | undefined): string | undefined {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${tokenCookie}=`));
  return found?.slice(tokenCookie.length + 1) || undefined;
}
