import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxHelper } from '../../../../runtime/adapters/process/helper.ts';
import { childrenOf, endNow, ends } from '../../../attack/kill/processes.ts';

const run = promisify(execFile);
const uid = process.getuid?.() || 1_900_000_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timeloom-helper-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function helperOf(): Promise<number> {
  const named = (await childrenOf(process.pid)).map(async (pid) => {
    const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    return stdout.includes('def mounts') ? [pid] : [];
  });
  return (await Promise.all(named)).flat()[0] ?? 0;
}

// proves: exec.helper
test('one helper makes the named pipes of all sandboxes, for their users', async () => {
  await using helper = new SandboxHelper('/usr/bin/python3');
  const paths = Array.from({ length: 20 }, (_, n) => join(folder, `pipe-${n}`));
  await Promise.all(paths.map((path) => helper.request('fifos', { paths: [path], uid })));
  for (const path of paths) {
    const found = await stat(path);
    expect([found.isFIFO(), found.mode & 0o777, found.uid]).toEqual([true, 0o600, uid]);
  }
});

// proves: exec.helper
test('a helper that is killed fails the requests that it has, and the next one starts another', async () => {
  await using helper = new SandboxHelper('/usr/bin/python3');
  await helper.request('fifos', { paths: [join(folder, 'before')], uid });
  const pid = await helperOf();
  process.kill(pid, 'SIGSTOP');
  const lost = helper.request('fifos', { paths: [join(folder, 'lost')], uid });
  expect(endNow(pid)).toBe(true);
  await expect(lost).rejects.toMatchObject({ code: 'EXEC_FAILED' });
  expect(await ends(pid)).toBe(true);
  await helper.request('fifos', { paths: [join(folder, 'after')], uid });
  expect(await helperOf()).not.toBe(pid);
});

// proves: exec.helper
test('what cannot be done is a fault that says why, and the helper goes on', async () => {
  await using helper = new SandboxHelper('/usr/bin/python3');
  const twice = join(folder, 'twice');
  await helper.request('fifos', { paths: [twice], uid });
  const again = helper.request('fifos', { paths: [twice], uid });
  await expect(again).rejects.toThrow('File exists');
  const nothing = { binds: [], inodes: {}, core: null };
  const gone = helper.request('mounts', { pid: 2 ** 22 + 1, uid, ...nothing });
  await expect(gone).rejects.toThrow('No such file');
  await helper.request('fifos', { paths: [join(folder, 'once')], uid });
});
