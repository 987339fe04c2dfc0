import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { toExecLimits } from '../../runtime/tools/exec/program/program-limits.ts';
import { executorFolder } from '../../supervisor/cell/executor-folder.ts';
import { launcherArgv, programEnvironment } from '../../supervisor/cell/launcher-argv.ts';
import { ran, request, sandboxParts } from '../integration/exec/kit.ts';

// proves: i6.poor-first, i6.in-place

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timeloom-in-place-'));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'harness.py'), harness);
});
afterAll(() => rm(folder, { recursive: true }));

/** Says what a program would find. */
const harness = `import os
names = {line.split("=")[0] for line in open("/proc/1/environ").read().split("\\0")}
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
isNew = "in_place" not in open("/proc/self/cmdline").read()
print("new" if isNew else "same", status["Seccomp"], status["Threads"], "TIMELOOM_SECRET" in {*names, *os.environ})`;

const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: 12_345, gid: 12_345 } : {};
const sandbox = [
  ...['--unshare-all', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
  ...[
    '--as-pid-1',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev-bind',
    '/dev',
    '/dev',
    '--tmpfs',
    '/tmp',
  ],
];

type Launch = {
  readonly env?: object;
  readonly first?: string;
  readonly flags?: readonly string[];
};

/** The launcher of a Python program as PID 1 of a sandbox; `first` runs before it in the same interpreter. */
async function launched({ env = {}, first = '', flags = [] }: Launch = {}) {
  const kind = { language: 'python', limits: toExecLimits(), folders: [] } as const;
  const bare = { processes: false, memory: false };
  const options = { python: '/usr/bin/python3', cpus: 1, socket: null, bare, inPlace: true };
  const given = (launcherArgv(kind, options).at(-1) ?? '').split('\n');
  const lines = given.filter((line) => !/^(run|out) /.test(line));
  const binds = ['--ro-bind', executorFolder(), '/mnt', '--ro-bind', folder, '/media'];
  const argv = ['/usr/bin/python3', '-I', '-B', '/media/harness.py'];
  const run = ['/mnt/in_place.py', ...argv].map((word) => `run ${word}`);
  const settings = [...lines, ...run, 'out /tmp'].join('\n');
  const variables = Object.entries({ ...programEnvironment(1), ...env });
  const code = `${first}\nimport sys\nsys.argv = ["", sys.argv[1]]\nexec(open("/mnt/launcher.py").read())`;
  const words = [
    ...[...sandbox, ...binds],
    ...variables.flatMap(([name, value]) => ['--setenv', name, String(value)]),
    ...['--', '/usr/bin/python3', '-I', '-B', ...flags, '-c', code, settings],
  ];
  const child = spawn('/usr/bin/bwrap', words, {
    ...{ env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
    ...asNobody,
  });
  const exit = once(child, 'exit');
  const outputs = [child.stdout, child.stderr].map((output) => text(output ?? Readable.from([])));
  const [said, complained] = await Promise.all(outputs);
  return { said, complained, code: (await exit)[0] as number };
}

test('a launcher that is alone, with the environment of a program, goes on as the harness', async () => {
  const said = 'same 2 1 False\n';
  expect(await launched()).toEqual({ said, complained: '', code: 0 });
});

test('a launcher with a variable more starts another interpreter without it, because it would stay readable', async () => {
  const said = 'new 2 1 False\n';
  const env = { TIMELOOM_SECRET: 'canary' };
  expect(await launched({ env })).toEqual({ said, complained: '', code: 0 });
});

test('what the start-up file of a library adds is found when nothing else is', async () => {
  await mkdir(join(folder, 'elsewhere'));
  await writeFile(join(folder, 'elsewhere/rare.py'), 'name = "rare"');
  await writeFile(join(folder, 'own.py'), 'name = "own"');
  await writeFile(join(folder, 'started.pth'), 'import sys; print("read")\n/media/elsewhere\n');
  const says = 'import own; print(own.name); import rare; print(rare.name, exit is not None)';
  const first = `import site; site.getsitepackages = lambda *_: ["/media"]; import atexit; atexit.register(lambda: exec(${JSON.stringify(says)}))`;
  const { said, complained } = await launched({ first, flags: ['-S'] });
  expect([said, complained]).toEqual(['same 2 1 False\nown\nread\nrare True\n', '']);
  const { said: none } = await launched({ flags: ['-S'], first: first.replaceAll('rare', 'none') });
  expect(none).toContain('own\nread\n');
});

test('a variable that a library has set is gone', async () => {
  const first = 'import os; os.environ["TIMELOOM_SECRET"] = "canary"';
  expect((await launched({ first })).said).toBe('same 2 1 False\n');
});

test('beside a thread that a library has started, another interpreter starts, because the filter does not apply to it', async () => {
  const first =
    'import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()';
  expect((await launched({ first })).said).toBe('new 2 1 False\n');
});

test('beside a process that a library has started, no program starts', async () => {
  const first = 'import os, time\nif os.fork() == 0:\n  time.sleep(9)\n  os._exit(0)';
  const { said, complained, code } = await launched({ first });
  expect([said, code]).toEqual(['', 71]);
  expect(complained).toContain('already');
});

test('a program finds the filter in force, no privileges, and nothing but its environment', async () => {
  await using own = await openProcessSandbox(sandboxParts());
  const program = `import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
print(status["Seccomp"], status["NoNewPrivs"], int(status["CapEff"], 16), status["Threads"], os.getpid())
print(*sorted(line.split("=")[0] for line in open("/proc/1/environ").read().split("\\0") if line))`;
  const { envelope } = await ran(own, request('python', program));
  const names = [...Object.keys(programEnvironment(1)), 'PWD'].toSorted();
  // The second thread reads its stream.
  expect(envelope.user_out_tail).toBe(`2 1 0 2 1\n${names.join(' ')}\n`);
});
