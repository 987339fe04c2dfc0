import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';
import { Cancelled } from '../../../../runtime/base/signal.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { scriptsAtOnceMax } from '../../../../runtime/tools/exec/limits.ts';
import { createRunScript } from '../../../../runtime/tools/exec/scripts/run-script.ts';
import type { Script } from '../../../../runtime/tools/exec/scripts/script-program.ts';
import type { ExecRequest } from '../../../../runtime/tools/ports/sandbox.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { blocksOf, error, openWorld, ret, turn } from '../kit.ts';
import { envelope, type Program, sandboxOf } from './kit.ts';

const script: Script = { file: 'scripts/fit.py', language: 'python', code: 'RESULT = INPUT' };
const parts = { ids: randomIds, clock: systemClock };

/** A tool that runs the script; the behaviour of its program is given in TypeScript. */
function toolOf(run: Program | undefined): Tool {
  const unavailable = 'Programs are switched off.';
  const runScript = createRunScript({
    ...parts,
    ...(run ? { sandbox: sandboxOf(run) } : { unavailable }),
  });
  return createTool({
    id: 'stats.fit',
    kind: 'bundle',
    description: 'Fits.',
    input: z.object({ text: z.string().default('') }),
    run: async (input, context) => ({
      result: { ok: true, ret: await runScript(script, input, context) },
    }),
  });
}

const { signal } = new AbortController();
/** A program that hands over this value and ends. */
const gives = (input: { value: number | null } | { unfit: string } | object): Program =>
  async function* (request, host) {
    const call = { id: '1', tool: 'script.result', input: { ...input }, reason: '' };
    await host.callTool(call, { signal });
    yield { kind: 'output', stream: 'stdout', text: 'fitting' };
    yield envelope(request);
  };

// proves: sdk.sandbox-runs
test('a script has the limits of its agent and one tool, which takes its RESULT', async () => {
  const world = await openWorld();
  let seen: ExecRequest | undefined;
  const tool = toolOf(async function* (request, host, stop) {
    seen = request;
    yield* gives({ value: null })(request, host, stop);
  });
  const programs = { tools: [tool], timeoutMs: 9_000, memoryMb: 64 };
  expect(ret(await world.perform(tool, {}, { programs }))).toBeNull();
  expect(seen).toMatchObject({
    granted: ['script.result'],
    contract: [],
    turn,
    limits: { timeoutMs: 9_000, memoryMb: 64 },
  });
  expect(world.live).toEqual([]);
});

const failures: readonly [string, Program, object][] = [
  [
    'nothing',
    async function* (request) {
      yield envelope(request);
    },
    { code: 'result_missing', retryable: false },
  ],
  [
    'a value that is not JSON',
    gives({ unfit: 'Object of type set is not JSON serializable' }),
    {
      code: 'result_invalid',
      message: 'RESULT of scripts/fit.py is invalid: Object of type set is not JSON serializable',
    },
  ],
  ['something else', gives({ odd: 1 }), { code: 'result_invalid' }],
  [
    'an exception',
    async function* (request) {
      const trace = [
        'Traceback (most recent call last):',
        '  File "/scratch/bundle/scripts/fit.py", line 3, in <module>',
        'ValueError: no',
      ].join('\n');
      const failed = {
        code: 'program_failed',
        message: 'the program ended with exit code 1: ValueError: no',
      };
      yield envelope(request, { error: failed, runtime_err_tail: `${trace}\n` });
    },
    {
      code: 'script_failed',
      message: [
        'scripts/fit.py ended with exit code 1: ValueError: no',
        'Traceback (most recent call last):',
        '  File "scripts/fit.py", line 3, in <module>',
        'ValueError: no',
      ].join('\n'),
    },
  ],
  [
    'no end in time',
    async function* (request) {
      const late = {
        code: 'timeout',
        message: 'the program was stopped at its time limit of 60 s',
      };
      yield envelope(request, { error: late, kill_reason: 'timeout' });
    },
    { code: 'timeout', retryable: false },
  ],
  [
    'no sandbox that lives',
    async function* (request) {
      const lost = { code: 'sandbox_execution_failed', message: 'try once more' };
      yield envelope(request, { error: lost, kill_reason: 'lost' });
    },
    { code: 'sandbox_execution_failed', retryable: true },
  ],
];

test.each(failures)(
  'a script that ends with %s gets its own error code',
  async (_, run, failure) => {
    const world = await openWorld();
    expect(error(await world.perform(toolOf(run), {}))).toMatchObject(failure);
  },
);

test('an installation without a sandbox reports what is missing', async () => {
  const world = await openWorld();
  expect(error(await world.perform(toolOf(undefined), {}))).toMatchObject({
    code: 'exec_unavailable',
    message: 'Programs are switched off.',
  });
});

test('an input too large for the script is refused before anything runs', async () => {
  const world = await openWorld();
  const text = 'x'.repeat(1024 * 1024);
  const refused = error(await world.perform(toolOf(gives({ value: 1 })), { text }));
  expect(refused?.code).toBe('input_too_large');
});

test('a stopped script has the reason of the stop, not the outcome of its program', async () => {
  const world = await openWorld();
  const stop = new AbortController();
  const tool = toolOf(async function* (request) {
    stop.abort(new Cancelled('steer'));
    const error = { code: 'cancelled', message: 'the program was stopped' };
    yield envelope(request, { error, kill_reason: 'cancelled' });
  });
  const performed = await world.perform(tool, {}, { signal: stop.signal });
  expect(error(performed)?.code).toBe('interrupted');
});

test('files that a script leaves in the workspace belong to its call, even when it fails', async () => {
  const world = await openWorld();
  const blob = await world.put('a');
  const artifact = {
    filepath: 'files/a.txt',
    description: '',
    visibility: 'internal',
    mime: 'text/plain',
    blob,
    undeclared: true,
  } as const;
  const tool = toolOf(async function* (request) {
    yield envelope(request, {
      artifacts: [artifact],
      error: { code: 'program_failed', message: 'no' },
    });
  });
  const performed = await world.perform(tool, {}, { call: toCallId('tc_f') });
  expect(blocksOf(performed, 'artifact.file')).toMatchObject([
    { path: `fi:${turn}.files/a.txt`, call: toCallId('tc_f') },
  ]);
});

test('a limited number of scripts runs concurrently, and the others wait', async () => {
  const world = await openWorld();
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const tool = toolOf(async function* (request, host, stop) {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => {
      ends.push(resolve);
      if (ends.length === scriptsAtOnceMax) for (const end of ends) end();
      if (ends.length > scriptsAtOnceMax) resolve();
    });
    running -= 1;
    yield* gives({ value: 1 })(request, host, stop);
  });
  const contexts = [];
  for (let n = 0; n < 2 * scriptsAtOnceMax; n += 1) contexts.push(await world.contextOf(tool, {}));
  const ran = await Promise.all(contexts.map((context) => tool.run({ text: '' }, context)));
  expect(ran.map(({ result }) => result.ok)).toEqual(ran.map(() => true));
  expect(most).toBe(scriptsAtOnceMax);
});
