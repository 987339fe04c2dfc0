import type { Checks } from '../../evals/eval-case.ts';
import { caseSecondsMax, quoteCharsMax } from '../../evals/limits.ts';

/** What the turns of a case did. */
export type Outcome = {
  readonly conversation: string;
  readonly reason: string;
  /** The last answer. */
  readonly answer: string;
  /** Of all turns, in order. */
  readonly calls: readonly string[];
  readonly files: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly error?: string | undefined;
};

/** One sentence for each check that the outcome does not pass. */
export function checkOutcome(outcome: Outcome, checks: Checks): readonly string[] {
  return [
    ...endFindings(outcome, checks),
    ...answerFindings(outcome, checks),
    ...callFindings(outcome, checks),
    ...costFindings(outcome, checks),
  ];
}

function endFindings(
  { reason, error, files }: Outcome,
  { reason: expected = 'completed', files: wanted = [] }: Checks,
): readonly string[] {
  const because = error === undefined ? '' : `: ${error}`;
  return [
    ...(reason === expected ? [] : [`the turn ended as ${reason}, not ${expected}${because}`]),
    ...wanted
      .filter((name) => !files.includes(name))
      .map((name) => `no file ${name} was delivered${others(files)}`),
  ];
}

function answerFindings(
  { answer }: Outcome,
  { contains = [], excludes = [], matches = [] }: Checks,
): readonly string[] {
  const lower = answer.toLowerCase();
  const has = (text: string) => lower.includes(text.toLowerCase());
  const short = answer.length > quoteCharsMax ? `${answer.slice(0, quoteCharsMax)}…` : answer;
  const findings = [
    ...contains.filter((text) => !has(text)).map((text) => `the answer lacks “${text}”`),
    ...excludes.filter(has).map((text) => `the answer contains “${text}”`),
    ...matches
      .filter((source) => !new RegExp(source, 'u').test(answer))
      .map((source) => `the answer does not match /${source}/`),
  ];
  return findings.map((finding) => `${finding}; it is: ${short === '' ? '(empty)' : short}`);
}

function callFindings(
  { calls }: Outcome,
  { calls: wanted = [], avoids = [] }: Checks,
): readonly string[] {
  let from = 0;
  const missing = wanted.find((tool) => {
    const at = calls.indexOf(tool, from);
    from = at + 1;
    return at < 0;
  });
  const place = missing !== undefined && calls.includes(missing) ? ' in that order' : '';
  return [
    ...(missing === undefined ? [] : [`${missing} was not called${place}${others(calls)}`]),
    ...avoids.filter((tool) => calls.includes(tool)).map((tool) => `${tool} was called`),
  ];
}

function costFindings(
  { rounds, seconds, costUsd }: Outcome,
  {
    rounds: roundsMax = rounds,
    seconds: secondsMax = caseSecondsMax,
    cost_usd: costMax = costUsd,
  }: Checks,
): readonly string[] {
  return [
    ...(rounds > roundsMax ? [`${rounds} rounds, more than ${roundsMax}`] : []),
    ...(seconds > secondsMax ? [`${seconds.toFixed(1)} s, more than ${secondsMax} s`] : []),
    ...(costUsd > costMax ? [`$${costUsd.toFixed(4)}, more than $${costMax}`] : []),
  ];
}

function others(names: readonly string[]): string {
  return names.length === 0 ? '' : `; there were ${[...new Set(names)].join(', ')}`;
}
