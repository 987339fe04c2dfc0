import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { Refusal } from '../../../base/refusal.ts';
import { Work } from '../../../base/signal.ts';
import { issuerDeadlineMs } from '../limits.ts';
import type { Grant, PendingSignIn, SignInSettings } from './settings.ts';
import { toSignInError } from './sign-in-errors.ts';

type Wait = { readonly signal: AbortSignal };
type Return = Wait & { readonly redirectUri: string };
type SignOut = Wait & { readonly returnTo: string; readonly token: string | undefined };
/** The provider's document, and the options of requests to it. */
type Provider = { readonly server: oauth.AuthorizationServer; readonly options: RequestOptions };
type RequestOptions = Wait & { readonly [oauth.allowInsecureRequests]: boolean };

/**
 * Signs people in at an OpenID provider: authorization code flow with PKCE. The provider's document is read at the first
 * use, and again after a failure. Refusal `unauthenticated`, Fault `ISSUER_UNREACHABLE`.
 */
export function createSignIn(settings: SignInSettings) {
  const { issuer, clientId, clientSecret, scopes, parameters, name } = settings;
  const client: oauth.Client = { client_id: clientId };
  const auth = clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
  const isOpenId = scopes.includes('openid');
  let known: oauth.AuthorizationServer | undefined;

  const run = async <T>(signal: AbortSignal, step: (provider: Provider) => Promise<T>) => {
    using work = new Work(signal, { deadlineMs: issuerDeadlineMs });
    // The settings accept an issuer with plain http on this machine only.
    const isInsecure = new URL(issuer).protocol === 'http:';
    const options = { signal: work.signal, [oauth.allowInsecureRequests]: isInsecure };
    try {
      known ??= await discover(issuer, options);
      return await step({ server: known, options });
    } catch (error) {
      signal.throwIfAborted();
      known = undefined;
      throw toSignInError(error, settings);
    }
  };

  return {
    name,
    begin: ({ redirectUri, signal }: Return) =>
      run(signal, async ({ server }) => {
        const state = oauth.generateRandomState();
        const nonce = oauth.generateRandomNonce();
        const verifier = oauth.generateRandomCodeVerifier();
        const url = new URL(authorizationEndpoint(server));
        const query = {
          ...parameters,
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: scopes.join(' '),
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          ...(isOpenId && { nonce }),
        };
        for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
        return { url: url.href, pending: { state, nonce, verifier } };
      }),
    finish: (
      answer: URLSearchParams,
      { pending, redirectUri, signal }: Return & { readonly pending: PendingSignIn },
    ) =>
      run(signal, async ({ server, options }) => {
        const { state, nonce, verifier } = pending;
        const checked = oauth.validateAuthResponse(server, client, answer, state);
        const response = await oauth.authorizationCodeGrantRequest(
          ...([server, client, auth, checked, redirectUri, verifier, options] as const),
        );
        const expected = isOpenId ? { expectedNonce: nonce, requireIdToken: true } : {};
        const tokens = await oauth.processAuthorizationCodeResponse(
          ...([server, client, response, expected] as const),
        );
        return toGrant(tokens, settings);
      }),
    renew: (refreshToken: string, { signal }: Wait) =>
      run(signal, async ({ server, options }) => {
        const response = await oauth.refreshTokenGrantRequest(
          ...([server, client, auth, refreshToken, options] as const),
        );
        return toGrant(await oauth.processRefreshTokenResponse(server, client, response), settings);
      }),
    signOutUrl: (options: SignOut) =>
      run(options.signal, async ({ server }) => signOutUrl(server, settings, options)),
  };
}

function signOutUrl(
  server: oauth.AuthorizationServer,
  { token, clientId }: SignInSettings,
  { returnTo, token: current }: SignOut,
): string | undefined {
  const hint = token === 'id' ? current : undefined;
  const isFromHere = hint === undefined || isFor(hint, clientId);
  if (server.end_session_endpoint === undefined || !isFromHere) return undefined;
  const url = new URL(server.end_session_endpoint);
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('post_logout_redirect_uri', returnTo);
  if (hint !== undefined) url.searchParams.set('id_token_hint', hint);
  return url.href;
}

async function discover(
  issuer: string,
  options: RequestOptions,
): Promise<oauth.AuthorizationServer> {
  const place = new URL(issuer);
  return oauth.processDiscoveryResponse(place, await oauth.discoveryRequest(place, options));
}

function authorizationEndpoint(server: oauth.AuthorizationServer): string {
  const { issuer, authorization_endpoint: url } = server;
  if (url !== undefined) return url;
  throw new Refusal(
    'unauthenticated',
    `the issuer ${issuer} has no authorization_endpoint, so people cannot sign in there; remove sign_in from gateway.yaml`,
  );
}

function toGrant(tokens: oauth.TokenEndpointResponse, { token }: SignInSettings): Grant {
  const chosen = token === 'id' ? tokens.id_token : tokens.access_token;
  if (chosen === undefined) {
    const fix = 'add the scope openid to sign_in.scopes, or set sign_in.token: access';
    throw new Refusal('unauthenticated', `the identity provider sent no ID token; ${fix}`);
  }
  if (token === 'access' && chosen.split('.').length !== 3) {
    const fix =
      'register an API at the provider and name it in sign_in.parameters, or set sign_in.token: id';
    throw new Refusal('unauthenticated', `the access token is not a JSON Web Token; ${fix}`);
  }
  return { token: chosen, refreshToken: tokens.refresh_token };
}

/** Whether a token was issued to this client. A token that was pasted may be for another one. */
function isFor(token: string, clientId: string): boolean {
  try {
    return [decodeJwt(token).aud].flat().includes(clientId);
  } catch {
    return false;
  }
}
