import { isFault } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { EvalCaseReport, EvalReport, EvalReports } from '../../gateway/ports/eval-reports.ts';
import { type EvalCase, readCases } from './eval-case.ts';
import { type EvalResult, type EvalRun, readLastRun } from './eval-results.ts';

/** The cases and results of folders, read whenever somebody looks. */
export function createEvalReports(folders: readonly string[]): EvalReports {
  return { read: () => Promise.all(folders.map(reportOf)) };
}

async function reportOf(folder: string): Promise<EvalReport> {
  const last = await readLastRun(folder);
  try {
    const cases = readCases(folder).map((each) => toCase(each, last));
    return { folder, ...runOf(last), cases };
  } catch (error) {
    if (!isRefusal(error) && !isFault(error)) throw error;
    return { folder, ...runOf(last), cases: [], problem: error.message };
  }
}

function runOf(last: EvalRun | undefined): Pick<EvalReport, 'at' | 'model'> {
  return last ? { at: last.at, model: last.model } : {};
}

function toCase(
  { name, agent, input, judge }: EvalCase,
  last: EvalRun | undefined,
): EvalCaseReport {
  const result = last?.cases.find((each) => each.name === name);
  return {
    ...{ name, input },
    ...(agent === undefined ? {} : { agent }),
    ...(judge === undefined ? {} : { judge }),
    ...(last && result ? { result: toResult(last, result) } : {}),
  };
}

function toResult(last: EvalRun, { conversation: _, name: _name, ...result }: EvalResult) {
  const { at = last.at, model = last.model } = result;
  return { ...result, at, model };
}
