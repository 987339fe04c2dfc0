import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { Semaphore } from '../../../runtime/base/semaphore.ts';
import { ran, request, sandboxParts } from './kit.ts';

/** The long run has 500. */
const programs = Number(process.env['TIMELOOM_LOAD_PROGRAMS'] ?? 12);
const atOnce = 8;
const burners = 10;
/** The worker's own loop is taken for so long, so often. */
const blockMs = 15;
const blockEveryMs = 40;

/** Processes that want a core each, and a worker that is often too busy to read. */
function loadMachine(scope: Scope) {
  for (let n = 0; n < burners; n += 1) {
    const burner = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    const ended = once(burner, 'exit');
    scope.defer(async () => {
      burner.kill('SIGKILL');
      await ended;
    });
  }
  const timer = setInterval(() => {
    const until = performance.now() + blockMs;
    while (performance.now() < until);
  }, blockEveryMs);
  scope.defer(() => clearInterval(timer));
}

const code = {
  python: (n: number) => `print((await tools.a.b(n=${n}))["input"]["n"])`,
  javascript: (n: number) => `console.log((await tools.a.b({ n: ${n} })).input.n)`,
} as const;

// proves: exec.early-hello
test(`of ${programs} programs on a loaded machine none is lost`, {
  retry: 0,
  timeout: 120_000 + programs * 10_000,
}, async () => {
  await using scope = new Scope();
  const sandbox = scope.own(await openProcessSandbox({ ...sandboxParts(), pool: 2 }));
  loadMachine(scope);
  const few = new Semaphore(atOnce);
  const run = async (n: number) => {
    const language = n % 2 === 0 ? 'python' : 'javascript';
    const asked = request(language, code[language](n), { granted: ['a.b'] });
    const { envelope } = await few.run(() => ran(sandbox, asked));
    return { n, said: envelope.user_out_tail, error: envelope.error };
  };
  const all = Array.from({ length: programs }, (_, n) => n);
  const ended = await Promise.all(all.map(run));
  expect(ended).toEqual(all.map((n) => ({ n, said: `${n}\n`, error: null })));
});
