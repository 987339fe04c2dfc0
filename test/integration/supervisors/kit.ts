import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type LoadedBundle, loadBundle } from '../../../runtime/adapters/bundles/load.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import type { Clock } from '../../../runtime/base/clock.ts';
import type { JsonObject } from '../../../runtime/base/json.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { compileBundle } from '../../../runtime/sdk/compile/compile-bundle.ts';
import type { BundleHost } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { inProcess } from '../../../runtime/sdk/compile/lifecycle/supervisor.ts';
import type { RunScript } from '../../../runtime/tools/exec/scripts/run-script.ts';
import { superviseSeparately } from '../../../supervisor/bundle-process/parent/separate-supervisor.ts';
import { openWorld, ret, type World } from '../../runtime/tools/kit.ts';
import { patient } from '../../tools/machine-speed.ts';

export type Where = 'in_worker' | 'separate';

export type Desk = Awaited<ReturnType<typeof openDesk>>;

type Options = {
  readonly where?: Where;
  readonly dir?: string;
  readonly revision?: string;
  readonly tenant?: string;
  readonly props?: JsonObject;
  readonly clock?: Clock;
  readonly host?: Partial<BundleHost>;
  readonly runScript?: RunScript;
};

const deskDir = join(import.meta.dirname, 'supervisor-desk');

/** The tools of the bundle `desk`, or of that in `dir`, where the runtime would call them. */
export async function openDesk({ where = 'separate', dir = deskDir, ...options }: Options = {}) {
  const { tenant = 'acme', props = {}, clock = systemClock, host, runScript } = options;
  const loaded = await build(dir);
  const { definition, module } = loaded;
  const env = { PATH: process.env['PATH'] };
  const compiled = await compileBundle(definition, {
    dir,
    revision: options.revision ?? loaded.revision,
    platform: {
      tools: [],
      absent: ['exec_tools.execute_code_python'],
      ...(runScript ? { runScript } : {}),
    },
    props,
    signal: AbortSignal.timeout(patient(120_000)),
    supervise: where === 'separate' ? superviseSeparately({ module, clock, env }) : inProcess,
    host: {
      tenant,
      project: 'ops',
      log: silentLog,
      fetch: globalThis.fetch,
      storage: createMemoryStorage(() => Date.now()),
      secret: async () => 'hunter2hunter2',
      ...host,
    },
  });
  const tools = compiled.agents[0].tools;
  const tool = (id: string) => {
    const found = tools.find(({ spec }) => spec.id === `desk.${id}`);
    if (!found) throw new Error(`there is no ${id}`);
    return found;
  };
  return {
    bundle: compiled,
    tool,
    [Symbol.asyncDispose]: () => compiled.dispose(),
  };
}

async function build(dir: string): Promise<LoadedBundle> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'timeloom-desk-'));
  built.push(cacheDir);
  return loadBundle(dir, { cacheDir });
}

const built: string[] = [];

export async function removeBuilt(): Promise<void> {
  for (const dir of built.splice(0)) await rm(dir, { recursive: true });
}

const untilMsMax = patient(100_000);

/** Waits until something is so. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + untilMsMax;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${untilMsMax} ms`);
    await setTimeout(5);
  }
}

/** Whether a process of the system runs; one that waits to be buried does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
}

/** Hundredths of a second that a process has computed for. */
export async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[12]);
}

/** What the tool says of its process. */
export type Known = {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly region: string;
};

export async function known(desk: Desk, world: World): Promise<Known> {
  return ret(await world.perform(desk.tool('knows'), {})) as Known;
}

/** Starts a call and waits until it is under way. */
export async function begun(desk: Desk, effects: 'none' | 'keyed' | 'unkeyed', ms = 60_000) {
  const world = await openWorld();
  const performing = world.perform(desk.tool(`sleeps_${effects}`), { ms });
  await until('the call has begun', () =>
    world.live.some((piece) => piece.kind === 'live' && piece.type === 'desk.sleeping'),
  );
  return { performing };
}
