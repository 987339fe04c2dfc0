import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEvalReports } from '../../../runtime/cli/evals/eval-reports.ts';
import { runCommand } from '../../tools/command.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { type ModelWire, openModelWire } from '../../tools/services/model-wire.ts';
import { openPlace, type Place } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax });

const cases = `agent: desk/main
cases:
  - { name: first, input: First?, checks: { contains: Hello } }
  - { name: second, input: Second?, checks: { contains: Hello } }
  - { name: third, input: Third?, checks: { contains: Hello } }
`;

let place: Place;
let wire: ModelWire;
let folder: string;
/** What the model answers to nothing that contains it. */
const never = 'a text that no prompt has';
let silence: string;
let word: string;
beforeEach(async () => {
  place = await openPlace();
  await place.write({ 'cases/three.yaml': cases });
  folder = join(place.dir, 'cases');
  silence = never;
  word = 'Hello.';
  wire = await openModelWire(({ raw }) =>
    raw.includes(silence) ? new Promise<never>(() => undefined) : { text: [word] },
  );
});
afterEach(async () => {
  await wire[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

function evaluate(started?: (child: ChildProcess) => void, model = 'one') {
  return runCommand(['eval', folder, '--model', `anthropic:${model}`], {
    env: {
      ...place.env,
      ANTHROPIC_API_KEY: 'a test key',
      ANTHROPIC_BASE_URL: wire.anthropicUrl,
      TMPDIR: place.dir,
    },
    ...(started && { started }),
  });
}

/** Stops a run while the model is silent about the second case. */
async function stopped(signal: NodeJS.Signals) {
  silence = 'Second?';
  const before = wire.requests.length;
  const hangs = () => wire.requests.slice(before).some(({ raw }) => raw.includes(silence));
  const ended = await evaluate((child) => {
    void expect
      .poll(hangs, { timeout: serverTestsMsMax })
      .toBe(true)
      .then(() => child.kill(signal));
  }, 'two');
  silence = never;
  return ended;
}

const results = (): unknown => JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));

// proves: eval.stopped
test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a run that %s stops exits with %i and keeps what it has played',
  async (signal, code) => {
    expect(await evaluate()).toMatchObject({ code: 0, stderr: '' });
    word = 'Goodbye.';
    const ended = await stopped(signal);
    expect(ended).toMatchObject({ code, stderr: `stopped by ${signal}\n` });
    expect(ended.stdout).toMatch(/^✗ first .*broken since the last run/);
    expect(ended.stdout).toMatch(/\n0 passed, 1 failed, 2 not played\n$/);
    expect(results()).toMatchObject({
      model: 'anthropic:two',
      partial: { played: 1, of: 3 },
      cases: [
        { name: 'first', passed: false, before: { passed: true } },
        { name: 'second', passed: true, model: 'anthropic:one' },
        { name: 'third', passed: true, model: 'anthropic:one' },
      ],
    });
    expect(readdirSync(folder).toSorted()).toEqual(['results.json', 'three.yaml']);
    expect(readdirSync(place.dir).filter((name) => name.startsWith('timeloom-eval'))).toEqual([]);
    const [report] = await createEvalReports([folder]).read();
    expect(report).toMatchObject({ partial: { played: 1, of: 3 } });

    const next = await evaluate();
    expect(next.code).toBe(1);
    // Each case is compared with its own last run: the first with the stopped one, the others with the one before.
    expect(next.stdout).toMatch(/^✗ first \([^·\n]*\)\n/);
    expect(next.stdout.match(/broken since the last run/g)).toHaveLength(2);
    expect(results()).not.toHaveProperty('partial');
  },
);

// proves: eval.stopped
test('a run that is killed keeps what it has played', async () => {
  const ended = await stopped('SIGKILL');
  expect(ended.code).toBe(null);
  expect(results()).toMatchObject({
    partial: { played: 1, of: 3 },
    cases: [{ name: 'first', passed: true }],
  });
  const next = await evaluate();
  expect(next).toMatchObject({ code: 0, stderr: '' });
  expect(results()).not.toHaveProperty('partial');
});

// proves: eval.stopped
test('a run that is stopped before its first case says so and changes nothing', async () => {
  silence = 'First?';
  const ended = await evaluate((child) => {
    void expect
      .poll(() => wire.requests.length, { timeout: serverTestsMsMax })
      .toBeGreaterThan(0)
      .then(() => child.kill('SIGINT'));
  });
  expect(ended).toMatchObject({ code: 130, stderr: 'stopped by SIGINT\n' });
  expect(ended.stdout).toBe('\n0 passed, 0 failed, 3 not played\n');
  expect(readdirSync(folder)).toEqual(['three.yaml']);
});
