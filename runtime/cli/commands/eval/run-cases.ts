import { once } from 'node:events';
import { Scope } from '../../../base/scope.ts';
import type { Client } from '../../../client/api/client.ts';
import type { Model } from '../../../engine/ports/model.ts';
import type { Config } from '../../config/config.ts';
import type { EvalCase } from '../../evals/eval-case.ts';
import { type EvalResult, readLastRun, resultLines, writeRun } from '../../evals/eval-results.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import { checkOutcome, type Outcome } from './check-outcome.ts';
import { openClient, openJudge } from './eval-server.ts';
import { judgeAnswer } from './judge-answer.ts';
import { runCase } from './run-case.ts';

type Run = {
  readonly folder: string;
  readonly cases: readonly EvalCase[];
  readonly judge: string | undefined;
  readonly json: boolean;
};

/** Plays the cases one after the other and prints each result. A run that is stopped keeps what it has. Returns the exit code. */
export async function runCases(
  config: Config,
  { folder, cases, judge: judgeRef, json }: Run,
  { signal }: { readonly signal: AbortSignal },
): Promise<number> {
  await using scope = new Scope();
  const last = await readLastRun(folder);
  const judge = cases.some((each) => each.judge !== undefined)
    ? await openJudge(config, judgeRef)
    : undefined;
  const client = await openClient(config, { scope, signal });
  const results: EvalResult[] = [];
  for (const each of cases) {
    if (signal.aborted) break;
    const result = await unlessStopped(signal, playCase(each, { client, folder, judge, signal }));
    if (!result) break;
    results.push(result);
    process.stdout.write(
      `${json ? JSON.stringify(result) : escapeControl(resultLines(result, last))}\n`,
    );
  }
  const run = { at: new Date().toISOString(), model: config.model ?? '', cases: results };
  if (results.length > 0) await writeRun(folder, { run, last });
  const failed = results.filter(({ passed }) => !passed).length;
  if (!json) process.stdout.write(`\n${results.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** Undefined: it was stopped before. */
async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController();
  const stopped = once(signal, 'abort', { signal: ended.signal }).then(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    stopped.catch(() => undefined);
    ended.abort();
  }
}

type Playing = {
  readonly client: Client;
  readonly folder: string;
  readonly judge: Model | undefined;
  readonly signal: AbortSignal;
};

async function playCase(
  each: EvalCase,
  { client, folder, judge, signal }: Playing,
): Promise<EvalResult> {
  const outcome = await runCase(each, { client, folder });
  return toResult(each, outcome, await findingsOf(each, { outcome, judge, signal }));
}

type Finding = {
  readonly outcome: Outcome;
  readonly judge: Model | undefined;
  readonly signal: AbortSignal;
};

async function findingsOf(
  { checks, judge: criterion, input }: EvalCase,
  { outcome, judge, signal }: Finding,
): Promise<readonly string[]> {
  const findings = checkOutcome(outcome, checks);
  if (criterion === undefined || judge === undefined || outcome.answer === '') return findings;
  const { answer } = outcome;
  const judged = await judgeAnswer(judge, { input, answer, criterion }, { signal });
  return judged === undefined ? findings : [...findings, judged];
}

function toResult(
  { name }: EvalCase,
  { conversation, seconds, tokens, costUsd }: Outcome,
  findings: readonly string[],
): EvalResult {
  const passed = findings.length === 0;
  return {
    name,
    passed,
    findings: [...findings],
    conversation,
    seconds,
    tokens,
    cost_usd: costUsd,
  };
}
