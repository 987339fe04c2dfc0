import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Kernel limits of one execution. Its tmpfs files and memfds count as memory. */
export interface LimitGroup extends AsyncDisposable {
  /** Limits this process and everything it starts from now on. */
  join(pid: number): Promise<void>;
  /** Whether the kernel has killed a process of the group for using too much memory. */
  exceeded(): Promise<boolean>;
}

type Limits = { readonly bytes: number; readonly cpus: number };

type Controller = {
  /** Match the mount and the line of /proc/self/cgroup of this controller. */
  readonly mount: RegExp;
  readonly own: RegExp;
  readonly files: readonly {
    readonly file: string;
    readonly value: (limits: Limits) => number | string;
    readonly required: boolean;
  }[];
  readonly events?: string;
  /** Children can only have what their parents allow, so the group may have to be created above our own. */
  readonly upwards?: boolean;
};

const periodUs = 100_000;
const quota = ({ cpus }: Limits) => Math.round(cpus * periodUs);

const v1Memory: Controller = {
  mount: / - cgroup .*\bmemory\b/,
  own: /\bmemory\b/,
  files: [
    { file: 'memory.limit_in_bytes', value: ({ bytes }) => bytes, required: true },
    { file: 'memory.memsw.limit_in_bytes', value: ({ bytes }) => bytes, required: false },
  ],
  events: 'memory.oom_control',
};
const v1Cpu: Controller = {
  mount: / - cgroup .*\bcpu\b/,
  own: /(^|,)cpu(,|$)/,
  files: [{ file: 'cpu.cfs_quota_us', value: quota, required: true }],
};
const v2: Controller = {
  mount: / - cgroup2 /,
  own: /^$/,
  files: [
    { file: 'memory.max', value: ({ bytes }) => bytes, required: true },
    { file: 'memory.swap.max', value: () => 0, required: false },
    { file: 'cpu.max', value: (limits) => `${quota(limits)} ${periodUs}`, required: false },
  ],
  events: 'memory.events',
  upwards: true,
};

/** Undefined if this process may not set memory limits; the memory limit is then best effort. */
export async function openLimitGroup(
  name: string,
  limits: Limits,
): Promise<LimitGroup | undefined> {
  const old = await makeGroup(v1Memory, { name, limits });
  if (old === undefined) return makeGroup(v2, { name, limits });
  const cpu = await makeGroup(v1Cpu, { name, limits });
  return cpu === undefined ? old : both(old, cpu);
}

/** Removes groups whose worker died before it could remove them. */
export async function removeGroups(isOrphan: (name: string) => Promise<boolean>): Promise<void> {
  for (const controller of [v1Memory, v1Cpu, v2]) {
    for (const parent of await parentsOf(controller)) {
      const names = await readdir(parent).catch(() => []);
      for (const name of names) {
        // May be busy while its processes are being killed with their worker; the next round finds it empty.
        if (await isOrphan(name)) await attempt(() => rmdir(join(parent, name)));
      }
    }
  }
}

function both(memory: LimitGroup, cpu: LimitGroup): LimitGroup {
  return {
    join: async (pid) => {
      await Promise.all([memory.join(pid), cpu.join(pid)]);
    },
    exceeded: () => memory.exceeded(),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([memory[Symbol.asyncDispose](), cpu[Symbol.asyncDispose]()]);
    },
  };
}

async function makeGroup(
  controller: Controller,
  { name, limits }: { name: string; limits: Limits },
): Promise<Group | undefined> {
  const known = lastParent.get(controller);
  const group = known && (await makeGroupIn(known, controller, { name, limits }));
  if (group) return group;
  for (const parent of await parentsOf(controller)) {
    const other = await makeGroupIn(parent, controller, { name, limits });
    if (other === undefined) continue;
    lastParent.set(controller, parent);
    return other;
  }
  return undefined;
}

/** Where the last group could be created: finding out takes longer than everything else here. */
const lastParent = new Map<Controller, string>();

async function makeGroupIn(
  parent: string,
  controller: Controller,
  { name, limits }: { name: string; limits: Limits },
): Promise<Group | undefined> {
  const path = join(parent, name);
  if (!(await attempt(() => mkdir(path)))) return undefined;
  const group = new Group(path, controller);
  if (group.limit(limits)) return group;
  await group[Symbol.asyncDispose]();
  return undefined;
}

class Group implements LimitGroup {
  readonly #path: string;
  readonly #controller: Controller;

  constructor(path: string, controller: Controller) {
    this.#path = path;
    this.#controller = controller;
  }

  /** At once: handing these writes to a thread takes longer than the kernel does. */
  limit(limits: Limits): boolean {
    for (const { file, value, required } of this.#controller.files) {
      const set = succeeds(() => writeFileSync(join(this.#path, file), String(value(limits))));
      if (required && !set) return false;
    }
    return true;
  }

  async join(pid: number): Promise<void> {
    await writeFile(join(this.#path, 'cgroup.procs'), String(pid));
  }

  async exceeded(): Promise<boolean> {
    const { events } = this.#controller;
    if (events === undefined) return false;
    const text = readFileSync(join(this.#path, events), 'utf8');
    return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0) > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rmdir(this.#path);
  }
}

/** Where a group may be created: in our own cgroup of this controller or, if that helps, in one above it. */
async function parentsOf({ mount, own, upwards }: Controller): Promise<readonly string[]> {
  const [groups, mounts] = await Promise.all([
    readFile('/proc/self/cgroup', 'utf8'),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  const line = groups
    .split('\n')
    .map((each) => /^\d+:([^:]*):(.*)$/.exec(each))
    .find((match) => own.test(match?.[1] ?? '-'));
  const at = mounts
    .split('\n')
    .find((each) => mount.test(each))
    ?.split(' ')[4];
  if (line?.[2] === undefined || at === undefined) return [];
  const path = join(at, line[2]);
  return upwards === true ? above(path, at) : [path];
}

function above(path: string, root: string): readonly string[] {
  return path === root || path === `${root}/`
    ? [root]
    : [path, ...above(dirname(path), root)].slice(0, 16);
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

async function attempt(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
