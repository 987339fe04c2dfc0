import type { Context, Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { Refusal } from '../../base/refusal.ts';
import { tokenCookie } from '../auth/credentials.ts';
import { isLoopback } from '../auth/origins.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { cookieCharsMax } from './limits.ts';

/**
 * Stores the token of a browser in a cookie, for what it opens by address alone: widgets, files, streams, and a socket
 * of our own page. The cookie holds the token itself, so that any gateway can verify it until it expires.
 */
export function addSessionRoutes(app: Hono<Env>, { deps }: HttpParts): void {
  app.post('/api/session', (context) => {
    const { user } = context.get('sender');
    const untilMs = context.get('untilMs');
    if (untilMs === undefined) return context.json({ ok: true, user });
    const token = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (token === undefined)
      throw new Refusal('invalid_input', 'a token is required: Authorization: Bearer …');
    if (token.length > cookieCharsMax) {
      throw new Refusal(
        'too_large',
        `the token is too long for a cookie; the limit is ${cookieCharsMax} characters`,
      );
    }
    const maxAge = Math.max(0, Math.floor((untilMs - deps.clock.now()) / 1000));
    setCookie(context, tokenCookie, token, { ...cookieOptions(context), maxAge });
    return context.json({ ok: true, user, expires_at: new Date(untilMs).toISOString() });
  });
  app.delete('/api/session', (context) => {
    deleteCookie(context, tokenCookie, cookieOptions(context));
    return context.json({ ok: true });
  });
}

/** Scripts cannot read it, other pages cannot send it, and outside this machine it requires TLS. */
function cookieOptions({ req }: Context): CookieOptions {
  const host = `http://${req.header('host') ?? ''}`;
  const isHere = URL.canParse(host) && isLoopback(new URL(host).hostname);
  return { httpOnly: true, sameSite: 'Strict', path: '/', secure: !isHere };
}
