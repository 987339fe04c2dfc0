import { isOwnPage } from './origins.ts';

/** Set for a signed-in browser, for requests that cannot carry a header. */
export const tokenCookie = 'timeloom_token';

/** Maps a name in lower case to its value; undefined: the request does not have the header. */
export type HeaderOf = (name: string) => string | undefined;

/**
 * The token of a request: from its header, otherwise from the cookie, which a browser adds on its own. The cookie counts
 * only for requests of our own page, or for requests that change nothing and whose answer other pages cannot read.
 */
export function presentedToken(header: HeaderOf, method = 'GET'): string | undefined {
  const bearer = bearerOf(header);
  if (bearer !== undefined) return bearer;
  const origin = header('origin');
  const reads = method === 'GET' || method === 'HEAD';
  const isOurs = isOwnPage({ origin, host: header('host') }) || (origin === undefined && reads);
  return isOurs ? cookieIn(header('cookie')) : undefined;
}

/**
 * The token in the `Authorization` header, or in `X-Api-Key`, where clients of some protocols send it. No browser adds
 * either on its own.
 */
export function bearerOf(header: HeaderOf): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1];
  return bearer ?? /^\S+$/.exec(header('x-api-key') ?? '')?.[0];
}

function cookieIn(cookies: string | undefined): string | undefined {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${tokenCookie}=`));
  return found?.slice(tokenCookie.length + 1) || undefined;
}
