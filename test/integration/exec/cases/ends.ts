import { expect, test } from 'vitest';
import type { ExecRequest } from '../../../../runtime/tools/ports/sandbox.ts';
import { stopGraceMs } from '../../../../supervisor/execution/limits.ts';
import { isFullMatrix } from '../../../tools/runs.ts';
import { contract, echoHost, never, noLimits, ran, request } from '../kit.ts';
import { each, type Opened, write } from './programs.ts';

/** Of 199 bytes: six times what is kept, in the long run sixty times. gVisor takes most of a millisecond for each. */
const floodLines = isFullMatrix ? 300_000 : 30_000;

/** How programs end that do not end well, in every backend. */
export function execEnds(get: () => Opened): void {
  const partial = write('outputs/part.txt', 'half');
  const stopped = { contract: contract('outputs/part.txt', 'outputs/rest.txt') };
  /** Its time is over when it has begun, and so much more passes. */
  const overtaken = (asked: ExecRequest, graceMs = 0) =>
    ran(get().sandbox, asked, {
      begun: () => get().clock.advance(asked.limits.timeoutMs + graceMs),
    });
  const sleeping = {
    python: `${partial.python}\nimport time\nprint("on", flush=True)\ntime.sleep(60)`,
    javascript: `${partial.javascript}\nconsole.log('on');await new Promise((r) => setTimeout(r, 60_000))`,
  };

  // proves: exec.kill, i6.limits
  each(
    'a program past its time is stopped and what it wrote is delivered',
    sleeping,
    async (language, code) => {
      const { envelope } = await overtaken(request(language, code, stopped));
      expect(envelope).toMatchObject({ ok: false, kill_reason: 'timeout' });
      expect(envelope.error?.code).toBe('timeout');
      expect(envelope.artifacts.map(({ filepath }) => filepath)).toEqual(['outputs/part.txt']);
    },
  );

  each(
    'a cancelled program is stopped and what it wrote is delivered',
    sleeping,
    async (language, code) => {
      const control = new AbortController();
      const asked = request(language, code, stopped);
      const way = { signal: control.signal, begun: () => control.abort() };
      const { envelope } = await ran(get().sandbox, asked, way);
      expect(envelope.kill_reason).toBe('cancelled');
      expect(envelope.artifacts).toHaveLength(1);
    },
  );

  test('a cancel before the start runs nothing', async () => {
    const asked = request('python', 'print("ran")');
    const signal = AbortSignal.abort();
    const { envelope, events } = await ran(get().sandbox, asked, { signal });
    expect(envelope).toMatchObject({ kill_reason: 'cancelled', user_out_tail: '' });
    expect(events).toHaveLength(1);
  });

  each(
    'a program that ignores being asked to stop is killed',
    {
      python: `import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("on", flush=True)
while True: pass`,
      javascript: `process.on('SIGTERM', () => {}); console.log('on'); for (;;) {}`,
    },
    async (language, code) => {
      const { envelope } = await overtaken(request(language, code), stopGraceMs);
      expect(envelope).toMatchObject({ kill_reason: 'timeout', user_out_tail: 'on\n' });
    },
  );

  // proves: exec.asked-to-stop
  each(
    'a program may clean up when it is stopped',
    {
      python:
        'import time\ntry:\n    print("on", flush=True)\n    time.sleep(60)\nfinally: print("cleaned")',
      javascript: `process.once('SIGTERM', () => { console.log('cleaned'); process.exit(); });
console.log('on'); setInterval(() => {}, 1_000);`,
    },
    async (language, code) => {
      const { envelope } = await overtaken(request(language, code));
      expect(envelope).toMatchObject({ kill_reason: 'timeout', user_out_tail: 'on\ncleaned\n' });
    },
  );

  // proves: exec.kill
  each(
    'what a program leaves running ends with it',
    {
      python: `import subprocess
child = "import time,os\\nos.setsid()\\nwhile True: time.sleep(0.01); open('/out/outputs/part.txt','a').write('x')"
subprocess.Popen(["/usr/bin/python3", "-c", child], start_new_session=True)
open("/out/outputs/part.txt", "w").write("x"); print("left")`,
      javascript: `${partial.javascript}
require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'inherit' }).unref();
console.log('left'); process.exit(0);`,
    },
    async (language, code) => {
      const asked = request(language, code, { contract: contract('outputs/part.txt') });
      const { envelope } = await ran(get().sandbox, asked);
      expect(envelope).toMatchObject({ ok: true, user_out_tail: 'left\n' });
    },
  );

  // proves: exec.printed
  each(
    'output that a program printed before it ended is reported to the last character',
    {
      python: 'import sys\nsys.stdout.write("x" * 3_000_000 + "\\nlast\\n")\nsys.exit()',
      javascript: 'process.stdout.write("x".repeat(3_000_000) + "\\nlast\\n");\nprocess.exit();',
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope.error).toBe(null);
      expect(envelope.user_out_tail).toMatch(/x\nlast\n$/);
    },
  );

  each(
    'a flood of output is drained, kept in part, and does not fail the program',
    {
      python: `line = "é" * 99\nfor i in range(${floodLines}): print(line)\nprint("last")`,
      javascript: `const line = "é".repeat(99) + "\\n";
for (let i = 0; i < ${floodLines}; i += 1000) require("fs").writeSync(1, line.repeat(1000));
console.log("last")`,
    },
    async (language, code) => {
      const { envelope, events } = await ran(get().sandbox, request(language, code));
      expect(envelope.error).toBe(null);
      expect(envelope.user_out_tail).toMatch(/é\nlast\n$/);
      const sizes = events.map((event) => (event.kind === 'output' ? event.text.length : 0));
      expect(sizes.reduce((sum, one) => sum + one, 0)).toBe(1024 * 1024);
    },
  );

  // proves: i6.limits
  each(
    'a program that takes too much memory is ended by the kernel, and says so',
    {
      python: 'data = []\nwhile True: data.append(bytearray(8 << 20))',
      javascript: 'const data = []; for (;;) data.push(Buffer.alloc(8 << 20, 1));',
    },
    async (language, code) => {
      const limits = { ...noLimits, memoryMb: 192 };
      const { envelope } = await ran(get().sandbox, request(language, code, { limits }));
      expect(envelope.ok).toBe(false);
      if (envelope.limits.memory === 'kernel') {
        expect(envelope).toMatchObject({ kill_reason: 'memory', error: { code: 'memory_limit' } });
      }
    },
  );

  // proves: i6.limits
  each(
    'memory without a name counts as memory',
    {
      python: `import os
file = os.memfd_create("x")
for _ in range(400): os.write(file, bytes(1 << 20))
print("written")`,
    },
    async (language, code) => {
      const limits = { ...noLimits, memoryMb: 192, fileMb: 500, workspaceMb: 500 };
      const { envelope } = await ran(get().sandbox, request(language, code, { limits }));
      if (envelope.limits.memory === 'kernel') expect(envelope.kill_reason).toBe('memory');
    },
  );

  // proves: exec.fargate-full
  each(
    'a file over the limit and a full workspace are errors the program sees',
    {
      python: `import time
def fill(path, megabytes):
    try:
        with open(path, "wb") as file:
            for _ in range(megabytes): file.write(bytes(1 << 20))
        print("written", flush=True)
        return True
    except OSError as error: print(error.strerror, flush=True)
fill("/out/outputs/a.bin", 5)
if all([fill(f"/out/outputs/b{i}.bin", 3) for i in range(5)]): time.sleep(60)`,
    },
    async (language, code) => {
      const limits = { ...noLimits, fileMb: 4, workspaceMb: 16 };
      const asked = request(language, code, { limits, contract: contract('outputs/b0.bin') });
      const { envelope } = await ran(get().sandbox, asked);
      const lines = envelope.user_out_tail.trim().split('\n');
      expect(lines[0]).toBe('File too large');
      expect(envelope.artifacts.map(({ blob }) => blob.size)).toEqual([3 << 20]);
      expect(envelope.kill_reason).toBe(null);
      expect(lines.at(-1)).toBe('No space left on device');
    },
  );

  // proves: i6.limits
  each(
    'processes without end are held by the limit',
    {
      python: `import os, time
count = 0
try:
    while True:
        if os.fork() == 0: time.sleep(30); os._exit(0)
        count += 1
except OSError: print(count)`,
    },
    async (language, code) => {
      // gVisor counts some 8 MiB of its own memory for each process: with less, memory can run out first.
      const limits = { ...noLimits, processes: 40, memoryMb: 1024 };
      const { envelope } = await ran(get().sandbox, request(language, code, { limits }));
      expect(envelope.error).toBe(null);
      expect(Number(envelope.user_out_tail)).toBeGreaterThan(20);
      expect(Number(envelope.user_out_tail)).toBeLessThan(70);
    },
  );

  // proves: exec.frames
  each(
    'garbage on the stream ends the program as a broken protocol',
    {
      python: `import os, time
os.write(3, b"\\xff\\xff\\xff\\xff garbage")
time.sleep(30)`,
    },
    async (language, code) => {
      const { envelope } = await ran(get().sandbox, request(language, code));
      expect(envelope).toMatchObject({ kill_reason: 'protocol', ok: false });
      expect(envelope.error?.code).toBe('protocol_violation');
    },
  );

  test('a reader that stops reading cancels the program', async () => {
    const asked = request('python', sleeping.python);
    const seen: string[] = [];
    for await (const event of get().sandbox.run(asked, echoHost, { signal: never })) {
      seen.push(event.kind);
      if (event.kind === 'output') break;
    }
    expect(seen).toEqual(['ready', 'output']);
  });

  test('executions at the same time have users, processes and files of their own', async () => {
    const code = `import os
for folder in ["/tmp", WORKDIR, "/dev/shm"]: open(f"{folder}/mark", "x")
print(sorted((p for p in os.listdir("/proc") if p.isdigit()), key=int))`;
    const runs = [1, 2, 3].map(() => ran(get().sandbox, request('python', code)));
    for (const { envelope } of await Promise.all(runs)) {
      expect(envelope.runtime_err_tail).toBe('');
      const beside = get().together ? 2 : get().elsewhere ? 1 : 0;
      const all = new RegExp(`^\\['1'(, '\\d+'){${beside}}\\]\n$`);
      expect(envelope.user_out_tail).toMatch(all);
    }
  });
}
