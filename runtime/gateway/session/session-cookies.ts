import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { tokenCookie } from '../auth/credentials.ts';
import { isAddressedHere } from '../http/public-origin.ts';
import type { PendingSignIn } from '../ports/sign-in.ts';
import { cookieCharsMax, renewalSecondsMax, signInSecondsMax } from './limits.ts';

const refreshCookie = 'timeloom_refresh';
const pendingCookie = 'timeloom_sign_in';
/** The only addresses that get the two cookies of a sign-in. */
const sessionPath = '/api/session';

const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});
type KeptSignIn = PendingSignIn & { readonly returnTo: string };

/** Refusal `too_large`. */
export function setToken(context: Context, token: string, forSeconds: number): void {
  if (token.length > cookieCharsMax) {
    throw new Refusal(
      'too_large',
      `the token is too long for a cookie; the limit is ${cookieCharsMax} characters`,
    );
  }
  setCookie(context, tokenCookie, token, { ...strict(context), maxAge: forSeconds });
}

export function tokenOf(context: Context): string | undefined {
  return getCookie(context, tokenCookie);
}

export function refreshTokenOf(context: Context): string | undefined {
  return getCookie(context, refreshCookie);
}

/** A refresh token that does not fit is not kept: its user signs in again when the token expires. */
export function setRefreshToken(context: Context, token: string | undefined): void {
  if (token === undefined || token.length > cookieCharsMax) return;
  const options = { ...strict(context), path: sessionPath, maxAge: renewalSecondsMax };
  setCookie(context, refreshCookie, token, options);
}

export function setPending(context: Context, pending: KeptSignIn): void {
  // The provider's answer comes from another site, and must carry this cookie.
  const options = { ...strict(context), path: sessionPath, sameSite: 'Lax' as const };
  setCookie(context, pendingCookie, JSON.stringify(pending), {
    ...options,
    maxAge: signInSecondsMax,
  });
}

/** Undefined: no sign-in was started in this browser, or too long ago. */
export function takePending(context: Context): KeptSignIn | undefined {
  const kept = getCookie(context, pendingCookie);
  deleteCookie(context, pendingCookie, { ...strict(context), path: sessionPath });
  try {
    return Pending.parse(JSON.parse(kept ?? ''));
  } catch {
    return undefined;
  }
}

export function deleteSession(context: Context): void {
  deleteCookie(context, tokenCookie, strict(context));
  deleteCookie(context, refreshCookie, { ...strict(context), path: sessionPath });
}

/** Scripts cannot read it, other pages cannot send it, and outside this machine it requires TLS. */
function strict(context: Context): CookieOptions {
  return { httpOnly: true, sameSite: 'Strict', path: '/', secure: !isAddressedHere(context) };
}
