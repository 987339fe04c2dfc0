import { diffLines } from 'diff';
import { useMemo } from 'react';
import { useAddress } from '../data/address.ts';
import { count } from '../data/format.ts';
import { inspectUrl, logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { ConversationItem, Prompt, Rounds } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import { diffRows } from './diff-rows.ts';
import type { TabProps } from './tab-props.ts';

/** The prompt of this round against that of another round, or of another conversation. */
export function DiffTab({ log, round }: TabProps) {
  const { address, go } = useAddress();
  const other = address.other ?? log.conversation_id;
  const rounds = log.turns.flatMap((turn) => turn.rounds);
  const before = rounds[rounds.findIndex(({ seq }) => seq === round?.seq) - 1];
  const compared = useJson<Rounds>(
    other === log.conversation_id ? undefined : logPath(other, 'rounds'),
  );
  const theirs = other === log.conversation_id ? log : compared.data;
  const choices = (theirs?.turns ?? []).flatMap((turn) =>
    turn.rounds.map((each) => ({ turn, each })),
  );
  const same = choices.find(({ each }) => each.seq === round?.seq)?.each.seq;
  const chosen =
    address.with ?? (theirs === log ? before?.seq : (same ?? choices.at(-1)?.each.seq));
  return (
    <div className="diff">
      <form className="filters">
        <RelativeSelect
          log={log}
          other={other}
          onChoose={(id) =>
            go({ other: id === log.conversation_id ? undefined : id, with: undefined })
          }
        />
        <label>
          Round
          <select
            value={chosen ?? ''}
            onChange={(event) => go({ with: Number(event.target.value) })}
          >
            {chosen === undefined && <option value="">none before</option>}
            {choices.map(({ turn, each }) => (
              <option key={each.seq} value={each.seq}>
                turn {turn.name.slice(1)}, round {each.round}
              </option>
            ))}
          </select>
        </label>
      </form>
      {round && chosen !== undefined && (
        <PromptDiff
          from={logPath(other, `rounds/${chosen}/prompt`)}
          to={logPath(log.conversation_id, `rounds/${round.seq}/prompt`)}
        />
      )}
      {round && chosen === undefined && <p className="none">This is the first round.</p>}
    </div>
  );
}

type RelativeProps = {
  readonly log: Rounds;
  readonly other: string;
  readonly onChoose: (id: string) => void;
};

/** This conversation, the one that it continues, and its forks. */
function RelativeSelect({ log, other, onChoose }: RelativeProps) {
  const { data } = useJson<{ items: readonly ConversationItem[] }>(
    logPath(log.conversation_id, 'forks'),
  );
  const origin = log.forked_from?.conversation_id;
  const forks = data?.items ?? [];
  const siblings = useJson<{ items: readonly ConversationItem[] }>(
    origin === undefined ? undefined : inspectUrl(`${encodeURIComponent(origin)}/forks`),
  );
  const others = (siblings.data?.items ?? []).filter(({ id }) => id !== log.conversation_id);
  return (
    <label>
      Compare with
      <select value={other} onChange={(event) => onChoose(event.target.value)}>
        <option value={log.conversation_id}>this conversation</option>
        {origin !== undefined && <option value={origin}>the conversation it continues</option>}
        {[...forks, ...others].map(({ id, forked_from: from }) => (
          <option key={id} value={id}>
            fork at block {from?.seq} ({id.slice(-6)})
          </option>
        ))}
      </select>
    </label>
  );
}

function PromptDiff({ from, to }: { readonly from: string; readonly to: string }) {
  const one = useJson<Prompt>(from);
  const two = useJson<Prompt>(to);
  const rows = useMemo(
    () =>
      one.data && two.data ? diffRows(diffLines(textOf(one.data), textOf(two.data))) : undefined,
    [one.data, two.data],
  );
  const error = one.error ?? two.error;
  if (error) return <Problem error={error} />;
  if (!rows) return <p role="status">Loading…</p>;
  const first = rows.find(({ kind }) => kind === 'removed' || kind === 'added');
  if (!first) return <p className="good">The prompts are the same.</p>;
  return (
    <>
      <p className="facts">
        The first {count(first.from)} characters are the same. A cache can hold only these.
      </p>
      <pre>
        {rows.map(({ kind, text, from: at }, index) => (
          <span
            key={`${at}.${kind}`}
            className={kind}
            data-first={rows.indexOf(first) === index || undefined}
          >
            {text}
          </span>
        ))}
      </pre>
    </>
  );
}

function textOf({ parts }: Prompt): string {
  return parts.map(({ text }) => text).join('');
}
