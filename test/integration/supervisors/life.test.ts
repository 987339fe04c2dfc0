import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import type { Clock } from '../../../runtime/base/clock.ts';
import { manualClock } from '../../../runtime/testing/clock.ts';
import { callsInFlightMax, idleMsMax } from '../../../supervisor/bundle-process/rpc/limits.ts';
import { createReadableLog, openFolder } from '../../runtime/sdk/kit.ts';
import { error, openWorld, ret } from '../../runtime/tools/kit.ts';
import { begun, isAlive, known, openDesk, removeBuilt, until } from './kit.ts';

afterAll(removeBuilt);

// proves: supervisor.revision
test('another revision serves new calls, while the old one ends those it has', async () => {
  const dir = await mkdtemp(join(import.meta.dirname, '.supervisor-'));
  try {
    await cp(join(import.meta.dirname, 'supervisor-desk'), dir, { recursive: true });
    const world = await openWorld();
    const old = await openDesk({ dir });
    const { pid } = await known(old, world);
    const running = await begun(old, 'unkeyed', 1_500);
    const source = await readFile(join(dir, 'bundle.ts'), 'utf8');
    await writeFile(join(dir, 'bundle.ts'), source.replace('a + b', 'a * 100 + b'));
    await using fresh = await openDesk({ dir });
    expect(fresh.bundle.revision).not.toBe(old.bundle.revision);
    const gone = old[Symbol.asyncDispose]();
    expect(ret(await world.perform(fresh.tool('add'), { a: 1 }))).toBe(101);
    expect(ret(await running.performing)).toBe('slept');
    await gone;
    expect(await isAlive(pid)).toBe(false);
    const late = error(await world.perform(old.tool('add'), { a: 1 }));
    expect(late?.code).toBe('SUPERVISOR_FAILED');
  } finally {
    await rm(dir, { recursive: true });
  }
});

// proves: supervisor.idle
test('a process that nobody needs is stopped, and started again by the next call', async () => {
  const clock = manualClock();
  const world = await openWorld();
  await using desk = await openDesk({ clock });
  const first = await known(desk, world);
  await clock.advance(idleMsMax - 1);
  desk.bundle.warm();
  await clock.advance(idleMsMax - 1);
  expect((await known(desk, world)).pid, 'a turn keeps it').toBe(first.pid);
  await clock.advance(idleMsMax);
  await until('it is gone', async () => !(await isAlive(first.pid)));
  desk.bundle.warm();
  expect((await known(desk, world)).pid).not.toBe(first.pid);
});

// proves: props.live
test('props that are set while a process serves are in force in it, and in the next one from its beginning', async () => {
  const clock = manualClock();
  const world = await openWorld();
  await using desk = await openDesk({ clock, props: { region: 'eu' } });
  const first = await known(desk, world);
  const { signal } = new AbortController();
  await desk.bundle.props.set({ region: 'us' }, { signal });
  expect(await known(desk, world)).toMatchObject({ pid: first.pid, region: 'us' });
  await clock.advance(idleMsMax);
  await until('it is gone', async () => !(await isAlive(first.pid)));
  expect(await known(desk, world)).toMatchObject({ region: 'us' });
  await clock.advance(idleMsMax);
  await desk.bundle.props.set({}, { signal });
  expect(await known(desk, world)).toMatchObject({ region: 'eu' });
});

