"""Tries to get out. Each probe runs in a child of its own and prints `name open …` or `name closed …`.

A probe is open if what it tries succeeds. The same file run on the bare host shows which probes work.
"""

import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import socket
import struct
import sys

WORLD = json.loads("""%WORLD%""")
X86 = platform.machine() == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = {}
PROCESSES = os.listdir("/proc")
FIRST = [int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]


def probe(act):
    PROBES[act.__name__] = act
    return act


def call(x86, arm, *values):
    """A raw system call: the result, or OSError."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(x86 if X86 else arm), *(
        ctypes.c_long(v) if isinstance(v, int) else v for v in values))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def blocked(x86, arm, *values):
    """True if the filter answers, whatever the kernel would have said to the arguments."""
    try:
        call(x86, arm, *values)
    except OSError as error:
        return error.errno not in (errno.EPERM, errno.ENOSYS, errno.EACCES)
    return True


FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
for name, family in FAMILIES.items():
    def make(family=family):
        kind = socket.SOCK_SEQPACKET if family == 38 else socket.SOCK_RAW if family in (16, 17) else socket.SOCK_STREAM
        return socket.socket(family, kind)
    make.__name__ = f"socket_{name}"
    probe(make)


@probe
def socket_mptcp():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)


@probe
def socketpair_datagram():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


@probe
def socketpair_seqpacket():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@probe
def abstract_socket():
    left, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"out", "\0" + WORLD["abstract"] + "-datagram")


@probe
def abstract_stream():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(
        ("\0" + WORLD["abstract"]).ljust(108, "\0"))  # Node pads the name.


@probe
def loopback():
    return socket.create_connection(("127.0.0.1", WORLD["port"]), timeout=2)


@probe
def connect_a_pair():
    left, _ = socket.socketpair()
    return blocked(42, 203, left.fileno(), struct.pack("H", 1), 2)


@probe
def bind_a_pair():
    left, _ = socket.socketpair()
    return blocked(49, 200, left.fileno(), struct.pack("H", 1) + b"\0attack", 9)


@probe
def listen_on_a_pair():
    left, _ = socket.socketpair()
    return blocked(50, 201, left.fileno(), 1)


@probe
def accept_on_a_pair():
    left, _ = socket.socketpair()
    left.setblocking(False)
    return blocked(288, 242, left.fileno(), 0, 0, 0)


SPACES = {"user": 0x10000000, "net": 0x40000000, "mount": 0x20000, "pid": 0x20000000, "time": 0x80}
for name, flag in SPACES.items():
    def make(flag=flag):
        return call(272, 97, flag) == 0
    make.__name__ = f"unshare_{name}"
    probe(make)


@probe
def clone_user():
    pid = call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return True


@probe
def clone3():
    return blocked(435, 435, 0, 0)


@probe
def setns():
    return call(308, 268, os.open("/proc/self/ns/uts", os.O_RDONLY), 0) == 0


@probe
def ptrace_a_child():
    pid = os.fork()
    if pid == 0:
        while True:
            pass
    try:
        call(101, 117, 16, pid, 0, 0)
        return True
    finally:
        os.kill(pid, 9)


# Name: numbers and arguments of calls whose mere arrival in the kernel is too much.
SURFACE = {
    "process_vm_readv": (310, 270, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 271, 1, 0, 0, 0, 0, 0),
    "pidfd_open": (434, 434, os.getpid(), 0),
    "pidfd_getfd": (438, 438, -1, 0, 0),
    "kcmp": (312, 272, os.getpid(), os.getpid(), 99, 0, 0),
    "mount": (165, 40, b"none", b"/nowhere", b"tmpfs", 0, 0),
    "umount": (166, 39, b"/nowhere", 0),
    "pivot_root": (155, 41, b"/nowhere", b"/nowhere"),
    "chroot": (161, 51, b"/nowhere"),
    "open_tree": (428, 428, -1, b"nowhere", 0),
    "move_mount": (429, 429, -1, b"", -1, b"", 0),
    "fsopen": (430, 430, b"nowhere", 0),
    "mount_setattr": (442, 442, -1, b"", 0, 0, 0),
    "bpf": (321, 280, 99, 0, 0),
    "perf_event_open": (298, 241, 0, 0, 0, -1, 0),
    "keyctl": (250, 219, 0, -3, 0),
    "add_key": (248, 217, b"user", b"attack", b"x", 1, -3),
    "request_key": (249, 218, b"user", b"attack", 0, 0),
    "userfaultfd": (323, 282, 0x800),
    "io_uring": (425, 425, 1, 0),
    "open_by_handle": (304, 265, -1, 0, 0),
    "name_to_handle": (303, 264, -1, b"x", 0, 0, 0),
    "fanotify": (300, 262, 0, 0),
    "memfd_secret": (447, 447, 1),
    "init_module": (175, 105, 0, 0, b""),
    "kexec_load": (246, 104, 0, 0, 0, 0),
    "reboot": (169, 142, 0, 0, 0, 0),
    "swapon": (167, 224, b"/nowhere", 0),
    "settimeofday": (164, 170, 0, 0),
    "syslog": (103, 116, 10, 0, 0),
    "move_pages": (279, 239, 0, 0, 0, 0, 0, 0),
    "personality": (135, 92, 0x0040000),
    "terminal_input": (16, 29, 0, 0x5412, b"x"),
    "newer_than_the_filter": (462, 462, 0, 0, 0),
}
for name, numbers in SURFACE.items():
    def make(numbers=numbers):
        return blocked(*numbers)
    make.__name__ = name
    probe(make)


@probe
def x32_numbers():
    return call(0x40000000 + 39, 0x40000000 + 172) > 0 if X86 else blocked(10 ** 6, 10 ** 6)


@probe
def i386_numbers():
    if not X86:
        raise OSError(errno.ENOSYS, "another machine")
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0


def status(name):
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith(f"{name}:"))


@probe
def is_root_outside():
    with open("/proc/self/uid_map") as file:
        rows = [list(map(int, line.split())) for line in file]
    return any(i <= os.getuid() < i + n and o + os.getuid() - i == 0 for i, o, n in rows)


@probe
def has_capabilities():
    return any(int(status(name), 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))


@probe
def may_gain_privileges():
    return status("NoNewPrivs") != "1"


@probe
def runs_without_filter():
    return status("Seccomp") != "2"


@probe
def becomes_root():
    os.setuid(0)
    return os.getuid() == 0


@probe
def changes_group():
    os.setgroups([0])
    return True


@probe
def sees_secrets():
    with open("/proc/1/environ", "rb") as file:
        first = file.read()
    return WORLD["canary"].encode() in first or WORLD["canary"] in str(os.environ)


@probe
def sees_other_processes():
    return any(name.isdigit() and name not in ("1", str(os.getppid())) for name in PROCESSES)


@probe
def sees_the_runtime():
    return os.path.exists(WORLD["source"])


@probe
def sees_another_network():
    with open("/proc/net/dev") as file:
        names = [line.split(":")[0].strip() for line in file if ":" in line]
    with open("/proc/net/unix") as file:
        return any(name != "lo" for name in names) or WORLD["abstract"] in file.read()


@probe
def sees_docker():
    return any(os.path.exists(p) for p in ("/var/run/docker.sock", "/run/containerd", WORLD["socket"]))


for name, path in {"shadow": "/etc/shadow", "root_home": "/root/.bashrc", "kernel_memory": "/dev/mem"}.items():
    def make(path=path):
        return open(path, "rb")
    make.__name__ = f"reads_{name}"
    probe(make)

for name, path in {
    "core_pattern": "/proc/sys/kernel/core_pattern", "sysrq": "/proc/sysrq-trigger",
    "root": "/attack", "usr": "/usr/attack", "dev": "/dev/attack", "etc": "/etc/attack",
    "executor": "/opt/timeloom/executor/harness.py", "cgroup": "/sys/fs/cgroup/cgroup.procs",
}.items():
    def make(path=path):
        return os.open(path, os.O_WRONLY | (0 if path.startswith(("/proc", "/sys", "/opt")) else os.O_CREAT))
    make.__name__ = f"writes_{name}"
    probe(make)


@probe
def fills_shared_memory():
    with open("/dev/shm/attack", "wb") as file:
        for _ in range(96):
            file.write(bytes(1 << 20))
    return True


@probe
def fills_tmp():
    for index in range(3):
        with open(f"/tmp/attack{index}", "wb") as file:
            for _ in range(32):
                file.write(bytes(1 << 20))
    return True


@probe
def makes_a_device():
    os.mknod("/tmp/device", 0o600 | 0o060000, os.makedev(254, 0))
    return True


@probe
def raises_its_limits():
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
    return True


@probe
def raises_its_priority():
    os.setpriority(os.PRIO_PROCESS, 0, -10)
    return True


@probe
def has_more_than_its_streams():
    """At its start a program has 0 to 3 and what its interpreter opened for itself."""
    targets = [os.readlink(f"/proc/self/fd/{fd}") for fd in FIRST if fd > 3]
    return any(target.startswith(("socket:", "/")) for target in targets)


def judge(act):
    try:
        found = act()
    except BaseException as error:
        return f"closed {type(error).__name__} {error}"
    return "closed" if found is False else f"open {found}"


def attempt(name, act):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, judge(act).encode()[:300].replace(b"\n", b" "))
        os._exit(0)
    os.close(write)
    _, ended = os.waitpid(pid, 0)
    with os.fdopen(read, "rb") as file:
        text = file.read().decode() or f"closed by signal {ended & 127}"
    print(name, text, flush=True)


harmful = ("writes_", "fills_", "makes_", "raises_") if "--harmless" in sys.argv else ()
for name, act in PROBES.items():
    if not name.startswith(harmful):
        attempt(name, act)
