import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';

const Measured = z.object({
  passed: z.boolean(),
  seconds: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
});
export const Result = z.object({
  name: z.string(),
  passed: z.boolean(),
  findings: z.array(z.string()),
  conversation: z.string(),
  seconds: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
  /** When and with which model it ran. Absent: as the run says. */
  at: z.iso.datetime().optional(),
  model: z.string().optional(),
  /** The run before. */
  before: Measured.optional(),
});
const Run = z.object({
  at: z.iso.datetime(),
  model: z.string(),
  /** The run was stopped, or is at work: it has played the first of its cases. */
  partial: z.object({ played: z.int(), of: z.int() }).optional(),
  cases: z.array(Result),
});
export type EvalResult = z.infer<typeof Result>;
export type EvalRun = z.infer<typeof Run>;

const file = 'results.json';

/** The last run of a folder. Undefined: there is none, or it is not readable. */
export async function readLastRun(folder: string): Promise<EvalRun | undefined> {
  // A missing or damaged file only leaves out the comparison.
  const text = await readFile(join(folder, file), 'utf8').catch(() => '');
  const read = Run.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}

/**
 * Keeps the results of cases that this run left out, and of each case what the run before measured. The file is whole at any
 * time, also if the process is killed.
 */
export async function writeRun(
  folder: string,
  { run, last }: { readonly run: EvalRun; readonly last: EvalRun | undefined },
): Promise<void> {
  const names = new Set(run.cases.map(({ name }) => name));
  const { at, model } = last ?? run;
  const kept = (last?.cases ?? [])
    .filter(({ name }) => !names.has(name))
    .map((result) => ({ at, model, ...result }));
  const own = run.cases.map((result) => ({ ...result, ...beforeOf(result, last) }));
  const all = { ...run, cases: [...own, ...kept] };
  const draft = join(folder, `${file}.${process.pid}.draft`);
  await writeFile(draft, `${JSON.stringify(all, undefined, 2)}\n`);
  await rename(draft, join(folder, file));
}

/** What the last run measured of this case. */
export function beforeOf(
  { name }: Pick<EvalResult, 'name'>,
  last: EvalRun | undefined,
): Pick<EvalResult, 'before'> {
  const found = last?.cases.find((each) => each.name === name);
  if (!found) return {};
  const { passed, seconds, tokens, cost_usd } = found;
  return { before: { passed, seconds, tokens, cost_usd } };
}

/** One line of a case, with what changed since the last run, and its findings below. */
export function resultLines(result: EvalResult, last: EvalRun | undefined): string {
  const { name, passed, findings, seconds, tokens, cost_usd: cost } = result;
  const before = last?.cases.find((each) => each.name === name);
  const change =
    before && before.passed !== passed
      ? passed
        ? ' · mended'
        : ' · broken since the last run'
      : '';
  const facts = [
    `${seconds.toFixed(1)} s`,
    `${tokens} tokens`,
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
  ];
  const head = `${passed ? '✓' : '✗'} ${name} (${facts.join(', ')}${delta(result, before)})${change}`;
  return [head, ...findings.map((finding) => `    ${finding}`)].join('\n');
}

/** Large changes of what a case takes. */
function delta({ tokens }: EvalResult, before: EvalResult | undefined): string {
  if (!before || before.tokens === 0) return '';
  const percent = Math.round((100 * (tokens - before.tokens)) / before.tokens);
  return Math.abs(percent) < notablePercent ? '' : `, ${percent > 0 ? '+' : ''}${percent} % tokens`;
}

const notablePercent = 10;
