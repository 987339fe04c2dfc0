import { diffWords } from 'diff';
import { useMemo } from 'react';
import { useAddress } from '../data/address.ts';
import { duration, inputTokens, money, short } from '../data/format.ts';
import type { Round, Turn } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import { factRows } from './facts.ts';
import { type Run, useRun } from './run.ts';
import { RunSelect } from './run-select.tsx';

/** Two runs of a turn side by side: what they cost, and what differs. */
export function CompareView() {
  const { address } = useAddress();
  const a = useRun(address.a);
  const b = useRun(address.b);
  return (
    <main className="project compare">
      <h2>Two runs side by side</h2>
      <div className="pair">
        <Side name="First" run={a} field="a" />
        <Side name="Second" run={b} field="b" />
      </div>
      {a && address.a === address.b && (
        <p>
          This is one run twice. Choose another conversation or turn, or run it again from its{' '}
          conversation: <em>Edit and rerun</em>.
        </p>
      )}
      {a?.turn && b?.turn ? (
        <Comparison a={{ ...a, turn: a.turn }} b={{ ...b, turn: b.turn }} />
      ) : (
        <p role="status">{a && b ? 'Waiting for the run to begin…' : 'Choose two runs.'}</p>
      )}
    </main>
  );
}

type SideProps = {
  readonly name: string;
  readonly run: Run | undefined;
  readonly field: 'a' | 'b';
};

function Side({ name, run, field }: SideProps) {
  return (
    <section aria-label={`${name} run`}>
      <h3>
        {name}
        {run?.turn && (
          <a href={`#${encodeURIComponent(run.conversation)}?at=${endOfTurn(run.turn)}`}>
            Open turn {run.turn.name.slice(1)}
          </a>
        )}
        {run?.turn && run.turn.reason === undefined && <span role="status">at work…</span>}
      </h3>
      {run?.error && !run.log && <Problem error={run.error} />}
      {run && <RunSelect run={run} field={field} />}
    </section>
  );
}

type Ended = Run & { readonly turn: Turn };
type PairProps = { readonly a: Ended; readonly b: Ended };

function Comparison({ a, b }: PairProps) {
  return (
    <>
      <Facts a={a.turn} b={b.turn} />
      {a.turn.prompt !== b.turn.prompt && (
        <Texts title="Prompt" a={a.turn.prompt} b={b.turn.prompt} />
      )}
      <Texts title="Answer" a={answerOf(a.turn)} b={answerOf(b.turn)} />
      <section aria-label="Rounds">
        <h3>Rounds</h3>
        <div className="pair">
          <RoundList run={a} />
          <RoundList run={b} other={a} />
        </div>
      </section>
    </>
  );
}

function Facts({ a, b }: { readonly a: Turn; readonly b: Turn }) {
  return (
    <table className="facts-table">
      <thead>
        <tr>
          <th scope="col">
            <span className="unseen">Fact</span>
          </th>
          <th scope="col">first</th>
          <th scope="col">second</th>
          <th scope="col">difference</th>
        </tr>
      </thead>
      <tbody>
        {factRows(a, b).map(({ name, a: one, b: two, difference, change }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{one}</td>
            <td>{two}</td>
            <td className={change}>{difference}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type TextsProps = { readonly title: string; readonly a: string; readonly b: string };

/** Two texts; what only one of them has is marked. */
function Texts({ title, a, b }: TextsProps) {
  const changes = useMemo(() => withPlaces(diffWords(a, b)), [a, b]);
  const side = (own: 'removed' | 'added', other: 'removed' | 'added') =>
    changes.map((change) => {
      if (change[other]) return null;
      return change[own] ? (
        <mark key={change.at} className={own}>
          {change.value}
        </mark>
      ) : (
        change.value
      );
    });
  return (
    <section aria-label={title}>
      <h3>
        {title} <span className="facts">{a === b ? 'the same' : ''}</span>
      </h3>
      <div className="pair">
        <blockquote>{a === '' ? <em>none yet</em> : side('removed', 'added')}</blockquote>
        <blockquote>{b === '' ? <em>none yet</em> : side('added', 'removed')}</blockquote>
      </div>
    </section>
  );
}

/** A change has no name but its place. */
function withPlaces(changes: ReturnType<typeof diffWords>) {
  return changes.map((change, at) => ({ ...change, at }));
}

/** Each round leads to its prompt; those of the second run also to the difference of the prompts. */
function RoundList({ run, other }: { readonly run: Ended; readonly other?: Ended }) {
  return (
    <ol>
      {run.turn.rounds.map((round, index) => {
        const same = other?.turn.rounds[index];
        return (
          <li key={round.seq}>
            <a href={`#${encodeURIComponent(run.conversation)}?at=${round.reply ?? round.seq}`}>
              round {round.round}: {namesOf(round)}
            </a>{' '}
            <span className="facts">{factsOf(round)}</span>{' '}
            {other && same && (
              <a
                href={`#${encodeURIComponent(run.conversation)}?at=${round.reply ?? round.seq}&with=${same.seq}&other=${encodeURIComponent(other.conversation)}&tab=diff`}
              >
                prompt diff <span className="unseen">of round {round.round}</span>
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function namesOf({ steps, phase }: Round): string {
  const names = steps.filter(({ kind }) => kind !== 'model').map(({ name }) => name);
  return names.length > 0 ? names.join(', ') : phase === 'decision' ? 'answer' : phase;
}

function factsOf({ usage, ms }: Round): string {
  return [`${short(inputTokens(usage))} in`, duration(ms), money(usage.cost_usd)]
    .filter(Boolean)
    .join(' · ');
}

function answerOf({ answers, error }: Turn): string {
  return answers.at(-1)?.text ?? error?.message ?? '';
}

function endOfTurn({ rounds, answers, seq }: Turn): number {
  return Math.max(seq, rounds.at(-1)?.reply ?? 0, answers.at(-1)?.block ?? 0);
}
