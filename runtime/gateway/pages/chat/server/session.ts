/// <reference lib="dom" />
import { tokenRequired } from '../../../../client/protocol/token-required.ts';
import { fields, text } from '../../../../client/story/json-fields.ts';

/** Who is signed in. */
export type Session = {
  readonly user: string;
  /** Undefined: the session does not end. */
  readonly leftSeconds: number | undefined;
  readonly renews: boolean;
};

const address = '/api/session';

/** What people call the provider at which they sign in; empty: they paste a token; undefined: sign-in is not required. */
export function signInProvider(): string | undefined {
  return document.documentElement.dataset['signIn'];
}

/** Why the user has to sign in; undefined: it is the first sign-in here. */
export function reasonToSignIn(because: string): string | undefined {
  return because.startsWith(tokenRequired) ? undefined : because;
}

/** Where the sign-in starts. It ends at the conversation that this page shows. */
export function signInAddress(): string {
  return `${address}/sign-in?to=${encodeURIComponent(location.pathname + location.hash)}`;
}

/** Undefined: not signed in, or the server cannot be reached. */
export async function readSession(): Promise<Session | undefined> {
  try {
    const answer = await fetch(address);
    if (!answer.ok) return undefined;
    const said = fields(await answer.json());
    const left = said['expires_in_seconds'];
    return {
      user: text(said['user']),
      leftSeconds: typeof left === 'number' ? left : undefined,
      renews: said['renews'] === true,
    };
  } catch {
    return undefined;
  }
}

/** The problem with the token; empty if it is accepted. */
export async function openSession(token: string): Promise<string> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(address, { method: 'POST', headers });
    if (answer.ok) return '';
    return (
      text(fields(fields(await answer.json())['error'])['message']) || 'The token was not accepted.'
    );
  } catch {
    return 'The server does not answer, or the token is not valid.';
  }
}

/** False: the user has to sign in again. Tabs take turns, because a provider may accept a refresh token only once. */
export async function renewSession({ below }: { below: number }): Promise<boolean> {
  const step = async () => {
    const session = await readSession();
    // Another tab was faster.
    if ((session?.leftSeconds ?? 0) > below) return true;
    const answer = await fetch(`${address}/renew`, { method: 'POST' });
    return answer.ok;
  };
  try {
    const { locks } = navigator as { locks?: LockManager };
    return await (locks ? locks.request('timeloom.session', step) : step());
  } catch {
    return false;
  }
}

/** Ends the session, here and at the provider, and forgets the drafts of its user. */
export async function closeSession(): Promise<void> {
  const answer = await fetch(address, { method: 'DELETE' });
  const next = text(fields(await answer.json())['next']);
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith('timeloom.draft.')) localStorage.removeItem(key);
  }
  location.assign(next || '/');
}
