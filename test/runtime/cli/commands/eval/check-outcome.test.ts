import { expect, test } from 'vitest';
import {
  checkOutcome,
  type Outcome,
} from '../../../../../runtime/cli/commands/eval/check-outcome.ts';
import { type EvalRun, resultLines } from '../../../../../runtime/cli/evals/eval-results.ts';

const outcome: Outcome = {
  conversation: 'conv_1',
  reason: 'completed',
  answer: 'December 2015 was the wettest month, with 284.5 mm.',
  calls: ['react.read', 'weather.profile', 'react.read'],
  files: ['report.html'],
  rounds: 4,
  seconds: 2.5,
  tokens: 5_000,
  costUsd: 0.02,
};

// proves: eval.checks
test.each([
  [{ contains: ['december', '284.5'], matches: ['\\d+\\.\\d mm'], excludes: ['November'] }, []],
  [{ contains: ['November'] }, [/lacks “November”; it is: December 2015/]],
  [{ excludes: ['wettest'] }, [/contains “wettest”/]],
  [{ matches: ['^\\d'] }, [/does not match \/\^\\d\//]],
  [{ calls: ['react.read', 'weather.profile', 'react.read'] }, []],
  [
    { calls: ['weather.profile', 'weather.profile'] },
    [/weather.profile was not called in that order/],
  ],
  [
    { calls: ['react.plan'] },
    [/react.plan was not called; there were react.read, weather.profile/],
  ],
  [{ avoids: ['weather.profile'] }, [/weather.profile was called/]],
  [
    { files: ['report.html', 'chart.svg'] },
    [/no file chart.svg was delivered; there were report.html/],
  ],
  [{ rounds: 3, seconds: 2, cost_usd: 0.01 }, [/4 rounds, more than 3/, /2.5 s/, /\$0.0200/]],
  [{ reason: 'exhausted' }, [/ended as completed, not exhausted/]],
])('of the checks %j, these fail: %j', (checks, findings) => {
  const found = checkOutcome(outcome, checks);
  expect(found).toHaveLength(findings.length);
  for (const [index, finding] of findings.entries()) expect(found[index]).toMatch(finding);
});

// proves: eval.checks
test('a turn that fails says why', () => {
  const failed = { ...outcome, reason: 'failed', answer: '', error: 'no model is configured' };
  expect(checkOutcome(failed, {})).toEqual([
    'the turn ended as failed, not completed: no model is configured',
  ]);
});

// proves: eval.compares
test('a line says what changed since the last run', () => {
  const result = {
    name: 'rain',
    passed: true,
    findings: [],
    conversation: 'c',
    seconds: 2,
    tokens: 120,
    cost_usd: 0,
  };
  const last: EvalRun = {
    at: '2026-01-01T00:00:00Z',
    model: 'scripted:x',
    cases: [{ ...result, passed: false, tokens: 100 }],
  };
  expect(resultLines(result, last)).toBe('✓ rain (2.0 s, 120 tokens, +20 % tokens) · mended');
  expect(
    resultLines({ ...result, passed: false, findings: ['wrong'] }, { ...last, cases: [result] }),
  ).toBe('✗ rain (2.0 s, 120 tokens) · broken since the last run\n    wrong');
  expect(resultLines(result, undefined)).toBe('✓ rain (2.0 s, 120 tokens)');
});
