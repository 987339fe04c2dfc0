import { count, money } from '../data/format.ts';
import type { BudgetItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { Problem } from './problem.tsx';

type Answer = { readonly user: string; readonly items: readonly BudgetItem[] };

/** What this user and the tenant may still spend. */
export function Budgets({ version }: { readonly version: unknown }) {
  const { data, error } = useJson<Answer>(inspectUrl('budgets'), version);
  return (
    <section aria-label="Budget left">
      <h2>Budget left</h2>
      {error && <Problem error={error} />}
      {data?.items.length === 0 && (
        <p>
          No limits are set. <code>spending</code> in <code>assembly.yaml</code> sets them.
        </p>
      )}
      <ul className="budgets">
        {data?.items.map((item) => (
          <li key={`${item.of} ${item.per}`}>
            <strong>
              {item.of === 'user' ? data.user : 'tenant'}, this {item.per}
            </strong>{' '}
            {item.cost_usd && (
              <Room name="cost" room={item.cost_usd} show={(usd) => money(usd) || '$0'} />
            )}
            {item.tokens && <Room name="tokens" room={item.tokens} show={count} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

type RoomProps = {
  readonly name: string;
  readonly room: { readonly limit: number; readonly left: number };
  readonly show: (value: number) => string;
};

function Room({ name, room, show }: RoomProps) {
  const { limit, left } = room;
  return (
    <span className="room">
      <meter min={0} max={limit} low={limit / 10} value={left} aria-label={`${name} left`} />{' '}
      {show(left)} of {show(limit)} left
    </span>
  );
}
