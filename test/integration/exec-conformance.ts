import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineMsMax } from '../tools/docker.ts';
import { execArchives } from './exec-archives.ts';
import { execEdges } from './exec-edges.ts';
import { execEnds } from './exec-ends.ts';
import { execHandles } from './exec-handles.ts';
import { contract, delivered, ran, request } from './exec-kit.ts';
import { execLeft } from './exec-left.ts';
import { execLibraries } from './exec-libraries.ts';
import { each, type Opened, type Programs, write } from './exec-programs.ts';
import { execSlips } from './exec-slips.ts';
import { execTools } from './exec-tools.ts';

const parts = {
  results,
  files,
  ends: execEnds,
  tools: execTools,
  slips: execSlips,
  archives: execArchives,
  edges: execEdges,
  handles: execHandles,
  libraries: execLibraries,
} as const;
type Part = keyof typeof parts;

const all: readonly Part[] = Object.keys(parts).filter((name): name is Part => name in parts);

/** What every backend promises about files, results and how a program ends. */
export function execConformance(
  name: string,
  open: () => Promise<Opened>,
  some: readonly Part[] = all,
): void {
  describe(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    }, engineMsMax);
    afterAll(() => opened.sandbox[Symbol.asyncDispose]());
    for (const part of some) describe(part, () => parts[part](() => opened));
  });
}

function results(get: () => Opened): void {
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
    'a program that does not compile is told where',
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

const python = (code: string): Programs => ({ python: `import os, sys\n${code}` });

/** A program, the contract it runs under, and the reason its one file is not delivered. */
const unfit: Readonly<Record<string, readonly [Programs, string, string]>> = {
  'a file that was not written': [python('pass'), 'outputs/a.txt', 'missing_file'],
  'an empty file': [write('outputs/a.txt', ''), 'outputs/a.txt', 'empty_file'],
  'a link': [
    python('os.symlink("/etc/ld.so.cache", "/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_symlink_blocked',
  ],
  'a file behind a linked folder': [
    python('os.symlink("/usr/lib", "/out/outputs/d")'),
    'outputs/d/os-release',
    'artifact_symlink_blocked',
  ],
  'a hard link': [
    python('open("/out/b", "w").write("b"); os.link("/out/b", "/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_hard_link_blocked',
  ],
  'a fifo': [
    python('os.mkfifo("/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_not_regular_file',
  ],
  'a directory': [
    python('os.mkdir("/out/outputs/a.txt")'),
    'outputs/a.txt',
    'artifact_not_regular_file',
  ],
  'a file that is there twice': [
    python(`os.makedirs("/out/turn_00000000000000000001/outputs")
for p in ("", "turn_00000000000000000001/"): open(f"/out/{p}outputs/a.txt", "w").write("a")`),
    'outputs/a.txt',
    'ambiguous_output',
  ],
};

function files(get: () => Opened): void {
  execLeft(get);

  const unicode = 'outputs/Größe 数据 😀.csv';
  for (const path of ['outputs/deep/er/a.csv', 'files/notes.csv', unicode]) {
    each(
      `${path} is delivered with its bytes`,
      write(path, 'day,°C\n1,7\n'),
      async (lang, code) => {
        const asked = request(lang, code, { contract: contract(path) });
        const { envelope } = await ran(get().sandbox, asked);
        expect(envelope.error).toBe(null);
        const preview = { text_preview: 'day,°C\n1,7\n', line_count: 2, text_truncated: false };
        expect(envelope.artifacts).toMatchObject([{ filepath: path, mime: 'text/csv', preview }]);
        expect(await delivered(envelope, get().blobs)).toBe('day,°C\n1,7\n');
        expect(envelope.report_text).toContain(`### ${path}, whole (2 lines)`);
      },
    );
  }

  each(
    'a file below the name of the turn is the same file',
    write('turn_00000000000000000001/outputs/a.txt', 'there'),
    async (language, code) => {
      const prefixed = contract('turn_00000000000000000001/outputs/a.txt');
      const asked = request(language, code, { contract: prefixed });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/a.txt']);
    },
  );

  for (const [what, [programs, path, reason]] of Object.entries(unfit)) {
    // proves: exec.contract, i6.own-files-only
    each(`${what} is named and not delivered`, programs, async (language, code) => {
      const also = `${code}\n${write('outputs/good.txt', 'good')[language]}`;
      const asked = request(language, also, { contract: contract(path, 'outputs/good.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      const missing = reason === 'missing_file';
      expect(envelope.error).toMatchObject({
        code: missing ? 'missing_output_files' : 'artifact_validation_failed',
        files: [{ filepath: path, code: reason }],
      });
      expect(envelope.report_text).toContain(`${path}: ${reason}`);
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/good.txt']);
    });
  }

  test('a contract outside outputs/ and files/ is refused before anything runs', async () => {
    for (const path of [
      '/etc/passwd',
      'outputs/../../x',
      'attachments/a.csv',
      'turn_other/files/x',
    ]) {
      const asked = request('python', 'print(1)', { contract: contract(path) });
      const { envelope, events } = await ran(get().sandbox, asked);
      expect(envelope.error?.code).toBe('path_refused');
      expect(events).toHaveLength(1);
    }
  });

  each(
    'inputs are real files; only files/ may be changed',
    {
      python: `import os
print(open("/out/attachments/a b.txt").read(), open("/out/turn_old/outputs/o.txt").read())
print(os.path.islink("/out/attachments"), os.path.islink("/out/attachments/a b.txt"))
for path in ("/out/attachments/a b.txt", "/out/turn_old/outputs/o.txt", "/out/attachments/new"):
    try: open(path, "w"); print("written")
    except OSError as error: print(error.errno in (13, 30))
open("/out/files/sub/w.txt", "a").write(" more")`,
    },
    async (language, code) => {
      const { blobs, sandbox } = get();
      const signal = new AbortController().signal;
      const file = async (filepath: string, writable = false) => {
        const blob = await blobs.put('test', Buffer.from(`bytes of ${filepath}`), { signal });
        return { filepath, blob, writable };
      };
      const inputs = await Promise.all([
        file('attachments/a b.txt'),
        file('turn_old/outputs/o.txt'),
        file('files/sub/w.txt', true),
      ]);
      const asked = request(language, code, { inputs, contract: contract('files/sub/w.txt') });
      const { envelope } = await ran(sandbox, asked);
      expect(envelope).toMatchObject({ error: null, runtime_err_tail: '' });
      expect(envelope.user_out_tail).toBe(
        'bytes of attachments/a b.txt bytes of turn_old/outputs/o.txt\nFalse False\nTrue\nTrue\nTrue\n',
      );
      expect(await delivered(envelope, blobs)).toBe('bytes of files/sub/w.txt more');
    },
  );
}
