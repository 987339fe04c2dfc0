import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import type { ExecHost, Language, Sandbox } from '../../runtime/tools/sandbox.ts';
import { contract, delivered, echoHost, noLimits, ran, request, sandboxParts } from './exec-kit.ts';

// proves: exec.pool

const parts = sandboxParts();
let sandbox: Sandbox & AsyncDisposable;
beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...parts, pool: 1 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Seconds between the start of the interpreter and the first line of the program. */
const age = {
  python: `import time
with open("/proc/1/stat") as file: ticks = int(file.read().rsplit(")")[1].split()[19])
print(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / 100)`,
  javascript: `const [up] = require('node:fs').readFileSync('/proc/uptime', 'utf8').split(' ');
const stat = require('node:fs').readFileSync('/proc/1/stat', 'utf8').split(') ')[1].split(' ');
console.log(Number(up) - Number(stat[19]) / 100);`,
} as const;

async function result(language: Language, code: string, host: ExecHost = echoHost) {
  const { envelope } = await ran(sandbox, request(language, code), { host });
  expect(envelope.error).toBe(null);
  return envelope;
}

/** The next executor starts when one is taken, and has all the time of this program to come up. */
async function waiting(language: Language): Promise<void> {
  await result(language, language === 'python' ? 'import time; time.sleep(2)' : pause);
}
const pause = 'await new Promise((resolve) => setTimeout(resolve, 2_000))';

for (const language of ['python', 'javascript'] as const) {
  test(`a program begins in an interpreter that was there before it (${language})`, async () => {
    await waiting(language);
    const asked = performance.now();
    const { user_out_tail } = await result(language, age[language]);
    const seconds = (performance.now() - asked) / 1000;
    expect(Number(user_out_tail)).toBeGreaterThan(seconds);
  });
}

test('no program finds anything of the one before it', async () => {
  const mark = `import os, sys
print(os.path.exists("/tmp/mark"), os.path.exists("/out/mark"), hasattr(sys, "mark"), os.environ.get("MARK"))
sys.mark = 1; os.environ["MARK"] = "1"
for folder in ("/tmp", "/out", "/work"): open(f"{folder}/mark", "w").write("x")`;
  for (let n = 0; n < 4; n += 1) {
    const { user_out_tail } = await result('python', mark);
    expect(user_out_tail).toBe('False False False None\n');
  }
});

test('an executor that waits knows of no execution: its environment and arguments name none', async () => {
  const code = `print(open("/proc/1/environ").read().replace("\\0", " "))
print(open("/proc/1/cmdline").read().replace("\\0", " "))`;
  const asked = request('python', code);
  const { envelope } = await ran(sandbox, asked);
  expect(envelope.user_out_tail).not.toMatch(/exec_|turn_|tenant|EXECUTION/);
});

// proves: exec.inodes
test('files without end are held by the limit', async () => {
  const code = `count = 0
try:
    while count < 100_000:
        open(f"/out/{count}", "w").close()
        count += 1
except OSError as error: print(error.strerror, count)`;
  const { user_out_tail } = await result('python', code);
  expect(user_out_tail).toMatch(/^No space left on device (19|20)\d{3}\n$/);
});

test('each place for files of the program has that limit', async () => {
  const code = `import os
for path in ("/out", "/work", "/tmp", "/dev/shm"): print(os.statvfs(path).f_files)`;
  expect((await result('python', code)).user_out_tail).toBe('20000\n'.repeat(4));
});

test('a pooled cell gets the inputs of its program, and no other', async () => {
  const signal = new AbortController().signal;
  const inputs = async (text: string) => {
    const put = async (filepath: string, writable: boolean) => {
      const blob = await parts.blobs.put('test', Buffer.from(text), { signal });
      return { filepath, blob, writable };
    };
    return [await put('attachments/a.txt', false), await put('files/w.txt', true)];
  };
  const code = `print(open("/out/attachments/a.txt").read())
open("/out/files/w.txt", "a").write(" and more")
import os; print(sorted(os.listdir("/out")))`;
  for (const text of ['one', 'two']) {
    const asked = request('python', code, {
      inputs: await inputs(text),
      contract: contract('files/w.txt'),
    });
    const { envelope } = await ran(sandbox, asked);
    expect(envelope.user_out_tail).toBe(`${text}\n['attachments', 'files', 'outputs']\n`);
    expect(await delivered(envelope, parts.blobs)).toBe(`${text} and more`);
  }
  const { user_out_tail } = await result('python', 'import os; print(sorted(os.listdir("/out")))');
  expect(user_out_tail).toBe("['files', 'outputs']\n");
});

test('the time of a program counts from its start, not from that of its interpreter', async () => {
  await waiting('python');
  const limits = { ...noLimits, timeoutMs: 1_000 };
  const { envelope } = await ran(
    sandbox,
    request('python', 'import time; time.sleep(0.5)', { limits }),
  );
  expect(envelope.error).toBe(null);
});

test('more programs than executors wait are all served', async () => {
  const all = Array.from({ length: 8 }, (_, n) => result('python', `print(${n})`));
  const said = (await Promise.all(all)).map(({ user_out_tail }) => user_out_tail);
  expect(said).toEqual(Array.from({ length: 8 }, (_, n) => `${n}\n`));
});
