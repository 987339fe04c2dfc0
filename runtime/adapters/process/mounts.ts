import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { mountsMsMax } from './limits.ts';

/** Mounts a read-only folder of the sandbox at another path inside it. */
export type Bind = { readonly from: string; readonly to: string };

/** Changes to a sandbox while its executor waits for a program. No process of ours stays inside afterwards. */
export type Changes = {
  readonly binds: readonly Bind[];
  /** Memory file systems, and the maximum number of files in each. */
  readonly inodes: Readonly<Record<string, number>>;
};

type Options = {
  readonly python: string;
  /** Host pid of the sandbox's PID 1. */
  readonly pid: number;
  /** The sandbox's host user, which owns its namespaces and nothing else. */
  readonly uid: number;
};

const run = promisify(execFile);

/** bwrap cannot limit inodes or add mounts later; the owner of the namespaces can do both from outside. */
const script = `
import ctypes, json, os, sys
NEWUSER, NEWNS = 0x10000000, 0x00020000
NOSUID, NODEV, REMOUNT, BIND = 2, 4, 32, 4096
libc = ctypes.CDLL(None, use_errno=True)
pid, changes = int(sys.argv[1]), json.loads(sys.argv[2])
def check(result, what):
    if result != 0: sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")
def mount(source, target, flags, data):
    values = [text and text.encode() for text in (source, target, data)]
    check(libc.mount(values[0], values[1], None, ctypes.c_ulong(flags), values[2]), target)
spaces = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in ("user", "mnt")]
for space, kind in zip(spaces, (NEWUSER, NEWNS)): check(libc.setns(space, kind), "setns")
for path, count in changes["inodes"].items():
    mount(None, path, REMOUNT | NOSUID | NODEV, f"nr_inodes={count}")
for bind in changes["binds"]:
    os.makedirs(bind["to"], exist_ok=True)
    mount(bind["from"], bind["to"], BIND, None)
`;

export async function changeMounts(changes: Changes, { python, pid, uid }: Options): Promise<void> {
  const own = process.getuid?.() === 0 ? { uid, gid: uid } : {};
  try {
    const argv = ['-I', '-S', '-B', '-c', script, String(pid), JSON.stringify(changes)];
    await run(python, argv, { env: {}, cwd: '/', timeout: mountsMsMax, ...own });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Fault(
      'EXEC_FAILED',
      { because: `the sandbox could not be set up: ${said}` },
      { cause },
    );
  }
}
