import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { runCommand } from '../tools/command.ts';
import { patient } from '../tools/machine-speed.ts';
import { engineMsMax, openDocker } from '../tools/services/docker.ts';

/** What was promised for the whole demo on a machine of usual speed, installation aside; a test looks at what came of it, too. */
const deadlineMs = patient(120_000);
const testMsMax = 2 * deadlineMs;

const scope = new Scope();
let engine: string;
beforeAll(async () => {
  engine = scope.own(await openDocker()).host;
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

// proves: demo.runs, sdk.analyst, timeline.summaries, exec.docker
test(
  'the demo answers from real data, with a program in a container, files and a memory of the first turn',
  async () => {
    const cwd = await folder();
    const { code, stdout, stderr } = await runCommand(['demo'], {
      cwd,
      msMax: deadlineMs,
      env: { DOCKER_HOST: engine },
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    for (const label of [
      'thinking',
      'notes',
      'tool',
      'canvas',
      'code',
      'calls',
      'output',
      'answer',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ +${label} `, 'm'));
    }
    expect(stdout).toContain('And are the summers getting warmer?  (during the turn)');
    expect(stdout).toMatch(/programs +run in the docker sandbox/);
    expect(stdout).toMatch(/ran in the docker sandbox for \d+ ms, with 12 tool calls/);
    expect(stdout).toMatch(/\d+ blocks, .* 2 turns/);
    expect(stdout).toMatch(/3 between rounds; a cache could provide \d\d % of [\d,]+ input tokens/);
    expect(stdout).toMatch(/react\.memsearch found “Goal: .*wettest/);
    const [report, chart] = await Promise.all(
      ['report.html', 'temperature.svg'].map((name) =>
        readFile(join(cwd, '.timeloom/demo', name), 'utf8'),
      ),
    );
    expect(report).toContain('1461 daily records');
    expect(chart).toMatch(/^<svg .*<\/svg>\s*$/s);
  },
  testMsMax,
);

// proves: demo.without-sandbox
test(
  'where no program may run the demo says why, and still answers',
  async () => {
    const cwd = await folder();
    const env = { TIMELOOM_EXEC_MODE: 'docker', DOCKER_HOST: 'unix:///nowhere/docker.sock' };
    const { code, stdout } = await runCommand(['demo'], { cwd, msMax: deadlineMs, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /programs +skipped: .*no Docker engine answers.*mode docker requires a Docker engine/,
    );
    expect(stdout).not.toMatch(/^ +code /m);
    const report = await readFile(join(cwd, '.timeloom/demo/report.md'), 'utf8');
    expect(report).toContain('Each year was warmer than the one before');
  },
  testMsMax,
);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'timeloom-demo-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
