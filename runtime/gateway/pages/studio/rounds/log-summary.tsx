import { useAddress } from '../data/address.ts';
import { cachedShare, count, inputTokens, money, short } from '../data/format.ts';
import type { Rounds, Usage } from '../data/wire.ts';

/** What a conversation is, and what it took; the numbers lead to their reasons. */
export function LogSummary({ log }: { readonly log: Rounds }) {
  const { to } = useAddress();
  const { title, user, turns } = log;
  const usage = turns.reduce<Usage>((sum, turn) => add(sum, turn.usage), {});
  const rounds = turns.reduce((sum, turn) => sum + turn.rounds.length, 0);
  const facts = [
    user,
    turns.length === 1 ? '1 turn' : `${count(turns.length)} turns`,
    rounds === 1 ? '1 round' : `${count(rounds)} rounds`,
    money(usage.cost_usd),
  ];
  const cached = cachedShare(usage);
  const name = title || turns[0]?.prompt || 'Untitled';
  return (
    <header className="log-summary">
      <h2 title={name}>{name}</h2>
      <p className="facts">
        {facts.filter(Boolean).join(' · ')}
        {cached !== '' && (
          <>
            {' · '}
            <a href={to({ tab: 'cache', block: undefined, find: undefined })}>
              {short(inputTokens(usage))} in, {cached} cached
            </a>
          </>
        )}
      </p>
    </header>
  );
}

const counted = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
] as const;

function add(a: Usage, b: Usage): Usage {
  return Object.fromEntries(counted.map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]));
}
