import { useEffect, useState } from 'react';
import { moment } from '../data/format.ts';
import { inspectUrl } from '../data/server.ts';
import type { WorkingItem } from '../data/wire.ts';

type Live = {
  readonly items: readonly WorkingItem[];
  readonly metrics: Readonly<Record<string, number>>;
};

const states = {
  running: 'a worker is at it',
  parked: 'waits for an answer',
  due: 'waits for a worker',
};

/** What works in this installation now. */
export function LiveView() {
  const [live, setLive] = useState<Live>();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    const source = new EventSource(inspectUrl('live'));
    source.addEventListener('live', ({ data }) => {
      setLost(false);
      setLive(JSON.parse(String(data)));
    });
    source.addEventListener('error', () => setLost(true));
    return () => source.close();
  }, []);
  return (
    <main className="project">
      <h2>At work now</h2>
      {lost && (
        <p className="problem" role="alert">
          No live connection. This view requires the role inspector.
        </p>
      )}
      {live?.items.length === 0 && <p>Nothing is at work.</p>}
      <ul className="working-list">
        {live?.items.map((item) => (
          <li key={item.id}>
            <a href={`#${encodeURIComponent(item.id)}`}>
              {item.title === '' ? item.id : item.title}
            </a>
            <span className="facts">
              {item.user} · {states[item.state]}
              {item.worker !== undefined && ` (${item.worker})`} · since{' '}
              {moment(item.last_activity_at)}
              {item.attempts > 1 && ` · attempt ${item.attempts}`}
            </span>
          </li>
        ))}
      </ul>
      <h2>Counts of this server</h2>
      <dl className="metrics">
        {Object.entries(live?.metrics ?? {}).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
