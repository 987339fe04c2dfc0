import type { Context, Hono } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { publicOrigin } from '../http/public-origin.ts';
import { deleteSession, refreshTokenOf, setToken, tokenOf } from './session-cookies.ts';

type SessionFacts = {
  readonly ok: true;
  readonly user: string;
  /** Absent: the session does not end. */
  readonly expires_at?: string;
  readonly expires_in_seconds?: number;
};

/**
 * Stores the token of a browser in a cookie, for what it opens by address alone: widgets, files, streams, and a socket
 * of our own page. The cookie holds the token itself, so that any gateway can verify it until it expires.
 */
export function addSessionRoutes(app: Hono<Env>, { deps, closing }: HttpParts): void {
  const signIn = deps.auth.mode === 'jwt' ? deps.auth.signIn : undefined;
  const factsOf = (context: Context<Env>): SessionFacts => {
    const untilMs = context.get('untilMs');
    const { user } = context.get('sender');
    if (untilMs === undefined) return { ok: true, user };
    const leftMs = Math.max(0, untilMs - deps.clock.now());
    const expires = {
      expires_at: new Date(untilMs).toISOString(),
      expires_in_seconds: Math.floor(leftMs / 1000),
    };
    return { ok: true, user, ...expires };
  };
  app.get('/api/session', (context) => {
    const renews = signIn !== undefined && refreshTokenOf(context) !== undefined;
    return context.json({ ...factsOf(context), renews });
  });
  app.post('/api/session', (context) => {
    const facts = factsOf(context);
    if (facts.expires_in_seconds === undefined) return context.json(facts);
    const token = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (token === undefined)
      throw new Refusal('invalid_input', 'a token is required: Authorization: Bearer …');
    setToken(context, token, facts.expires_in_seconds);
    return context.json(facts);
  });
  app.delete('/api/session', async (context) => {
    const token = tokenOf(context);
    deleteSession(context);
    const returnTo = `${publicOrigin(context)}/`;
    const options = { returnTo, token, signal: closing };
    // The session here is over, whether the provider answers or not.
    const next = await signIn?.signOutUrl(options).catch(() => undefined);
    return context.json({ ok: true, ...(next !== undefined && { next }) });
  });
}
