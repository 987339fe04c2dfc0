import type { Context, Hono } from 'hono';
import { isFault } from '../../base/fault.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { admitToPage } from '../http/identify.ts';
import { publicOrigin } from '../http/public-origin.ts';
import { statusOf } from '../http/status.ts';
import type { Grant, SignIn } from '../ports/sign-in.ts';
import {
  refreshTokenOf,
  setPending,
  setRefreshToken,
  setToken,
  takePending,
} from './session-cookies.ts';
import { failurePage } from './sign-in-page.ts';

const startPath = '/api/session/sign-in';
const callbackPath = '/api/session/callback';
/** A page of this server, and the conversation that it shows. */
const ownPage = /^\/(?:studio\/?)?(?:#[\w?=&.-]*)?$/;

/**
 * Sign-in at the identity provider. The browser never sees the tokens: they go from the provider to this server, and
 * into cookies that scripts cannot read.
 */
export function addSignInRoutes(app: Hono<Env>, parts: HttpParts): void {
  const { auth } = parts.deps;
  const configured = auth.mode === 'jwt' ? auth.signIn : undefined;
  const limit = admitToPage(parts);
  const options = (context: Context) => ({
    redirectUri: `${publicOrigin(context)}${callbackPath}`,
    signal: parts.closing,
  });
  app.get(startPath, limit, (context) =>
    explained(context, parts, async () => {
      const signIn = required(configured);
      const asked = context.req.query('to') ?? '/';
      const returnTo = ownPage.test(asked) ? asked : '/';
      const { url, pending } = await signIn.begin(options(context));
      setPending(context, { ...pending, returnTo });
      return context.redirect(url);
    }),
  );
  app.get(callbackPath, limit, (context) =>
    explained(context, parts, async () => {
      const pending = takePending(context);
      if (!pending) throw new Refusal('unauthenticated', lost);
      const answer = new URL(context.req.url).searchParams;
      const grant = await required(configured).finish(answer, { ...options(context), pending });
      await keep(context, parts, grant);
      return context.redirect(pending.returnTo);
    }),
  );
  app.post('/api/session/renew', limit, async (context) => {
    await keep(context, parts, await renewed(context, required(configured), parts));
    return context.json({ ok: true });
  });
}

/** Refusal `not_found`. */
function required(signIn: SignIn | undefined): SignIn {
  if (signIn) return signIn;
  throw new Refusal('not_found', 'people sign in with a token here: gateway.yaml has no sign_in');
}

const lost =
  'this sign-in was not started in this browser, or more than ten minutes ago; start again';

/** Refusal `unauthenticated`: the user has to sign in again. */
function renewed(context: Context, signIn: SignIn, { closing }: HttpParts): Promise<Grant> {
  const refreshToken = refreshTokenOf(context);
  if (refreshToken === undefined)
    throw new Refusal('unauthenticated', 'the session has ended; sign in again');
  return signIn.renew(refreshToken, { signal: closing });
}

/** Verifies the token as for any request; only then it is kept. */
async function keep(context: Context<Env>, parts: HttpParts, grant: Grant): Promise<void> {
  const { authenticate, deps, closing } = parts;
  const { untilMs = 0 } = await authenticate({ token: grant.token }, { signal: closing });
  setToken(context, grant.token, Math.max(0, Math.floor((untilMs - deps.clock.now()) / 1000)));
  setRefreshToken(context, grant.refreshToken);
}

/** People come here with a browser, so they read what went wrong on a page. */
async function explained(
  context: Context<Env>,
  { intake }: HttpParts,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!isRefusal(error) && !isFault(error)) throw error;
    const { message } = intake.explain(error);
    return failurePage(context, { message, status: statusOf(error), again: startPath });
  }
}
