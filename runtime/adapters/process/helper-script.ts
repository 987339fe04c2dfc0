import { helperMsMax } from './limits.ts';

/**
 * Serves one worker: a request per line of input, an answer per line of output. It has no secrets, and no program can reach
 * it: it is outside of every sandbox, with an empty environment, and takes requests from its worker alone. Ends with its input.
 *
 * Each change of mounts happens in a fork, which becomes the host user of that sandbox, enters its user and mount namespaces,
 * and ends. Nothing that it was in is left to the next one.
 */
export const helperScript = `
import ctypes, json, os, resource, signal, sys
NEWUSER, NEWNS = 0x10000000, 0x00020000
NOSUID, NODEV, REMOUNT, BIND = 2, 4, 32, 4096
libc = ctypes.CDLL(None, use_errno=True)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def check(result, what):
    if result != 0: raise OSError(f"{what}: {os.strerror(ctypes.get_errno())}")
def mount(source, target, flags, data):
    values = [text and text.encode() for text in (source, target, data)]
    check(libc.mount(values[0], values[1], None, ctypes.c_ulong(flags), values[2]), target)
def fifos(paths, uid):
    for path in paths:
        os.mkfifo(path, 0o600)
        if uid is not None: os.chown(path, uid, uid)
def compiled(folder, **_):
    import py_compile
    sources = [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".py")]
    files = [py_compile.compile(path, doraise=True) for path in sources]
    files.append(py_compile.compile(f"{folder}/launcher.py", f"{folder}/launcher.pyc", doraise=True))
    os.chmod(os.path.dirname(files[0]), 0o755)
    for path in files: os.chmod(path, 0o644)
def mounts(pid, uid, inodes, binds, core):
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if core is not None:
        hard = resource.prlimit(pid, resource.RLIMIT_CORE)[1]
        limit = core if hard == resource.RLIM_INFINITY else min(core, hard)
        resource.prlimit(pid, resource.RLIMIT_CORE, (limit, limit))
    spaces = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in ("user", "mnt")]
    for space, kind in zip(spaces, (NEWUSER, NEWNS)): check(libc.setns(space, kind), "setns")
    for path, count in inodes.items():
        mount(None, path, REMOUNT | NOSUID | NODEV, f"nr_inodes={count}")
    for bind in binds:
        os.makedirs(bind["to"], exist_ok=True)
        mount(bind["from"], bind["to"], BIND, None)
def answer(number, work, values):
    try:
        work(**values)
        failed = None
    except BaseException as error:
        failed = str(error)
    os.write(1, (json.dumps([number, failed]) + "\\n").encode())
while line := sys.stdin.readline():
    number, name, values = json.loads(line)
    if name == "fifos": answer(number, fifos, values)
    elif os.fork() == 0:
        signal.alarm(${helperMsMax / 1_000})
        answer(number, {"mounts": mounts, "compiled": compiled}[name], values)
        os._exit(0)
`;
