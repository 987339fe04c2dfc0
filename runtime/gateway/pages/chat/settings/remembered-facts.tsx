/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import { isRefusal } from '../../../../base/refusal.ts';
import type { Client } from '../../../../client/index.ts';
import { useClient } from '../state/client-context.ts';
import { problemOf } from './problem-of.ts';

type FactEntry = Awaited<ReturnType<Client['memory']['list']>>[number];

/** Facts that are listed at first. */
const shownMax = 5;

/** What agents remember of the user's conversations; each fact can be forgotten. Nothing where there is none. */
export function RememberedFacts(): ReactNode {
  const { memory } = useClient();
  const [facts, setFacts] = useState<readonly FactEntry[]>([]);
  const [isWhole, setWhole] = useState(false);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => {
    memory.list().then(setFacts, (error: unknown) => {
      // An installation without a long-term memory.
      if (isRefusal(error) && error.code === 'not_found') return;
      setProblem(problemOf('Not loaded', error));
    });
  }, [memory]);
  const forget = ({ id }: FactEntry) => {
    setProblem('');
    memory.forget(id).then(
      () => {
        setFacts((before) => before.filter((each) => each.id !== id));
        setSaid('Forgotten. No later answer uses it.');
      },
      (error: unknown) => setProblem(problemOf('Not forgotten', error)),
    );
  };
  if (facts.length === 0 && said === '' && problem === '') return null;
  const shown = isWhole ? facts : facts.slice(0, shownMax);
  return (
    <section aria-labelledby="settings-memory">
      <h3 id="settings-memory">What agents remember</h3>
      <ul className="remembered">
        {shown.map((fact) => (
          <li key={fact.id}>
            <span>
              <span dir="auto">{fact.text}</span>
              {fact.scope !== 'user' && <small>{scopes[fact.scope]}</small>}
            </span>
            <button type="button" aria-label={`Forget: ${fact.text}`} onClick={() => forget(fact)}>
              Forget
            </button>
          </li>
        ))}
      </ul>
      {facts.length > shown.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {facts.length}
        </button>
      )}
      <p className="facts" role="status">
        {said}
      </p>
      <p className="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}

const scopes = {
  agent: 'used for all users of the agent',
  tenant: 'used for the whole organization',
};
