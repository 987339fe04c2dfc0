import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A kernel memory limit around one execution; its files on tmpfs and its memfds count. */
export interface MemoryGroup extends AsyncDisposable {
  /** Everything this process starts from now on is limited with it. */
  join(pid: number): Promise<void>;
  /** The kernel has killed something in here for using too much. */
  exceeded(): Promise<boolean>;
}

type Files = {
  readonly limits: readonly { readonly file: string; readonly required: boolean }[];
  readonly events: string;
};

const v1: Files = {
  limits: [
    { file: 'memory.limit_in_bytes', required: true },
    { file: 'memory.memsw.limit_in_bytes', required: false },
  ],
  events: 'memory.oom_control',
};
const v2: Files = {
  limits: [
    { file: 'memory.max', required: true },
    { file: 'memory.swap.max', required: false },
  ],
  events: 'memory.events',
};

/** Undefined where this process may not make one: memory is best effort then. */
export async function openMemoryGroup(
  name: string,
  { bytes }: { bytes: number },
): Promise<MemoryGroup | undefined> {
  for (const { parent, files } of await parents()) {
    const path = join(parent, name);
    if (!(await attempt(() => mkdir(path)))) continue;
    const group = new Group(path, files);
    if (await group.limit(bytes)) return group;
    await group[Symbol.asyncDispose]();
  }
  return undefined;
}

/** Groups whose worker died before it could remove them. */
export async function removeGroups(isOrphan: (name: string) => Promise<boolean>): Promise<void> {
  for (const { parent } of await parents()) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names) {
      // Still busy: its processes are being killed with their worker; the next start finds it empty.
      if (await isOrphan(name)) await attempt(() => rmdir(join(parent, name)));
    }
  }
}

class Group implements MemoryGroup {
  readonly #path: string;
  readonly #files: Files;

  constructor(path: string, files: Files) {
    this.#path = path;
    this.#files = files;
  }

  async limit(bytes: number): Promise<boolean> {
    for (const { file, required } of this.#files.limits) {
      const value = file.startsWith('memory.swap') ? 0 : bytes;
      const set = await attempt(() => writeFile(join(this.#path, file), String(value)));
      if (required && !set) return false;
    }
    return true;
  }

  async join(pid: number): Promise<void> {
    await writeFile(join(this.#path, 'cgroup.procs'), String(pid));
  }

  async exceeded(): Promise<boolean> {
    const events = await readFile(join(this.#path, this.#files.events), 'utf8');
    return Number(/^oom_kill (\d+)/m.exec(events)?.[1] ?? 0) > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rmdir(this.#path);
  }
}

/** Where a group may be made: our own cgroup or one above it that gives memory to its children. */
async function parents(): Promise<readonly { parent: string; files: Files }[]> {
  const [groups, mounts] = await Promise.all([
    readFile('/proc/self/cgroup', 'utf8'),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  const own = (controllers: RegExp) =>
    groups
      .split('\n')
      .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
      .find((match) => controllers.test(match?.[1] ?? '-'))?.[2];
  const at = (type: RegExp) =>
    mounts
      .split('\n')
      .find((line) => type.test(line))
      ?.split(' ')[4];
  const old = { mount: at(/ - cgroup .*\bmemory\b/), path: own(/\bmemory\b/) };
  const unified = { mount: at(/ - cgroup2 /), path: own(/^$/) };
  return [
    ...(old.mount && old.path ? [{ parent: join(old.mount, old.path), files: v1 }] : []),
    ...(unified.mount && unified.path
      ? upwards(join(unified.mount, unified.path), unified.mount).map((parent) => ({
          parent,
          files: v2,
        }))
      : []),
  ];
}

function upwards(path: string, root: string): readonly string[] {
  return path === root || path === `${root}/`
    ? [root]
    : [path, ...upwards(dirname(path), root)].slice(0, 16);
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
