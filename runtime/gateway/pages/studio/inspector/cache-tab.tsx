import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import { count, placeOf, short } from '../data/format.ts';
import { meaningOf } from '../data/miss-causes.ts';
import { logPath, postJson } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { LedgerCall, Rounds } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import type { TabProps } from './tab-props.ts';

/** Bars that fit; of the newest calls. */
const barsMax = 200;
const dearestMax = 8;

/** Why input tokens were not read from a cache. */
export function CacheTab({ log }: TabProps) {
  const { data, error } = useJson<{ calls: readonly LedgerCall[] }>(
    logPath(log.conversation_id, 'cache'),
    log.head,
  );
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Loading…</p>;
  const { calls } = data;
  const input = calls.reduce((sum, call) => sum + call.input_tokens, 0);
  const read = calls.reduce((sum, call) => sum + call.read_tokens, 0);
  return (
    <div className="cache">
      <p className="facts">
        {count(calls.length)} calls · {count(input)} input tokens ·{' '}
        {input === 0 ? 0 : Math.round((100 * read) / input)} % read from a cache
      </p>
      <Bars calls={calls.slice(-barsMax)} log={log} />
      <p className="facts">
        One bar is one call of a model, the oldest first: <span className="cause read" /> was read
        from a cache, the other colours were not.
      </p>
      <Causes calls={calls} />
      <Dearest calls={calls} log={log} />
      <WhatIf log={log} />
    </div>
  );
}

type CallsProps = { readonly calls: readonly LedgerCall[]; readonly log: Rounds };

/** One bar a call: what was read, and what was not, by cause. */
function Bars({ calls, log }: CallsProps) {
  const { to } = useAddress();
  const most = Math.max(1, ...calls.map((call) => call.input_tokens));
  return (
    <nav className="bars" aria-label="Model calls">
      {calls.map((call) => (
        <a
          key={call.seq}
          href={to({ at: call.seq, block: undefined })}
          aria-label={`${placeOf(log.turns, call.seq)}: ${count(call.input_tokens)} tokens, ${count(call.missed_tokens)} not cached`}
          title={`${placeOf(log.turns, call.seq)}: ${missesOf(call)}`}
          style={{ height: `${(100 * call.input_tokens) / most}%` }}
        >
          {call.misses.map(({ cause, tokens, block = 0 }) => (
            <span
              key={`${cause}${block}`}
              className={`cause ${cause}`}
              style={{ flexGrow: tokens }}
            />
          ))}
          <span className="cause read" style={{ flexGrow: call.read_tokens }} />
        </a>
      ))}
    </nav>
  );
}

function Causes({ calls }: { readonly calls: readonly LedgerCall[] }) {
  const tokens = new Map<string, number>();
  for (const { misses } of calls) {
    for (const { cause, tokens: missed } of misses)
      tokens.set(cause, (tokens.get(cause) ?? 0) + missed);
  }
  return (
    <table>
      <caption>Not read from a cache, by cause</caption>
      <tbody>
        {[...tokens]
          .toSorted(([, a], [, b]) => b - a)
          .map(([cause, missed]) => (
            <tr key={cause}>
              <th scope="row">
                <span className={`cause ${cause}`} /> {cause}
              </th>
              <td>{count(missed)}</td>
              <td className="wide">{meaningOf(cause)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function Dearest({ calls, log }: CallsProps) {
  const { to } = useAddress();
  const dearest = calls.toSorted((a, b) => b.missed_tokens - a.missed_tokens).slice(0, dearestMax);
  return (
    <table>
      <caption>Calls with the most tokens not read</caption>
      <tbody>
        {dearest.map((call) => (
          <tr key={call.seq}>
            <th scope="row">
              <a href={to({ at: call.seq, tab: 'diff', block: undefined })}>
                {placeOf(log.turns, call.seq)}
              </a>
            </th>
            <td>{count(call.missed_tokens)}</td>
            <td className="wide">{missesOf(call)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `new 3.0k, tail 171` */
function missesOf({ misses }: LedgerCall): string {
  const tokens = new Map<string, number>();
  for (const each of misses) tokens.set(each.cause, (tokens.get(each.cause) ?? 0) + each.tokens);
  return [...tokens].map(([cause, sum]) => `${cause} ${short(sum)}`).join(', ');
}

type Effect = {
  readonly changes: boolean;
  readonly tokens_before?: number;
  readonly tokens_after?: number;
  readonly again?: number;
  readonly pays_after_calls?: number | null;
};

/** What an edit would cost now. */
function WhatIf({ log }: { readonly log: Rounds }) {
  const [edit, setEdit] = useState('prune');
  const [path, setPath] = useState('');
  const [turns, setTurns] = useState('10');
  const [said, setSaid] = useState('');
  const ask = async () => {
    const detail = edit === 'hide' ? `:${path}` : edit === 'keep' ? `:${turns}` : '';
    const body = { edit: `${edit}${detail}` };
    const effect = await postJson<Effect>(logPath(log.conversation_id, 'cache/what-if'), { body });
    setSaid(edit === 'keep' ? keptSentence(effect, turns) : sentence(effect));
  };
  return (
    <form
      className="what-if"
      onSubmit={(event) => {
        event.preventDefault();
        ask().catch((error: unknown) =>
          setSaid(error instanceof Error ? error.message : String(error)),
        );
      }}
    >
      <h3>What if</h3>
      <label>
        one would
        <select value={edit} onChange={(event) => setEdit(event.target.value)}>
          <option value="prune">prune old turns</option>
          <option value="compact">compact</option>
          <option value="hide">hide a path</option>
          <option value="keep">have kept more turns</option>
          <option value="catalogue">change the tools</option>
        </select>
      </label>
      {edit === 'hide' && (
        <label>
          Path
          <input
            value={path}
            onChange={(event) => setPath(event.target.value)}
            placeholder="tc:t1.c1.result"
          />
        </label>
      )}
      {edit === 'keep' && (
        <label>
          Turns
          <input
            type="number"
            min={1}
            max={9999}
            required
            value={turns}
            onChange={(event) => setTurns(event.target.value)}
          />
        </label>
      )}
      <button type="submit">Calculate</button>
      <output aria-live="polite">{said}</output>
    </form>
  );
}

function sentence({
  changes,
  tokens_before: before = 0,
  tokens_after: after = 0,
  again = 0,
  pays_after_calls: pays,
}: Effect): string {
  if (!changes) return 'Nothing would change.';
  const when =
    pays === null || pays === undefined ? 'It never pays off.' : `It pays off after ${pays} calls.`;
  return `The prompt goes from ${count(before)} to ${count(after)} tokens; ${count(again)} cached tokens must be sent again. ${when}`;
}

function keptSentence(
  { changes, tokens_before: before = 0, tokens_after: after = 0 }: Effect,
  turns: string,
): string {
  if (!changes) return `The prompt has the last ${turns} turns whole.`;
  return `With the last ${turns} turns whole, the prompt would have ${count(after)} instead of ${count(before)} tokens: each call would read ${count(after - before)} more.`;
}
