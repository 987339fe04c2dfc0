import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Sandbox } from '../../runtime/tools/ports/sandbox.ts';
import { ran, request, sandboxParts } from '../integration/exec/kit.ts';
import {
  attacked,
  attackedByChild,
  open,
  openWorld,
  probeLimits,
  probesMin,
  unprotected,
  unprovable,
  type World,
} from './attacks.ts';

// proves: i6.shares, i6.no-dumps, i6.no-handle, i6.no-sockets, i6.nobody-outside, i6.no-secrets, i6.attacked

const languages = ['python', 'javascript'] as const;
const scope = new Scope();
let world: World;
beforeAll(async () => {
  world = await openWorld(scope);
});
afterAll(() => scope[Symbol.asyncDispose]());

test('the probes work: without protection each succeeds, and there are enough of them', async () => {
  const verdicts = new Map<string, string>();
  for (const language of languages) {
    for (const [name, found] of await unprotected(language, world)) verdicts.set(name, found);
  }
  const failed = [...verdicts].filter(
    ([name, found]) => !found.startsWith('open') && !Object.hasOwn(unprovable, name),
  );
  expect(failed).toEqual([]);
  expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python + probesMin.javascript);
});

// proves: i6.no-secrets
test('where the platform stands among the libraries of the system, a program sees its folder empty', async () => {
  const code = 'import os\nprint(os.listdir("/usr/share/doc"), os.listdir("/usr/share/man"))';
  const seen = async (hidden: readonly string[]) => {
    await using sandbox = await openProcessSandbox({ ...sandboxParts(), hidden });
    return (await ran(sandbox, request('python', code))).envelope.user_out_tail;
  };
  expect(await seen([])).not.toContain('[]');
  const hidden = [
    '/usr/share/doc/../doc',
    '/usr/share/doc/bash',
    '/usr/share/man',
    '/root',
    '/usr',
  ];
  expect(await seen(hidden)).toBe('[] []\n');
});

test('of the machine a program sees the system’s programs, and these settings', async () => {
  const code = 'import os\nfor path in ("/", "/etc", "/opt", "/dev"): print(*os.listdir(path))';
  await using sandbox = await openProcessSandbox(sandboxParts());
  const { user_out_tail: said } = (await ran(sandbox, request('python', code))).envelope;
  const [root = [], etc = [], opt, dev = []] = said.split('\n').map((line) => line.split(' '));
  const links = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
  const places = ['dev', 'etc', 'opt', 'out', 'proc', 'tmp', 'usr', 'work'];
  expect(root.filter((name) => !links.includes(name)).toSorted()).toEqual(places);
  const settings = ['alternatives', 'fonts', 'ld.so.cache', 'localtime', 'matplotlibrc'];
  expect([...settings, 'mime.types']).toEqual(expect.arrayContaining(etc));
  expect(opt).toEqual(['timeloom']);
  const devices = ['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom'];
  expect(dev.toSorted()).toEqual([...devices, 'zero'].toSorted());
});

test('nothing of ours is in the environment of what starts a program', async () => {
  await using sandbox = await openProcessSandbox(sandboxParts());
  const said: string[] = [];
  const begun = () => {
    const own = readdirSync('/proc').filter((pid) => isOwnBwrap(pid));
    said.push(...own.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8')));
  };
  await ran(sandbox, request('python', 'print("on", flush=True)\nimport time; time.sleep(1)'), {
    begun,
  });
  expect(said.length).toBeGreaterThan(0);
  expect(said.join('')).toBe('');
});

function isOwnBwrap(pid: string): boolean {
  try {
    const [command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const parent = / (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')')[1] ?? '');
    return command.endsWith('/bwrap') && Number(parent?.[1]) === process.pid;
  } catch {
    return false; // No process, or gone.
  }
}

for (const pool of [0, 1]) {
  describe(pool === 0 ? 'an executor of its own' : 'an executor that waited', () => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      const opened = scope.own(await openProcessSandbox({ ...sandboxParts(), pool }));
      opened.keep?.(languages.map((language) => ({ language, limits: probeLimits })));
      sandbox = opened;
    });

    test.each(languages)('no probe gets out of the process sandbox (%s)', async (language) => {
      const verdicts = await attacked(sandbox, language, world);
      expect(open(verdicts)).toEqual([]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin[language]);
    });

    test('no probe gets out of what a program in JavaScript starts', async () => {
      const verdicts = await attackedByChild(sandbox, world);
      expect(open(verdicts)).toEqual([]);
      expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python);
    });
  });
}
