import { type FormEvent, useEffect, useRef, useState } from 'react';
import {
  openSession,
  reasonToSignIn,
  signInAddress,
  signInProvider,
} from '../../chat/server/session.ts';
import { type Asking, useAsking } from './sign-in.ts';

/** Asks to sign in, over what the page shows, which stays as it is. */
export function SignInDialog() {
  const asking = useAsking();
  return asking ? <Dialog asking={asking} /> : null;
}

function Dialog({ asking }: { readonly asking: Asking }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { because, isAgain, check } = asking;
  const provider = signInProvider() ?? '';
  useEffect(() => {
    dialog.current?.showModal();
    // Somebody may sign in in another tab.
    const look = () => void check();
    addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [check]);
  return (
    <dialog
      ref={dialog}
      className="sign-in"
      onCancel={(event) => event.preventDefault()}
      aria-labelledby="sign-in"
    >
      <h2 id="sign-in">Sign in</h2>
      <p>
        {isAgain
          ? 'Your session has ended. Sign in to go on with what you were doing.'
          : (reasonToSignIn(because) ?? 'Sign in to see your conversations.')}
      </p>
      {provider === '' ? (
        <TokenForm check={check} />
      ) : (
        <>
          <a
            className="button primary"
            href={signInAddress()}
            {...(isAgain && { target: '_blank', rel: 'opener' })}
          >
            Sign in with {provider}
          </a>
          <details>
            <summary>Use an access token instead</summary>
            <TokenForm check={check} />
          </details>
        </>
      )}
    </dialog>
  );
}

function TokenForm({ check }: Pick<Asking, 'check'>) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const said = await openSession(token.trim());
    setProblem(said);
    if (said === '') await check();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        Access token
        <input
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </label>
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="primary">
        Sign in
      </button>
    </form>
  );
}
