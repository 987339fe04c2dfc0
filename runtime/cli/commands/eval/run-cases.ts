import { once } from 'node:events';
import { Scope } from '../../../base/scope.ts';
import type { Client } from '../../../client/api/client.ts';
import type { Model } from '../../../engine/ports/model.ts';
import type { Config } from '../../config/config.ts';
import type { EvalCase } from '../../evals/eval-case.ts';
import {
  type EvalResult,
  type EvalRun,
  readLastRun,
  resultLines,
  writeRun,
} from '../../evals/eval-results.ts';
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

/**
 * Plays the cases one after the other, and prints and keeps each result when it is known: a run that is stopped or killed
 * loses none. Returns the exit code.
 */
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
    const run = toRun(results, { model: config.model ?? '', of: cases.length });
    await writeRun(folder, { run, last });
    process.stdout.write(
      `${json ? JSON.stringify(result) : escapeControl(resultLines(result, last))}\n`,
    );
  }
  const failed = results.filter(({ passed }) => !passed).length;
  const left = cases.length - results.length;
  if (!json) process.stdout.write(`\n${summaryOf({ failed, left, played: results.length })}\n`);
  // A run without all of its cases proves nothing, whatever they are.
  if (left > 0) throw signal.reason;
  return failed === 0 ? 0 : 1;
}

function toRun(cases: EvalResult[], { model, of }: { model: string; of: number }): EvalRun {
  const played = cases.length;
  const at = new Date().toISOString();
  return { at, model, ...(played < of && { partial: { played, of } }), cases };
}

type Counts = { readonly played: number; readonly failed: number; readonly left: number };

function summaryOf({ played, failed, left }: Counts): string {
  return [
    `${played - failed} passed, ${failed} failed`,
    ...(left > 0 ? [`${left} not played`] : []),
  ].join(', ');
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
