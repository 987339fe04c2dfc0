import { useEffect, useState } from 'react';
import { count, moment, money } from '../data/format.ts';
import type { EvalCaseItem, EvalItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useInterval } from '../data/use-interval.ts';
import { useJson } from '../data/use-json.ts';
import { EvalRun, useEvals } from './eval-run.tsx';
import { Problem } from './problem.tsx';

/** How often the page looks how far a run is. */
const runningEveryMs = 1_000;

/** The cases of eval folders: how each went last, and what changed since the run before. */
export function EvalsView() {
  const [version, setVersion] = useState(0);
  const [isAtWork, setAtWork] = useState(false);
  const tick = useInterval(isAtWork ? runningEveryMs : 0);
  const { data, error } = useJson<{ items: readonly EvalItem[] }>(
    inspectUrl('evals'),
    `${version} ${tick}`,
  );
  const now = data?.items.some(({ running }) => running) ?? false;
  useEffect(() => setAtWork(now), [now]);
  return (
    <main className="project">
      <h2>Evals</h2>
      {error && <Problem error={error} />}
      {!data && !error && <p role="status">Loading…</p>}
      {data?.items.length === 0 && (
        <p>
          No folders. Start the server with <code>TIMELOOM_EVALS=evals</code> to see the cases in{' '}
          <code>evals</code> here. “Copy as eval case”, below a conversation, makes one from a turn.
        </p>
      )}
      {data?.items.map((item) => (
        <Folder key={item.folder} item={item} onChange={() => setVersion((last) => last + 1)} />
      ))}
    </main>
  );
}

type FolderProps = { readonly item: EvalItem; readonly onChange: () => void };

function Folder({ item, onChange }: FolderProps) {
  const { folder, cases, at, model, partial, problem, omitted, running } = item;
  const { act, problem: refused } = useEvals(onChange);
  const passed = cases.filter(({ result }) => result?.passed).length;
  const failed = cases.filter(({ result }) => result?.passed === false).length;
  return (
    <section aria-label={folder}>
      <h3>
        {folder}{' '}
        <span className="facts">
          {at === undefined
            ? 'never run'
            : [
                `${passed} passed, ${failed} failed`,
                ...changesOf(cases),
                ...(partial && !running
                  ? [`stopped after ${partial.played} of ${partial.of}`]
                  : []),
                moment(at),
                model,
              ].join(' · ')}
        </span>
      </h3>
      {problem !== undefined && <p className="problem">{problem}</p>}
      <EvalRun item={item} onChange={onChange} />
      {refused !== '' && (
        <p className="problem" role="alert">
          {refused}
        </p>
      )}
      <table className="evals">
        <thead>
          <tr>
            <th scope="col">case</th>
            <th scope="col">result</th>
            <th scope="col">change</th>
            <th scope="col">tokens</th>
            <th scope="col">time</th>
            <th scope="col">cost</th>
            <th scope="col">
              <span className="unseen">run</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {cases.map((each) => (
            <CaseRow
              key={each.name}
              item={each}
              isNow={running?.case === each.name}
              run={running ? undefined : () => act('run', { folder, case: each.name })}
            />
          ))}
        </tbody>
      </table>
      {omitted > 0 && <p className="facts">{count(omitted)} more cases are not shown.</p>}
    </section>
  );
}

type CaseProps = {
  readonly item: EvalCaseItem;
  /** Whether it is played now. */
  readonly isNow: boolean;
  readonly run: (() => void) | undefined;
};

function CaseRow({ item, isNow, run }: CaseProps) {
  const { name, input, agent, judge, result } = item;
  return (
    <tr>
      <th scope="row">
        <details open={result?.passed === false}>
          <summary>{name}</summary>
          <ul>
            {agent !== undefined && <li className="facts">{agent}</li>}
            {input.map((text) => (
              <li key={text}>“{text}”</li>
            ))}
            {judge !== undefined && <li className="facts">judge: {judge}</li>}
            {result?.findings.map((finding) => (
              <li key={finding} className="failed">
                {finding}
              </li>
            ))}
          </ul>
        </details>
      </th>
      <Outcome isNow={isNow} passed={result?.passed} />
      <td>{result && changeOf(result)}</td>
      <td>{result && `${count(result.tokens)}${deltaOf(result)}`}</td>
      <td>{result && `${result.seconds.toFixed(1)} s`}</td>
      <td>{money(result?.cost_usd)}</td>
      <td>
        {run && (
          <button type="button" className="quiet" onClick={run}>
            Run <span className="unseen">{name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

type OutcomeProps = { readonly isNow: boolean; readonly passed: boolean | undefined };

function Outcome({ isNow, passed }: OutcomeProps) {
  if (isNow) return <td>● at work</td>;
  if (passed === undefined) return <td>not run</td>;
  return <td className={passed ? 'good' : 'failed'}>{passed ? '✓ passed' : '✗ failed'}</td>;
}

type Result = NonNullable<EvalCaseItem['result']>;

/** `2 broken`, `1 mended`: against the run before. */
function changesOf(cases: readonly EvalCaseItem[]): readonly string[] {
  const changes = cases.flatMap(({ result }) => (result ? [changeOf(result)] : []));
  return ['broken', 'mended'].flatMap((change) => {
    const found = changes.filter((each) => each === change).length;
    return found > 0 ? [`${found} ${change}`] : [];
  });
}

function changeOf({ passed, before }: Result): string {
  if (!before) return 'first run';
  if (before.passed === passed) return 'same';
  return passed ? 'mended' : 'broken';
}

function deltaOf({ tokens, before }: Result): string {
  if (!before || before.tokens === 0 || before.tokens === tokens) return '';
  const percent = Math.round((100 * (tokens - before.tokens)) / before.tokens);
  return percent === 0 ? '' : ` (${percent > 0 ? '+' : '−'}${Math.abs(percent)} %)`;
}
