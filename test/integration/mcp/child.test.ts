import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import {
  childSettings,
  openPool,
  patiently,
  run,
  soon,
  toolOf,
} from '../../runtime/adapters/mcp/kit.ts';
import { containing, matching } from '../../tools/matchers.ts';

const secret = 'sekret-123456';
const withToken = childSettings({
  access: async () => ({ values: { TOKEN: secret }, secrets: [secret] }),
});

/** Not even waiting to be buried. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function pidOf(tool: Parameters<typeof run>[0]): Promise<number> {
  const result = await run(tool);
  return result.ok ? Number(result.ret) : Number.NaN;
}

// proves: mcp.child
test('a child knows PATH and what it was given, works in the folder of the bundle, and its words go to the log without secrets', async () => {
  await using pool = openPool();
  const server = await pool.open(withToken, patiently);
  const environment = await run(toolOf(server, 'environment'));
  expect(environment.ok && Object.keys(JSON.parse(String(environment.ret))).toSorted()).toEqual([
    'PATH',
    'TOKEN',
  ]);
  expect(JSON.stringify(environment)).not.toContain(secret);
  expect(await run(toolOf(server, 'where'))).toMatchObject({
    ret: matching(/test\/runtime\/adapters\/mcp$/),
  });
  expect(pool.logged).toContainEqual({
    message: 'mcp server says',
    facts: { line: 'starting with •••' },
  });
});

// proves: mcp.child-ends
test('a child ends with its bundle, and its children with it', async () => {
  const pool = openPool();
  const server = await pool.open(childSettings(), patiently);
  const child = await pidOf(toolOf(server, 'pid'));
  const grandchild = await pidOf(toolOf(server, 'grandchild'));
  expect([child, grandchild].map(isAlive)).toEqual([true, true]);
  await server[Symbol.asyncDispose]();
  await vi.waitFor(() => expect([child, grandchild].map(isAlive)).toEqual([false, false]), soon);
  await pool[Symbol.asyncDispose]();
});

test('a child that does not want to end is killed after a grace', async () => {
  await using pool = openPool();
  const server = await pool.open(childSettings(), patiently);
  await run(toolOf(server, 'stubborn'));
  const child = await pidOf(toolOf(server, 'pid'));
  await server[Symbol.asyncDispose]();
  expect(isAlive(child)).toBe(false);
});

// proves: mcp.child-died
test('a child that dies in the middle of a call leaves the call in doubt and is started again', async () => {
  await using pool = openPool();
  const server = await pool.open(childSettings(), patiently);
  const child = await pidOf(toolOf(server, 'pid'));
  const { tools } = server.offer();
  expect(await run(toolOf(server, 'die'))).toMatchObject({
    ok: false,
    error: { code: 'interrupted', message: containing('It may have taken effect') },
  });
  const again = await pidOf(toolOf(server, 'pid'));
  expect(again).not.toBe(child);
  expect(server.offer()).toEqual({ tools });
});

test('a child that floods its output is ended, and its flood is not kept', async () => {
  await using pool = openPool();
  const server = await pool.open(childSettings(), patiently);
  const child = await pidOf(toolOf(server, 'pid'));
  expect(await run(toolOf(server, 'flood'))).toMatchObject({ error: { code: 'interrupted' } });
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), soon);
});

test('a missing command is reported with its name', async () => {
  await using pool = openPool();
  const { place } = childSettings();
  const settings = childSettings({
    place: { ...place, kind: 'stdio', command: 'no-such-server', args: [], dir: '/' },
  });
  const server = await pool.open(settings, patiently);
  expect(server.problem).toContain('spawn no-such-server ENOENT');
  expect(server.offer().tools).toEqual([]);
});
