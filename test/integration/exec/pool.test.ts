import { readFile, readlink } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import type { Language, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { bwraps, childrenOf } from '../../attack/kill/processes.ts';
import { contract, delivered, echoHost, noLimits, ran, request, timelessParts } from './kit.ts';

// proves: exec.pool

const parts = timelessParts();
const { clock } = parts;
let sandbox: Sandbox & AsyncDisposable;
beforeAll(async () => {
  sandbox = await openProcessSandbox({ ...parts, pool: 1 });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** The space of processes that a program is in: each executor has one of its own. */
const room = {
  python: 'import os; print(os.readlink("/proc/self/ns/pid"), end="")',
  javascript: `process.stdout.write(require('node:fs').readlinkSync('/proc/self/ns/pid'))`,
} as const;

async function result(language: Language, code: string) {
  const { envelope } = await ran(sandbox, request(language, code));
  expect(envelope.error).toBe(null);
  return envelope;
}

/** Rooms of the executors of this language that are there and have no program; there is one at least. */
async function waiting(language: Language): Promise<readonly string[]> {
  // The next executor starts when one is taken, if it has not come before.
  await result(language, '');
  const harness = language === 'python' ? 'harness.py' : 'harness.mjs';
  const rooms = async () => {
    const pids = (await Promise.all((await bwraps()).map(childrenOf))).flat();
    const ours = async (pid: number) => {
      const argv = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      return argv.includes(harness) ? [await readlink(`/proc/${pid}/ns/pid`)] : [];
    };
    return (await Promise.all(pids.map((pid) => ours(pid).catch(() => [])))).flat();
  };
  await expect.poll(rooms).not.toEqual([]);
  return rooms();
}

test.each(['python', 'javascript'] as const)(
  'a program begins in an executor that was there before it (%s)',
  async (language) => {
    const rooms = await waiting(language);
    expect(rooms).toContain((await result(language, room[language])).user_out_tail);
  },
);

// proves: exec.libraries-loaded
test('an executor that waits loads libraries, none for a program that has no memory for them', async () => {
  const code = `import sys, time
print("numpy" in sys.modules)
time.sleep(2)`;
  const loaded = async (memoryMb: number) => {
    const asked = request('python', code, { limits: { ...noLimits, memoryMb } });
    return (await ran(sandbox, asked)).envelope.user_out_tail === 'True\n';
  };
  await vi.waitUntil(() => loaded(512), { timeout: 60_000 });
  expect([await loaded(128), await loaded(128)]).toEqual([false, false]);
});

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
  await clock.advance(noLimits.timeoutMs);
  const callTool = async () => {
    await clock.advance(noLimits.timeoutMs - 1);
    return { ok: true, ret: 1 } as const;
  };
  const asked = request('python', 'print(await tools.a.b())', { granted: ['a.b'] });
  const { envelope } = await ran(sandbox, asked, { host: { ...echoHost, callTool } });
  expect(envelope).toMatchObject({ error: null, user_out_tail: '1\n' });
});

test('more programs than executors wait are all served', async () => {
  const all = Array.from({ length: 8 }, (_, n) => result('python', `print(${n})`));
  const said = (await Promise.all(all)).map(({ user_out_tail }) => user_out_tail);
  expect(said).toEqual(Array.from({ length: 8 }, (_, n) => `${n}\n`));
});
