import { isFault } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { EvalCaseReport, EvalReport, EvalReports } from '../../gateway/ports/eval-reports.ts';
import { type EvalCase, readCases } from './eval-case.ts';
import { beforeOf, type EvalResult, type EvalRun, readLastRun } from './eval-results.ts';
import { EvalRuns, type RunningEval } from './eval-runs.ts';

/** The cases and results of folders, read whenever somebody looks, and runs of them. */
export function createEvalReports(folders: readonly string[]): EvalReports & Disposable {
  const runs = new EvalRuns(folders);
  return {
    read: () => Promise.all(folders.map((folder) => reportOf(folder, runs.of(folder)))),
    start: (folder, choice) => runs.start(folder, choice),
    stop: (folder) => runs.stop(folder),
    [Symbol.dispose]: () => runs[Symbol.dispose](),
  };
}

async function reportOf(folder: string, run: RunningEval | undefined): Promise<EvalReport> {
  const last = await readLastRun(folder);
  const facts = { folder, ...runOf(last), ...stateOf(run) };
  try {
    const cases = readCases(folder).map((each) => toCase(each, { last, run }));
    return { ...facts, cases };
  } catch (error) {
    if (!isRefusal(error) && !isFault(error)) throw error;
    return { ...facts, cases: [], problem: error.message };
  }
}

function runOf(last: EvalRun | undefined): Pick<EvalReport, 'at' | 'model' | 'partial'> {
  if (!last) return {};
  const { at, model, partial } = last;
  return { at, model, ...(partial && { partial }) };
}

function stateOf(run: RunningEval | undefined): Pick<EvalReport, 'running' | 'problem'> {
  if (!run) return {};
  if (!run.isAtWork) return run.problem === undefined ? {} : { problem: run.problem };
  const { since, results, names } = run;
  const now = names[results.length];
  const running = { since, done: results.length, of: names.length };
  return { running: { ...running, ...(now === undefined ? {} : { case: now }) } };
}

type Runs = { readonly last: EvalRun | undefined; readonly run: RunningEval | undefined };

function toCase({ name, agent, input, judge }: EvalCase, runs: Runs): EvalCaseReport {
  const result = resultOf(name, runs);
  return {
    ...{ name, input },
    ...(agent === undefined ? {} : { agent }),
    ...(judge === undefined ? {} : { judge }),
    ...(result ? { result } : {}),
  };
}

/** Of the run that is at work, else of the last one. */
function resultOf(name: string, { last, run }: Runs): EvalCaseReport['result'] {
  const fresh = run?.isAtWork ? run.results.find((each) => each.name === name) : undefined;
  if (run && fresh) {
    const { since: at, model } = run;
    return toResult({ ...fresh, ...beforeOf(fresh, last) }, { at, model: model ?? '' });
  }
  const result = last?.cases.find((each) => each.name === name);
  return last && result ? toResult(result, last) : undefined;
}

function toResult(
  { conversation: _, name: _name, ...result }: EvalResult,
  run: Pick<EvalRun, 'at' | 'model'>,
) {
  const { at = run.at, model = run.model } = result;
  return { ...result, at, model };
}
