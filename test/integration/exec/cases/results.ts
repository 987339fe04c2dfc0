import { expect } from 'vitest';
import { ran, request } from '../kit.ts';
import { each, type Opened } from './programs.ts';

/** What a program's output, error and exit code become, in every backend. */
export function execResults(get: () => Opened): void {
  // proves: exec.languages, exec.one-envelope
  each(
    'a program that only prints has its output as its result',
    { python: 'print("forty", 2)', javascript: 'console.log("forty", 2)' },
    async (language, code) => {
      const { envelope, events } = await ran(get().sandbox, request(language, code));
      expect(envelope).toMatchObject({ ok: true, error: null, kill_reason: null, artifacts: [] });
      expect(envelope.user_out_tail).toBe('forty 2\n');
      expect(envelope.report_text).toContain('forty 2');
      expect(envelope.backend).toBe(get().sandbox.backend);
      expect(events[0]).toEqual({ kind: 'ready', backend: get().sandbox.backend });
    },
  );

  each(
    'an exception fails the program and names its line',
    {
      python: 'x = 1\ndef f():\n    raise ValueError("no such day")\nf()\n',
      javascript: 'const x = 1;\n\nthrow new RangeError("no such day");\n',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.ok).toBe(false);
      expect(envelope.error?.code).toBe('program_failed');
      expect(envelope.error?.message).toMatch(/(ValueError|RangeError): no such day$/);
      expect(envelope.runtime_err_tail).toMatch(/program\.py", line 3|program\.mjs:3/);
      expect(envelope.runtime_err_tail).not.toContain('harness');
    },
  );

  each(
    'a program that does not compile gets an error with the place',
    { python: 'a = 1\nb = = 2\n', javascript: 'const a = 1;\nconst b = = 2;\n' },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.error?.message).toContain('SyntaxError');
      expect(envelope.runtime_err_tail).toMatch(/program\.py", line 2|program\.mjs:2/);
    },
  );

  each(
    'an exit code is the outcome',
    { python: 'import sys; sys.exit(3)', javascript: 'process.exit(3)' },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.error).toEqual({
        code: 'program_failed',
        message: 'the program ended with exit code 3',
      });
    },
  );

  const where = ['WORKDIR', 'OUTPUT_DIR', 'EXECUTION_ID', 'AGENT_IO_CONTEXT'];
  each(
    'the four names are variables and environment',
    {
      python: `import os\nfor n in ${JSON.stringify(where)}: print(globals()[n], os.environ[n])`,
      javascript: `for (const n of ${JSON.stringify(where)}) console.log(globalThis[n], process.env[n])`,
    },
    async (language, code) => {
      const asked = request(language, code);
      const { envelope } = await ran(get().sandbox, asked);
      const values = ['/work', '/out', asked.id, 'limited'];
      expect(envelope.user_out_tail).toBe(values.map((one) => `${one} ${one}\n`).join(''));
    },
  );

  each(
    'processes of its own and an asyncio.run of its own work',
    {
      python: `
import asyncio, subprocess
from multiprocessing import Pool
def double(x): return 2 * x
async def main(): return sum(Pool(2).map(double, [1, 2]))
print(asyncio.run(main()), subprocess.run(["echo", "sub"], capture_output=True, text=True).stdout)`,
      javascript: `
import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
const worker = new Worker('require("worker_threads").parentPort.postMessage(6)', { eval: true });
console.log(await new Promise((r) => worker.once('message', r)), execFileSync('echo', ['sub']) + '');`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('6 sub\n\n');
    },
  );

  each(
    'a forked process that is asked to stop before its Python is awake stops',
    {
      python: `
import os, signal, time
os.register_at_fork(after_in_child=lambda: time.sleep(0.3))
child = os.fork()
if child == 0:
    time.sleep(60)
os.kill(child, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('-15\n');
    },
  );

  each(
    'standard output can be opened by name',
    {
      python: 'open("/dev/stdout", "w").write("by name\\n")',
      javascript: 'import fs from "node:fs"; fs.writeFileSync("/dev/stdout", "by name\\n")',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.user_out_tail).toBe('by name\n');
    },
  );
}
