import { expect, test } from 'vitest';
import type { ExecHost } from '../../../../runtime/tools/ports/sandbox.ts';
import { resultBytesMax } from '../../../../supervisor/protocol/limits.ts';
import { contract, delivered, echoHost, noLimits, ran, request } from '../kit.ts';
import { each, type Opened } from './programs.ts';

/** What lies at the edges of what a program may do, in every backend. */
export function execEdges(get: () => Opened): void {
  // proves: i6.limits
  each(
    'a sparse gigabyte is larger than a file may be',
    {
      python: `try:
    with open("/out/outputs/a.bin", "wb") as file: file.truncate(1 << 30)
    print("made")
except OSError as error: print(error.strerror)`,
      javascript: `const fs = require('node:fs');
try { fs.ftruncateSync(fs.openSync('/out/outputs/a.bin', 'w'), 2 ** 30); console.log('made') }
catch (error) { console.log(error.code === 'EFBIG' ? 'File too large' : error.code) }`,
    },
    async (language, code) => {
      const limits = { ...noLimits, fileMb: 4_096 };
      const { envelope } = await ran(get().sandbox, request(language, code, { limits }));
      expect(envelope.user_out_tail).toBe('File too large\n');
      expect(envelope.limits.fileMb).toBe(noLimits.workspaceMb);
    },
  );

  each(
    'a program may lower its own limits and priority, and read them',
    {
      python: `import os, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
resource.prlimit(0, resource.RLIMIT_CPU, (100, 100))
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
os.setpriority(os.PRIO_PROCESS, 0, 17)
print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_CPU), os.nice(1))`,
      javascript: `const { execFileSync } = require('node:child_process');
const { getPriority, setPriority } = require('node:os');
setPriority(0, 17);
const shell = 'ulimit -n 64; ulimit -t 100; echo "($(ulimit -n), $(ulimit -Hn)) ($(ulimit -t), $(ulimit -Ht))"';
console.log(execFileSync('sh', ['-c', shell]).toString().trim(), getPriority(0) + 1);`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.runtime_err_tail).toBe('');
      expect(envelope.user_out_tail).toBe('(64, 64) (100, 100) 18\n');
    },
  );

  each(
    'there is nothing to read on standard input',
    {
      python: 'import sys; print(repr(sys.stdin.read()))',
      javascript: `console.log(JSON.stringify(require('node:fs').readFileSync(0, 'utf8')))`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.user_out_tail).toMatch(/^(''|"")\n$/);
    },
  );

  each(
    'a program that aborts has failed, whatever it printed',
    {
      python: 'import os\nprint("fine", flush=True)\nos.abort()',
      javascript: `require('node:fs').writeSync(1, 'fine\\n'); process.abort();`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope).toMatchObject({ ok: false, user_out_tail: 'fine\n', kill_reason: null });
      expect(envelope.error?.code).toBe('program_failed');
    },
  );

  each(
    'what goes to standard error alone is a warning, not a failure',
    {
      python: 'import sys; print("größer", file=sys.stderr)',
      javascript: 'console.error("größer")',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope).toMatchObject({ ok: true, user_out_tail: '', runtime_err_tail: 'größer\n' });
      expect(envelope.report_text).toContain('## Warnings');
    },
  );

  each(
    'characters that are cut between two writes arrive whole',
    {
      python: `import os, time
for byte in "😀é\\n".encode(): os.write(1, bytes([byte])); time.sleep(0.01)`,
      javascript: `for (const byte of Buffer.from('😀é\\n')) {
  require('node:fs').writeSync(1, Buffer.from([byte])); await new Promise((r) => setTimeout(r, 10)); }`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.user_out_tail).toBe('😀é\n');
    },
  );

  each(
    'an input too large for one call is refused before it is sent',
    {
      python: `try: await tools.a.b(text="x" * (9 << 20))
except ToolError as error: print(error.code)`,
      javascript: `try { await tools.a.b({ text: 'x'.repeat(9 << 20) }) } catch (error) { console.log(error.code) }`,
    },
    async (language, code) => {
      const asked = request(language, code, { granted: ['a.b'] });
      const { envelope, events } = await ran(get().sandbox, asked);
      expect(envelope.user_out_tail).toBe('invalid_input\n');
      expect(events.filter(({ kind }) => kind === 'tool_called')).toEqual([]);
    },
  );

  each(
    'a result too large to pass is an error of its call, and the next call works',
    {
      python: `try: await tools.a.b(n=1)
except ToolError as error: print(error.code)
print(await tools.a.b(n=0))`,
      javascript: `try { await tools.a.b({ n: 1 }) } catch (error) { console.log(error.code) }
console.log(await tools.a.b({ n: 0 }))`,
    },
    async (language, code) => {
      const huge: ExecHost = {
        ...echoHost,
        callTool: async ({ input }) => ({
          ok: true,
          ret: input['n'] === 1 ? 'x'.repeat(resultBytesMax) : 'small',
        }),
      };
      const asked = request(language, code, { granted: ['a.b'] });
      const { envelope } = await ran(get().sandbox, asked, { host: huge });
      expect(envelope.user_out_tail).toBe('result_too_large\nsmall\n');
    },
  );

  each(
    'files the program locked away are delivered',
    {
      python: `import os
os.makedirs("/out/outputs/locked"); open("/out/outputs/locked/a.txt", "w").write("kept")
os.chmod("/out/outputs/locked/a.txt", 0); os.chmod("/out/outputs/locked", 0)`,
    },
    async (language, code) => {
      const asked = request(language, code, { contract: contract('outputs/locked/a.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      expect(await delivered(envelope, get().blobs)).toBe('kept');
    },
  );

  test('programs at the same time leave their own files under the same name', async () => {
    const runs = ['one', 'two', 'three'].map(async (text) => {
      const code = `open("/out/outputs/a.txt", "w").write("${text}")`;
      const asked = request('python', code, { contract: contract('outputs/a.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      return delivered(envelope, get().blobs);
    });
    expect(await Promise.all(runs)).toEqual(['one', 'two', 'three']);
  });

  const names = ['e\u0301 combining.csv', 'من اليمين.csv', `${'n'.repeat(190)}.csv`, '-rf *.csv'];
  test('names that are hard to write are delivered as they are', async () => {
    const paths = names.map((name) => `outputs/${name}`);
    const code = `for path in ${JSON.stringify(paths)}: open(f"/out/{path}", "w").write("x")`;
    const asked = request('python', code, { contract: contract(...paths) });
    const { envelope } = await ran(get().sandbox, asked);
    expect(envelope.error).toBe(null);
    expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(paths);
  });
}
