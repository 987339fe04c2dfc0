import { count, moment, money } from '../data/format.ts';
import type { EvalCaseItem, EvalItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { Problem } from './problem.tsx';

/** The cases of eval folders: how each went last, and what changed since the run before. */
export function EvalsView() {
  const { data, error } = useJson<{ items: readonly EvalItem[] }>(inspectUrl('evals'));
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
        <Folder key={item.folder} item={item} />
      ))}
    </main>
  );
}

function Folder({ item }: { readonly item: EvalItem }) {
  const { folder, cases, at, model, problem, omitted } = item;
  const passed = cases.filter(({ result }) => result?.passed).length;
  const failed = cases.filter(({ result }) => result?.passed === false).length;
  return (
    <section aria-label={folder}>
      <h3>
        {folder}{' '}
        <span className="facts">
          {at === undefined
            ? 'never run'
            : `${passed} passed, ${failed} failed · ${moment(at)} · ${model}`}
        </span>
      </h3>
      {problem !== undefined && <p className="problem">{problem}</p>}
      <p className="facts">
        Run them with <code>timeloom eval {folder}</code>
      </p>
      <table className="evals">
        <thead>
          <tr>
            <th scope="col">case</th>
            <th scope="col">result</th>
            <th scope="col">since the run before</th>
            <th scope="col">tokens</th>
            <th scope="col">time</th>
            <th scope="col">cost</th>
          </tr>
        </thead>
        <tbody>
          {cases.map((each) => (
            <CaseRow key={each.name} item={each} />
          ))}
        </tbody>
      </table>
      {omitted > 0 && <p className="facts">{count(omitted)} more cases are not shown.</p>}
    </section>
  );
}

function CaseRow({ item }: { readonly item: EvalCaseItem }) {
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
      <td className={result && (result.passed ? 'good' : 'failed')}>
        {result ? (result.passed ? '✓ passed' : '✗ failed') : 'not run'}
      </td>
      <td>{result && changeOf(result)}</td>
      <td>{result && `${count(result.tokens)}${deltaOf(result)}`}</td>
      <td>{result && `${result.seconds.toFixed(1)} s`}</td>
      <td>{money(result?.cost_usd)}</td>
    </tr>
  );
}

type Result = NonNullable<EvalCaseItem['result']>;

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
