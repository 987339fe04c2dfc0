import * as oauth from 'oauth4webapi';
import { Fault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { SignInSettings } from './settings.ts';

/** Refusal `unauthenticated` with what to do, or Fault `ISSUER_UNREACHABLE`. */
export function toSignInError(error: unknown, settings: SignInSettings): Refusal | Fault {
  if (isRefusal(error)) return error;
  if (
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.ResponseBodyError
  ) {
    const advice = adviceFor(error.error, settings);
    return refused(said(error.error, error.error_description), advice);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return refused('', adviceFor('invalid_client', settings));
  if (isWrongAnswer(error)) return refused(error.message, 'start again');
  const because = `${settings.issuer}: ${reasonOf(error)}`;
  return new Fault('ISSUER_UNREACHABLE', { because }, { cause: error });
}

/** What the provider's error codes mean here (RFC 6749, OpenID Connect Core). */
function adviceFor(code: string, { clientId, scopes }: SignInSettings): string {
  switch (code) {
    case 'access_denied':
      return `try again, or ask for access to the application ${clientId}`;
    case 'invalid_client':
    case 'unauthorized_client':
      return `check sign_in.client_id (${clientId}) in gateway.yaml, and TIMELOOM_SIGN_IN_SECRET if the provider gave the client a secret`;
    case 'invalid_scope':
      return `remove the scopes that the provider does not know from sign_in.scopes (${scopes.join(' ')})`;
    case 'invalid_target':
      return 'correct the API that sign_in.parameters names';
    case 'invalid_grant':
      return 'the session at the provider has ended; sign in again';
    case 'login_required':
    case 'interaction_required':
    case 'consent_required':
      return 'sign in again, and answer the questions of the provider';
    default:
      return 'try again later; if it happens again, ask the administrator of the provider';
  }
}

function said(code: string, description: string | undefined): string {
  return description ? `${code} (${description})` : code;
}

function refused(what: string, advice: string): Refusal {
  const because = what === '' ? '' : `: ${what}`;
  const message = `the identity provider did not sign you in${because}; ${advice}`;
  return new Refusal('unauthenticated', message);
}

/** An answer that arrived and does not belong to this sign-in: another `state`, nonce, issuer or client. */
function isWrongAnswer(error: unknown): error is Error {
  const codes: readonly unknown[] = [
    oauth.INVALID_RESPONSE,
    oauth.JWT_CLAIM_COMPARISON,
    oauth.JWT_TIMESTAMP_CHECK,
  ];
  return error instanceof oauth.OperationProcessingError && codes.includes(error.code);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
