import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createEvalReports } from '../../../runtime/cli/evals/eval-reports.ts';
import { runCommand, runCommandHere } from '../../tools/command.ts';
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
let silence = never;
let word = 'Hello.';
beforeAll(async () => {
  place = await openPlace();
  await place.write({ 'cases/three.yaml': cases });
  folder = join(place.dir, 'cases');
  wire = await openModelWire(({ raw }) =>
    raw.includes(silence) ? new Promise<never>(() => undefined) : { text: [word] },
  );
});
afterAll(async () => {
  await wire[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

type Asked = { readonly model: string; readonly started?: (child: ChildProcess) => void };

async function evaluate({ model, started }: Asked) {
  const args = ['eval', folder, '--model', `anthropic:${model}`];
  const env = {
    ...place.env,
    ANTHROPIC_API_KEY: 'a test key',
    ANTHROPIC_BASE_URL: wire.anthropicUrl,
    TMPDIR: place.dir,
  };
  return await (started ? runCommand(args, { env, started }) : runCommandHere(args, env));
}

/** Stops a run while the model is silent about that case. */
async function stopped(signal: NodeJS.Signals, { at, model }: { at: string; model: string }) {
  silence = at;
  const before = wire.requests.length;
  const hangs = () => wire.requests.slice(before).some(({ raw }) => raw.includes(silence));
  const started = (child: ChildProcess) => {
    void expect
      .poll(hangs, { timeout: serverTestsMsMax })
      .toBe(true)
      .then(() => child.kill(signal));
  };
  const ended = await evaluate({ model, started });
  silence = never;
  return ended;
}

const results = (): unknown => JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));

// Each run is compared with those before it, so they follow each other.

// proves: eval.stopped
test('a run that is stopped before its first case says so and changes nothing', async () => {
  const ended = await stopped('SIGINT', { at: 'First?', model: 'one' });
  expect(ended).toMatchObject({ code: 130, stderr: 'stopped by SIGINT\n' });
  expect(ended.stdout).toBe('\n0 passed, 0 failed, 3 not played\n');
  expect(readdirSync(folder)).toEqual(['three.yaml']);
});

// proves: eval.stopped
test('a run that is killed keeps what it has played', async () => {
  const ended = await stopped('SIGKILL', { at: 'Second?', model: 'one' });
  expect(ended.code).toBe(null);
  expect(results()).toMatchObject({
    partial: { played: 1, of: 3 },
    cases: [{ name: 'first', passed: true }],
  });
  expect(await evaluate({ model: 'one' })).toMatchObject({ code: 0, stderr: '' });
  expect(results()).not.toHaveProperty('partial');
});

// proves: eval.stopped
test('a run that a signal stops exits with its code and keeps what it has played', async () => {
  word = 'Goodbye.';
  const before = temporary();
  const ended = await stopped('SIGTERM', { at: 'Second?', model: 'two' });
  expect(ended).toMatchObject({ code: 143, stderr: 'stopped by SIGTERM\n' });
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
  expect(temporary()).toEqual(before);
  const [report] = await createEvalReports([folder]).read();
  expect(report).toMatchObject({ partial: { played: 1, of: 3 } });

  const next = await evaluate({ model: 'one' });
  expect(next.code).toBe(1);
  // Each case is compared with its own last run: the first with the stopped one, the others with the one before.
  expect(next.stdout).toMatch(/^✗ first \([^·\n]*\)\n/);
  expect(next.stdout.match(/broken since the last run/g)).toHaveLength(2);
  expect(results()).not.toHaveProperty('partial');
});

/** What runs have left of their own; only one that is killed leaves something. */
function temporary(): readonly string[] {
  return readdirSync(place.dir).filter((name) => name.startsWith('timeloom-eval'));
}
