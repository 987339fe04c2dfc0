import { useState } from 'react';
import { useActivity, useLive } from '../data/events.ts';
import { moment } from '../data/format.ts';
import type { WorkingItem } from '../data/project-wire.ts';
import { stopTurn } from '../data/server.ts';
import { Budgets } from './budgets.tsx';
import { Failures } from './failures.tsx';

const states = {
  running: 'a worker is at it',
  parked: 'waits for an answer',
  due: 'waits for a worker',
};

/** Turns that are listed at first, so that what failed stays in sight. */
const shownMax = 12;

/** What works in this installation now, what failed in the last hour, and what may still be spent. */
export function LiveView() {
  const { items, metrics, isLost } = useLive();
  const activity = useActivity();
  const [all, setAll] = useState(false);
  return (
    <main className="project">
      <h2>At work now</h2>
      {isLost && (
        <p className="problem" role="alert">
          No live connection. This view requires the role inspector.
        </p>
      )}
      {items?.length === 0 && <p>Nothing is at work.</p>}
      <ul className="working-list">
        {items?.slice(0, all ? undefined : shownMax).map((item) => (
          <Working key={`${item.user} ${item.id}`} item={item} />
        ))}
      </ul>
      {items && items.length > shownMax && !all && (
        <button type="button" className="more" onClick={() => setAll(true)}>
          Show all {items.length}
        </button>
      )}
      <Failures version={activity} />
      <Budgets version={activity} />
      <h2>Counts of this server</h2>
      <dl className="metrics">
        {Object.entries(metrics).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ').replace(/ total$/, '')}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}

function Working({ item }: { readonly item: WorkingItem }) {
  const [problem, setProblem] = useState('');
  const { id, user, title, state, worker, attempts, last_activity_at: at } = item;
  const stop = () =>
    stopTurn(id, user).catch((error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  const name = title === '' ? id : title;
  return (
    <li>
      <a href={`#${encodeURIComponent(id)}`}>{name}</a>
      <span className="facts">
        {user} · {states[state]}
        {worker !== undefined && ` (${worker})`} · since {moment(at)}
        {attempts > 1 && ` · attempt ${attempts}`}
      </span>
      <button type="button" onClick={() => void stop()}>
        Stop <span className="unseen">{name}</span>
      </button>
      {problem !== '' && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </li>
  );
}
