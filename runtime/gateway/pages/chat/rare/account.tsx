/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import {
  closeSession,
  readSession,
  renewSession,
  type Session,
  signInProvider,
} from '../server/session.ts';

/** The session is renewed when this little is left of it. */
const renewSeconds = 60;
const pauseMs = 1_000;
/** Timers of browsers end after 24 days. */
const sleepMsMax = 86_400_000;

/** Who is signed in, and the way out. Keeps the session alive as long as the provider renews it. */
export function Account(): ReactNode {
  const session = useSession();
  const [problem, setProblem] = useState('');
  if (!session) return null;
  const leave = () => {
    closeSession().catch(() => setProblem('The server cannot be reached.'));
  };
  return (
    <div id="account">
      <span className="user" title={session.user} dir="auto">
        {session.user}
      </span>
      <button type="button" onClick={leave}>
        Sign out
      </button>
      <span className="problem" role="alert">
        {problem}
      </span>
    </div>
  );
}

function useSession(): Session | undefined {
  const [session, setSession] = useState<Session>();
  useEffect(() => {
    // Without authentication there is no session.
    if (signInProvider() === undefined) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      const found = await readSession();
      if (isOver) return;
      setSession((before) => found ?? before);
      if (found?.renews && found.leftSeconds !== undefined) later(found.leftSeconds);
    };
    const later = (leftSeconds: number) => {
      const waitMs = Math.max(pauseMs, (leftSeconds - renewSeconds) * 1000);
      const step = async () => {
        // Otherwise the server ends the session when it expires, and the page asks its user.
        const isRenewed = waitMs > sleepMsMax || (await renewSession({ below: renewSeconds }));
        if (isRenewed && !isOver) await read();
      };
      timer = setTimeout(() => void step(), Math.min(waitMs, sleepMsMax));
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return session;
}
