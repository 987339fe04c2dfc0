import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toExecLimits } from '../../runtime/tools/exec/program/program-limits.ts';
import { executorFolder } from '../../supervisor/cell/executor-folder.ts';
import { launcherArgv } from '../../supervisor/cell/launcher-argv.ts';

// proves: i6.poor-first

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'timeloom-launched-'));
  await chmod(out, 0o777);
});
afterAll(() => rm(out, { recursive: true }));

const isRoot = process.getuid?.() === 0;
const withoutRights = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
/** Before the launcher: who it is, and what it may. */
const asNobody = isRoot
  ? ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups', ...withoutRights]
  : [];
const asRootOutside = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];

/** Launches what says something of itself, in a world that is as rich as it may be by mistake. */
async function launched(before: readonly string[], program: readonly string[]) {
  const kind = { language: 'python', limits: toExecLimits(), folders: [] } as const;
  const bare = { processes: false, memory: false };
  const argv = launcherArgv(kind, { python: '/usr/bin/python3', cpus: 1, socket: null, bare });
  const launchLines = (argv.at(-1) ?? '').split('\n').filter((line) => !/^(exec|out) /.test(line));
  const lines = [...program.map((word) => `exec ${word}`), ...launchLines, `out ${out}`].join('\n');
  const launcher = join(executorFolder(), 'launcher.py');
  const [command = '', ...rest] = [
    ...before,
    '/usr/bin/python3',
    '-I',
    '-S',
    '-B',
    launcher,
    lines,
  ];
  const child = spawn(command, rest, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TIMELOOM_SECRET: 'canary' },
    // Its stream, and more that nobody should have.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const outputs = [child.stdout, child.stderr].map((output) => text(output ?? Readable.from([])));
  const [said = '', complained = ''] = await Promise.all(outputs);
  return { said, complained, code: await exit };
}

test('an unprivileged launcher becomes the program, with four descriptors and nothing of its past', async () => {
  const seen = 'import os; print(sorted(map(int, os.listdir("/proc/self/fd")))[:5], *os.environ)';
  const { said, complained } = await launched(asNobody, ['/usr/bin/python3', '-I', '-c', seen]);
  expect(complained).toBe('');
  // The fifth is the folder that is being listed.
  expect(said).toMatch(/^\[0, 1, 2, 3, 4\] PATH HOME /);
  expect(said).not.toContain('TIMELOOM');
  const { said: fds } = await launched(asNobody, ['/bin/sh', '-c', 'echo /proc/self/fd/*']);
  expect(fds).not.toMatch(/fd\/[5-9]/);
});

test('a descriptor above a limit that was lowered later is closed too', async () => {
  const lowered = ['/bin/bash', '-c', 'exec 200</dev/null; ulimit -n 64; exec "$0" "$@"'];
  const seen = 'import os; print(*os.listdir("/proc/self/fd"))';
  const program = ['/usr/bin/python3', '-I', '-c', seen];
  const { said } = await launched([...lowered, ...asNobody], program);
  expect(
    said
      .trim()
      .split(' ')
      .map(Number)
      .toSorted((a, b) => a - b),
  ).toEqual([0, 1, 2, 3, 4]);
});

const rich: Readonly<Record<string, readonly [before: readonly string[], because: string]>> = {
  'is root': [['unshare', '--user', '--map-root-user'], 'CapPrm'],
  'is root and has no right': [
    ['unshare', '--user', '--map-root-user', 'setpriv', ...withoutRights],
    'this process is root',
  ],
  'could have rights again': [asRootOutside, 'CapBnd'],
};

test.each(Object.entries(rich))(
  'a launcher that %s does not become the program',
  async (_, [before, because]) => {
    const { said, complained, code } = await launched(before, ['/bin/echo', 'started']);
    expect(said).toBe('');
    expect(complained).toContain(because);
    expect(code).toBe(71);
  },
);

// Who is nobody in a namespace may be root where it was made, and as root it wrote the host's core_pattern.
test('a launcher that is root outside does not become the program', async () => {
  const before = [...asRootOutside, '--keep-caps', 'setpriv', ...withoutRights];
  const { said, complained, code } = await launched(before, ['/bin/echo', 'started']);
  expect(complained).toContain(isRoot ? 'root, here or outside' : '');
  expect([said, code]).toEqual(isRoot ? ['', 71] : ['started\n', 0]);
});
