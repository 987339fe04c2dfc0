import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { error, openWorld, ret } from '../../runtime/tools/kit.ts';
import { begun, isAlive, type Known, known, openDesk, removeBuilt, ticksOf, until } from './kit.ts';

afterAll(removeBuilt);

// proves: supervisor.loop
test('a tool that runs in a circle ends with its process; worker and other tenants go on', async () => {
  const world = await openWorld();
  await using desk = await openDesk();
  await using other = await openDesk({ tenant: 'globex' });
  const before = await known(desk, world);
  const caught = [
    await begun(desk, 'none'),
    await begun(desk, 'keyed'),
    await begun(desk, 'unkeyed'),
  ];
  const elsewhere = await begun(other, 'unkeyed', 1_500);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 20);
  const looped = error(await world.perform(desk.tool('loops'), {}));
  clearInterval(timer);
  expect(looped).toMatchObject({ code: 'timeout', retryable: true });
  expect(ticks).toBeGreaterThan(20);
  const [none, keyed, unkeyed] = (
    await Promise.all(caught.map(({ performing }) => performing))
  ).map(error);
  expect(none).toMatchObject({ code: 'interrupted', retryable: true });
  expect(none?.message).toMatch(/changes nothing, so it may be called again/);
  expect(keyed).toMatchObject({ code: 'interrupted', retryable: true });
  expect(unkeyed).toMatchObject({ code: 'interrupted', retryable: false });
  expect(unkeyed?.message).toMatch(
    /did not acknowledge a stop.*In doubt: .*Check before you call it/,
  );
  expect(ret(await elsewhere.performing)).toBe('slept');
  const after = await known(desk, world);
  expect(after.pid).not.toBe(before.pid);
  expect(await isAlive(before.pid)).toBe(false);
});

// proves: supervisor.crash
test.each([
  ['exit', /exited with 3/],
  ['abort', /SIGABRT/],
  ['throw', /exited with 1/],
  ['heap', /SIGABRT/],
  ['buffers', /SIGKILL/],
])('a process that ends by %s takes its calls along and is started again', async (how, why) => {
  const world = await openWorld();
  await using desk = await openDesk();
  const ended = error(await world.perform(desk.tool('ends'), { how }));
  expect(ended).toMatchObject({ code: 'interrupted', retryable: false });
  expect(ended?.message).toMatch(why);
  expect(ended?.message).toMatch(/In doubt/);
  expect(ret(await world.perform(desk.tool('add'), { a: 1 }))).toBe(2);
});

test('a tool that does not listen to a stop harms nobody else', async () => {
  const world = await openWorld();
  await using desk = await openDesk();
  const { pid } = await known(desk, world);
  const beside = await begun(desk, 'keyed', 3_500);
  expect(error(await world.perform(desk.tool('deaf'), {}))?.code).toBe('timeout');
  expect(ret(await beside.performing)).toBe('slept');
  expect((await known(desk, world)).pid).toBe(pid);
});

// proves: supervisor.orphan
test('a worker that is killed leaves no process behind, not even one that runs in a circle', async () => {
  const script = join(import.meta.dirname, 'worker.ts');
  const argv = ['--conditions=timeloom-source', '--import', 'tsx', script];
  const worker = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(worker.stdout, 'data')) as [Buffer];
  const [{ pid }, child] = JSON.parse(line.toString()) as [Known, number];
  const before = await ticksOf(pid);
  await until('it runs in a circle', async () => (await ticksOf(pid)) > before + 10);
  expect(await isAlive(child)).toBe(true);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await until('both are gone', async () => !(await isAlive(pid)) && !(await isAlive(child)));
});