// proves: supervisor.own-secrets
test('a process sees nothing of another tenant, and nothing of its own in arguments or environment', async () => {
  const world = await openWorld();
  const asked: string[] = [];
  const open = (tenant: string) =>
    openDesk({
      tenant,
      props: { region: `region of ${tenant}` },
      host: {
        secret: async ({ id }) => {
          asked.push(`${tenant} ${id}`);
          return `secret of ${tenant}`;
        },
      },
    });
  await using acme = await open('acme');
  await using globex = await open('globex');
  expect(asked).toEqual([]);
  const ours = await known(acme, world);
  expect(asked).toEqual(['acme KEY', 'acme OWN']);
  const theirs = await known(globex, world);
  expect(asked.slice(2)).toEqual(['globex KEY', 'globex OWN']);
  expect([ours.region, theirs.region]).toEqual(['region of acme', 'region of globex']);
  expect(ours.pid).not.toBe(theirs.pid);
  for (const { pid, env, argv } of [ours, theirs]) {
    expect(Object.keys(env)).toEqual(['PATH']);
    const lines = await Promise.all(
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    expect(`${lines.join()} ${argv.join()}`).not.toMatch(/secret of|region of/);
  }
});

test('what a bundle prints and logs is in the log of the worker, without its secrets', async () => {
  const { log, lines } = createReadableLog();
  const world = await openWorld();
  await using desk = await openDesk({ host: { log, secret: async () => 'hunter2hunter2' } });
  await world.perform(desk.tool('prints'), {});
  const said = () => JSON.stringify(lines);
  await until('it is there', () => said().includes('printed •••'));
  expect(said()).toContain('logged by the tool');
  expect(said()).not.toContain('hunter2');
});

test('calls beyond the limit are refused before they begin', async () => {
  const world = await openWorld();
  await using desk = await openDesk();
  const tool = desk.tool('sleeps_none');
  const context = await world.contextOf(tool, {});
  const stop = new AbortController();
  const all = Array.from({ length: callsInFlightMax + 1 }, () => {
    const { signal } = new AbortController();
    return tool.run({ ms: 300 }, { ...context, signal });
  });
  const settled = await Promise.allSettled(all);
  stop.abort();
  const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused).toMatchObject([{ code: 'busy', retryable: true }]);
});

const lived = (onLoad: string) => `
import { appendFileSync } from 'node:fs';
import { defineAgent, defineBundle, defineResource, defineTool } from 'timeloom/sdk';
import { z } from 'zod';
const say = (word: string) => appendFileSync('said', word + ' ');
const pipe = defineResource({ id: 'pipe', open: () => say('open'), close: () => say('close') });
const add = defineTool({ id: 'desk.add', description: 'Adds.', input: z.object({}), run: (_, ctx) => ctx.use(pipe) });
export const bundle = defineBundle({
  id: 'desk', version: '1', agents: [defineAgent({ id: 'main', instruction: 'Help.', tools: [add] })],
  resources: [pipe], onLoad: () => { ${onLoad} }, dispose: () => say('dispose'),
});
`;

test('a bundle is loaded before any traffic, and disposed of after its last call, in its process', async () => {
  await using folder = await openFolder({ 'bundle.ts': lived("say('load')"), said: '' });
  const world = await openWorld();
  const desk = await openDesk({ dir: folder.dir });
  await world.perform(desk.tool('add'), {});
  await desk[Symbol.asyncDispose]();
  const said = await readFile(join(folder.dir, 'said'), 'utf8');
  expect(said).toBe('load open dispose close ');
});

test('a bundle that is loaded when its worker has run for an hour keeps its process for the first call', async () => {
  await using folder = await openFolder({ 'bundle.ts': lived("say('load')"), said: '' });
  const world = await openWorld();
  const late: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + 3_600_000 };
  const desk = await openDesk({ dir: folder.dir, clock: late });
  await world.perform(desk.tool('add'), {});
  await desk[Symbol.asyncDispose]();
  expect(await readFile(join(folder.dir, 'said'), 'utf8')).toBe('load open dispose close ');
});

test('a bundle whose onLoad throws does not serve, and leaves no process', async () => {
  const broken = "say('pid ' + process.pid); throw new Error('the cellar is locked');";
  await using folder = await openFolder({ 'bundle.ts': lived(broken), said: '' });
  await expect(openDesk({ dir: folder.dir })).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
    message: expect.stringMatching(/onLoad: the cellar is locked/) as string,
  });
  const pid = Number((await readFile(join(folder.dir, 'said'), 'utf8')).split(' ')[1]);
  expect(pid).toBeGreaterThan(0);
  expect(await isAlive(pid)).toBe(false);
});
