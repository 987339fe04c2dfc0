import type { Context } from 'hono';
import { isLoopback } from '../auth/origins.ts';

/**
 * This server as its clients address it. Outside this machine that is over TLS, as cookies and tokens require, also
 * behind a proxy that does not say so.
 */
export function publicOrigin(context: Context): string {
  const { host } = new URL(context.req.url);
  const isPlain = isAddressedHere(context) && context.req.header('x-forwarded-proto') !== 'https';
  return new URL(`${isPlain ? 'http' : 'https'}://${host}`).origin;
}

/** Whether the client names this machine by a loopback address. */
export function isAddressedHere({ req }: Context): boolean {
  return isLoopback(new URL(req.url).hostname);
}
