"""Tries to get out. Each probe runs in a child and prints `name open …` or `name closed …`.

A probe is open if what it tries succeeds. The same file run on the bare host shows which probes work. A probe has a child
of its own, unless it changes nothing when it is refused: such probes share a child up to the first that is open.
"""

import ctypes
import errno
import fcntl
import itertools
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys
import threading
import time

WORLD = json.loads("""%WORLD%""")
X86 = platform.machine() == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)
PROBES = {}
CALLS = set()
CALLS_TOGETHER_MAX = 200  # What they say fits into a pipe.
SANDBOXED = os.path.exists("/out")
LOCKED = ctypes.create_string_buffer(16 << 20)
PROCESSES = os.listdir("/proc")
FIRST = [int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]


def probe(act):
    PROBES[act.__name__] = act
    return act


def probe_call(act):
    """A probe that changes nothing when it is refused, or only looks."""
    CALLS.add(act.__name__)
    return probe(act)


def call(x86, arm, *values):
    """A raw system call: the result, or OSError."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(x86 if X86 else arm), *(
        ctypes.c_long(v) if isinstance(v, int) else v for v in values))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def blocked(x86, arm, *values):
    """False if the filter answers, true whatever the kernel says to the arguments; None: this machine has no such call."""
    if (x86 if X86 else arm) is None:
        raise OSError(errno.ENOSYS, "another machine")
    try:
        call(x86, arm, *values)
    except OSError as error:
        return error.errno not in (errno.EPERM, errno.ENOSYS, errno.EACCES)
    return True


FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "vsock": 40}
for name, family in FAMILIES.items():
    def make(family=family):
        kind = socket.SOCK_RAW if family in (16, 17) else socket.SOCK_STREAM
        return socket.socket(family, kind)
    make.__name__ = f"socket_{name}"
    probe_call(make)


# A process that may not open a family cannot learn whether the kernel has it.
OTHER_FAMILIES = {
    "ax25": 3, "ipx": 4, "appletalk": 5, "x25": 9, "key": 15, "rds": 21, "llc": 26, "can": 29, "tipc": 30,
    "bluetooth": 31, "rxrpc": 33, "phonet": 35, "ieee802154": 36, "caif": 37, "alg": 38, "nfc": 39, "kcm": 41,
    "qipcrtr": 42, "smc": 43, "xdp": 44, "mctp": 45,
}
for name, family in OTHER_FAMILIES.items():
    def make(family=family):
        return blocked(41, 198, family, socket.SOCK_DGRAM, 0)
    make.__name__ = f"socket_{name}"
    probe_call(make)


KINDS = {
    "unix_datagram": (1, 2, 0), "unix_seqpacket": (1, 5, 0), "inet_datagram": (2, 2, 0), "inet_raw": (2, 3, 1),
    "inet_ping": (2, 2, 1), "inet_sctp": (2, 1, 132), "inet_udplite": (2, 2, 136), "inet6_datagram": (10, 2, 0),
    "inet6_raw": (10, 3, 58), "netlink_route": (16, 3, 0), "netlink_audit": (16, 3, 9),
    "netlink_uevent": (16, 3, 15), "packet_datagram": (17, 2, 0x300),
}
for name, kind in KINDS.items():
    def make(kind=kind):
        return blocked(41, 198, *kind)
    make.__name__ = f"socket_{name}"
    probe_call(make)


@probe
def socketpair_of_another_family():
    """The upper half of an argument that the kernel reads as an int."""
    return blocked(53, 199, (1 << 32) | 2, 1, 0, ctypes.create_string_buffer(8))


ADDRESSES = {
    "metadata": ("169.254.169.254", 80), "metadata_of_tasks": ("169.254.170.2", 80), "private": ("10.0.0.1", 443),
    "public": ("8.8.8.8", 443), "loopback_6": ("::1", 80), "metadata_6": ("fd00:ec2::254", 80),
}
for name, address in ADDRESSES.items():
    def make(address=address):
        return socket.create_connection(address, timeout=2)
    make.__name__ = f"connects_{name}"
    probe_call(make)


@probe
def asks_a_name_server():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.settimeout(2)
        server.sendto(b"who", ("127.0.0.53", 53))
        return server.recv(9) == b"who"


@probe
def hands_a_descriptor_on():
    """Descriptors may pass along a pair, but there is nobody to pass them to."""
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.connect("\0" + WORLD["abstract"])
    socket.send_fds(other, [b"x"], [0])
    return True


@probe_call
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
        "\0" + WORLD["abstract"])


@probe
def loopback():
    return socket.create_connection(("127.0.0.1", WORLD["port"]), timeout=2)


@probe
def sends_out_of_band():
    left, _ = socket.socketpair()
    return left.send(b"!", socket.MSG_OOB)


@probe
def makes_a_message_queue_file():
    return open("/dev/mqueue/timeloom", "w")


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


@probe
def accept_on_a_pair_as_of_old():
    left, _ = socket.socketpair()
    left.setblocking(False)
    return blocked(43, 202, left.fileno(), 0, 0)


# Of a stream one may ask who is behind it, and have a handle on that process; and give the kernel programs to run.
OPTIONS = {
    "holds_who_made_its_stream": (55, 209, 77), "is_sent_who_writes": (54, 208, 76), "filters_its_stream": (54, 208, 26),
    "filters_its_stream_by_bpf": (54, 208, 50), "chooses_its_stream": (54, 208, 51), "chooses_its_stream_by_bpf": (54, 208, 52),
}
for name, (x86, arm, option) in OPTIONS.items():
    def make(x86=x86, arm=arm, option=option):
        left, _ = socket.socketpair()
        size = ctypes.create_string_buffer(struct.pack("I", 4)) if x86 == 55 else 4
        return blocked(x86, arm, left.fileno(), socket.SOL_SOCKET, option, struct.pack("I", 1), size)
    make.__name__ = name
    probe_call(make)


SPACES = {
    "user": 0x10000000, "net": 0x40000000, "mount": 0x20000, "pid": 0x20000000, "time": 0x80,
    "uts": 0x4000000, "ipc": 0x8000000, "cgroup": 0x2000000,
}
for name, flag in SPACES.items():
    def make(flag=flag):
        return call(272, 97, flag) == 0
    make.__name__ = f"unshare_{name}"
    probe_call(make)


for name, flag in SPACES.items():
    if name != "time":
        def make(flag=flag):
            pid = call(56, 220, flag | 17, 0, 0, 0, 0)
            if pid == 0:
                os._exit(0)
            return True
        make.__name__ = f"clone_{name}"
        probe_call(make)


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
    "terminal_input_in_half": (16, 29, 0, (1 << 32) | 0x5412, b"x"),
    "console_input": (16, 29, 0, 0x541C, b"\x02"),
    "fsconfig": (431, 431, -1, 99, 0, 0, 0),
    "fsmount": (432, 432, -1, 0, 0),
    "fspick": (433, 433, -1, b"nowhere", 0),
    "statmount": (457, 457, 0, 0, 0, 0),
    "listmount": (458, 458, 0, 0, 0, 0),
    "io_uring_enter": (426, 426, -1, 0, 0, 0, 0, 0),
    "io_uring_register": (427, 427, -1, 0, 0, 0),
    "fanotify_mark": (301, 263, -1, 0, 0, -1, 0),
    "process_madvise": (440, 440, -1, 0, 0, 0, 0),
    "process_mrelease": (448, 448, -1, 0),
    "migrate_pages": (256, 238, 0, 0, 0, 0),
    "mbind": (237, 235, 0, 0, 99, 0, 0, 0),
    "set_mempolicy": (238, 237, 99, 0, 0),
    "quotactl": (179, 60, 0x80000700, 0, 0, 0),
    "adjtimex": (159, 171, 0),
    "clock_settime": (227, 112, 0, 0),
    "clock_adjtime": (305, 266, 0, 0),
    "sethostname": (170, 161, 0, 99),
    "setdomainname": (171, 162, 0, 99),
    "swapoff": (168, 225, b"/nowhere"),
    "accounting": (163, 89, b"/nowhere"),
    "chroot_here": (161, 51, b"/tmp"),
    "mount_over": (165, 40, b"none", b"/mnt", b"tmpfs", 0, 0),
    "remount": (165, 40, 0, b"/mnt", 0, 0x20, 0),
    "setns_by_process": (308, 268, -1, 0x20000),
    "finit_module": (313, 273, -1, b"", 0),
    "delete_module": (176, 106, b"attack", 0),
    "kexec_file_load": (320, 294, -1, -1, 0, 0, 0),
    "quotactl_by_descriptor": (443, 443, -1, 0, 0, 0),
    "home_of_memory": (450, 450, 0, 0, 0, 99),
    "descriptor_tables": (154, None, 99, 0, 0),
    "ports_of_the_machine": (173, None, 1 << 20, 1, 1),
    "all_ports_of_the_machine": (172, None, 99),
    # What every program of the machine has a share of, and no limit of this one covers.
    "asynchronous_files": (206, 0, 1, bytes(8)),
    "asynchronous_files_submit": (209, 2, 0, 0, 0),
    "asynchronous_files_end": (207, 1, 0),
    "asynchronous_files_cancel": (210, 3, 0, 0, 0),
    "asynchronous_files_wait": (208, 4, 0, 0, 0, 0, 0),
    "asynchronous_files_wait_masked": (333, 292, 0, 0, 0, 0, 0, 0),
    "huge_pages": (9, 222, 0, 2 << 20, 3, 0x40022, -1, 0),
    "huge_memory_file": (319, 279, b"attack", 4),
    "huge_shared_memory": (29, 194, 0, 2 << 20, 0o5600),
    "flushes_all_disks": (162, 81),
    "flushes_a_disk": (306, 267, -1),
    "own_filter": (317, 277, 1, 0, 0),
    "own_filter_that_asks": (317, 277, 1, 8, 0),
    "core_limit_as_of_old": (160, 164, 4, struct.pack("QQ", 1, 1)),
    "own_filter_as_of_old": (157, 167, 22, 2, 0, 0, 0),
}
for name, numbers in SURFACE.items():
    def make(numbers=numbers):
        return blocked(*numbers)
    make.__name__ = name
    probe_call(make)


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


@probe_call
def is_root_outside():
    with open("/proc/self/uid_map") as file:
        rows = [list(map(int, line.split())) for line in file]
    return any(i <= os.getuid() < i + n and o + os.getuid() - i == 0 for i, o, n in rows)


@probe_call
def has_capabilities():
    return any(int(status(name), 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))


@probe_call
def may_gain_privileges():
    return status("NoNewPrivs") != "1"


@probe_call
def runs_without_filter():
    return status("Seccomp") != "2"


@probe
def becomes_root():
    os.setuid(0)
    return os.getuid() == 0


NOBODY = 65534
BECOMING = {
    "setreuid": lambda: os.setreuid(0, 0), "setresuid": lambda: os.setresuid(0, 0, 0), "setgid": lambda: os.setgid(0),
    "setresgid": lambda: os.setresgid(0, 0, 0), "another_user": lambda: os.setuid(NOBODY),
}
for name, act in BECOMING.items():
    def make(act=act):
        act()
        return True
    make.__name__ = f"becomes_{name}"
    probe(make)


@probe
def becomes_root_by_a_program():
    """A program with the bit of root on it, if it could be given one."""
    path = "/tmp/attack-root"
    with open("/usr/bin/id", "rb") as source, open(path, "wb") as copy:
        copy.write(source.read())
    os.chown(path, 0, 0)
    os.chmod(path, 0o4755)
    return os.popen(f"{path} -u").read() == "0\n"


@probe
def takes_capabilities():
    header = struct.pack("Ii", 0x20080522, 0)
    return call(126, 91, header, struct.pack("6I", 1, 1, 0, 0, 0, 0)) == 0


@probe
def changes_group():
    os.setgroups([0])
    return True


@probe_call
def sees_secrets():
    with open("/proc/1/environ", "rb") as file:
        first = file.read()
    return WORLD["canary"].encode() in first or WORLD["canary"] in str(os.environ)


@probe_call
def sees_other_processes():
    return any(name.isdigit() and name not in ("1", str(os.getppid())) for name in PROCESSES)


@probe_call
def sees_the_runtime():
    return os.path.exists(WORLD["source"])


@probe_call
def sees_another_network():
    with open("/proc/net/dev") as file:
        names = [line.split(":")[0].strip() for line in file if ":" in line]
    with open("/proc/net/unix") as file:
        return any(name != "lo" for name in names) or WORLD["abstract"] in file.read()


@probe_call
def sees_kernel_addresses():
    with open("/proc/kallsyms") as file:
        return any(int(next(file).split()[0], 16) for _ in range(100))


@probe_call
def sees_docker():
    return any(os.path.exists(p) for p in ("/var/run/docker.sock", "/run/containerd", WORLD["socket"]))


for name, path in {
    "shadow": "/etc/shadow", "root_home": "/root/.bashrc", "kernel_core": "/proc/kcore", "kernel_log": "/proc/kmsg",
    "kernel_log_device": "/dev/kmsg", "neighbour": WORLD["neighbour"], "page_owners": "/proc/kpagecount",
    "slabs": "/proc/slabinfo",
}.items():
    def make(path=path):
        with open(path, "rb", buffering=0):
            return True
    make.__name__ = f"reads_{name}"
    probe_call(make)

for name, path in {
    "core_pattern": "/proc/sys/kernel/core_pattern", "sysrq": "/proc/sysrq-trigger",
    "root": "/attack", "usr": "/usr/attack", "dev": "/dev/attack", "etc": "/etc/attack",
    "executor": "/opt/timeloom/executor/harness.py", "root_through_proc": "/proc/self/root/attack-too",
    "processes": "/proc/sys/kernel/pid_max", "hostname": "/proc/sys/kernel/hostname",
    "addresses": "/proc/sys/kernel/randomize_va_space", "overcommit": "/proc/sys/vm/overcommit_memory",
    "drop_caches": "/proc/sys/vm/drop_caches", "open_files": "/proc/sys/fs/nr_open",
    "panic": "/proc/sys/kernel/panic", "threads": "/proc/sys/kernel/threads-max",
    "huge_pages": "/sys/kernel/mm/transparent_hugepage/enabled",
    "profiling": "/sys/kernel/profiling", "module": "/sys/module/kernel/parameters/panic",
    "program": "/usr/bin/env", "tool": "/usr/bin/tac", "library": "/usr/lib/os-release",
}.items():
    def make(path=path):
        fixed = path.startswith(("/proc/sys", "/sys", "/opt")) or os.path.exists(path)
        os.close(os.open(path, os.O_WRONLY | (0 if fixed else os.O_CREAT)))
        if not fixed:
            os.unlink(path)
        return True
    make.__name__ = f"writes_{name}"
    probe_call(make)


# Rights of files are one wall, mounts another: a worker that is not root owns what its program would own.
for name, path in {
    "root": "/", "system": "/usr", "executor": "/opt/timeloom/executor", "inputs": "/opt/timeloom/inputs",
}.items():
    def make(path=path):
        return not os.statvfs(path).f_flag & os.ST_RDONLY
    make.__name__ = f"stands_on_a_writable_{name}"
    probe_call(make)


@probe_call
def is_in_the_session_of_its_starter():
    """Its terminal would be the program's; a session from outside has no number in here."""
    return os.getsid(0) == 0


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


def filled(folder, megabytes):
    os.makedirs(folder, exist_ok=True)
    try:
        for index in range(megabytes // 32):
            with open(f"{folder}/attack{index}", "wb") as file:
                for _ in range(32):
                    file.write(bytes(1 << 20))
        return True
    finally:
        for index in range(megabytes // 32):
            if os.path.exists(f"{folder}/attack{index}"):
                os.unlink(f"{folder}/attack{index}")


@probe
def fills_work():
    return filled("/work" if os.access("/work", os.W_OK) and SANDBOXED else "/tmp/work", 160)


@probe
def fills_out():
    return filled("/out" if SANDBOXED else "/tmp/out", 160)


@probe
def makes_files_without_end():
    os.makedirs("/tmp/many", exist_ok=True)
    for index in range(21_000):
        os.close(os.open(f"/tmp/many/{index}", os.O_CREAT | os.O_WRONLY))
    return True


@probe
def makes_folders_without_end():
    os.makedirs("/tmp/folders", exist_ok=True)
    for index in range(21_000):
        os.mkdir(f"/tmp/folders/{index}")
    return True


@probe
def makes_a_sparse_gigabyte():
    with open("/tmp/sparse", "wb") as file:
        file.truncate(1 << 30)
    return True


@probe
def makes_a_sparse_memory_file():
    os.ftruncate(os.memfd_create("attack"), 1 << 30)
    return True


@probe
def opens_descriptors_without_end():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    for _ in range(3_000):
        os.dup(0)
    return True


@probe
def makes_processes_without_end():
    children = []
    try:
        for _ in range(160):
            pid = os.fork()
            if pid == 0:
                while True:
                    signal.pause()
            children.append(pid)
        return True
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@probe
def makes_threads_without_end():
    until = threading.Event()
    threads = [threading.Thread(target=until.wait, daemon=True) for _ in range(200)]
    try:
        for thread in threads:
            thread.start()
        return True
    finally:
        until.set()


@probe
def queues_messages():
    """A POSIX message queue, which is kernel memory."""
    return call(240, 180, b"attack", os.O_CREAT | os.O_RDWR, 0o600, 0) >= 0


@probe_call
def dumps_core():
    """A kernel that hands dumps to a program of the host does so below a limit of 0 too, but not below one of 1."""
    return resource.getrlimit(resource.RLIMIT_CORE) != (1, 1)


for name, act in {
    "dumps_core_after_all": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 1)),
    "dumps_core_by_its_number": lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 1)),
}.items():
    def make(act=act):
        act()
        return True
    make.__name__ = name
    probe(make)


@probe
def opens_a_terminal():
    """The whole machine has a fixed number."""
    return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) >= 0


@probe
def makes_a_node():
    os.mknod("/tmp/null", 0o600 | 0o020000, os.makedev(1, 3))
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
def raises_its_chance_to_live():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-900")
    return True


@probe
def becomes_real_time():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return True


@probe
def locks_memory():
    return call(149, 228, ctypes.addressof(LOCKED), len(LOCKED)) == 0


@probe
def links_to_another_user():
    os.symlink("/proc/1/root/etc/shadow", "/tmp/shadow-link")
    with open("/tmp/shadow-link", "rb"):
        return True


@probe
def raises_its_priority():
    os.setpriority(os.PRIO_PROCESS, 0, -10)
    return True


@probe_call
def has_more_than_its_streams():
    """At its start a program has 0 to 3 and what its interpreter opened for itself."""
    targets = [os.readlink(f"/proc/self/fd/{fd}") for fd in FIRST if fd > 3]
    return any(target.startswith(("socket:", "/")) for target in targets)


# Who lives in the same room: in most rooms nobody does. The first process is one of them, unless it is this one,
# or the program that started this one.
NEIGHBOURS = [pid for pid in map(int, filter(str.isdigit, PROCESSES)) if pid not in (os.getpid(), WORLD.get("parent"))]
BESIDE = [pid for pid in NEIGHBOURS if pid != 1]
SUPERVISOR = "/run/timeloom/supervisor.sock"


def any_of(pids, act):
    """True if it succeeds with one of them."""
    for pid in pids:
        try:
            if act(pid) is not False:
                return True
        except OSError:
            pass
    return False


def opens(path, flags):
    os.close(os.open(path, flags))
    return True


def says(path):
    with open(path, "rb") as file:
        return file.read(4096) != b""


for name, act in {
    "environment": lambda pid: says(f"/proc/{pid}/environ"),
    "environment_by_task": lambda pid: says(f"/proc/{pid}/task/{pid}/environ"),
    "memory": lambda pid: opens(f"/proc/{pid}/mem", os.O_RDONLY),
    "map": lambda pid: says(f"/proc/{pid}/maps"),
    "auxiliary_vector": lambda pid: says(f"/proc/{pid}/auxv"),
    "traffic": lambda pid: says(f"/proc/{pid}/io"),
    "folder": lambda pid: os.readlink(f"/proc/{pid}/cwd"),
    "root": lambda pid: os.listdir(f"/proc/{pid}/root"),
    "program": lambda pid: os.readlink(f"/proc/{pid}/exe"),
    "descriptors": lambda pid: os.listdir(f"/proc/{pid}/fd"),
    "spaces": lambda pid: os.readlink(f"/proc/{pid}/ns/mnt"),
    "input": lambda pid: opens(f"/proc/{pid}/fd/0", os.O_RDONLY),
    "call": lambda pid: says(f"/proc/{pid}/syscall"),
    "place_in_the_kernel": lambda pid: says(f"/proc/{pid}/stack"),
}.items():
    def make(act=act):
        return any_of(NEIGHBOURS, act)
    make.__name__ = f"reads_neighbours_{name}"
    probe_call(make)


for name, act in {
    "memory": lambda pid: opens(f"/proc/{pid}/mem", os.O_RDWR),
    "output": lambda pid: opens(f"/proc/{pid}/fd/1", os.O_WRONLY),
    "name": lambda pid: opens(f"/proc/{pid}/comm", os.O_WRONLY),
    "chance_to_live": lambda pid: opens(f"/proc/{pid}/oom_score_adj", os.O_WRONLY),
    "dump_filter": lambda pid: opens(f"/proc/{pid}/coredump_filter", os.O_WRONLY),
    "user_map": lambda pid: opens(f"/proc/{pid}/uid_map", os.O_WRONLY),
    "groups": lambda pid: opens(f"/proc/{pid}/setgroups", os.O_WRONLY),
    "pages": lambda pid: opens(f"/proc/{pid}/clear_refs", os.O_WRONLY),
}.items():
    def make(act=act):
        return any_of(NEIGHBOURS, act)
    make.__name__ = f"writes_neighbours_{name}"
    probe_call(make)


def state(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def becomes(pid, states):
    """A permitted signal has no effect yet: on a busy machine it arrives late."""
    until = time.monotonic() + 1
    while state(pid) not in states:
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def queue_signal(pid):
    """A signal with the origin of one that was queued (SI_QUEUE)."""
    return call(129, 138, pid, 9, struct.pack("iiiiii", 9, 0, -1, 0, os.getpid(), os.getuid()).ljust(128, b"\0"))


def signal_as_owner(pid):
    """The kernel sends it, when a pipe is ready."""
    read, write = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, pid)
    fcntl.fcntl(read, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
    os.write(write, b"x")


for name, act in {
    "kill": lambda pid: os.kill(pid, signal.SIGKILL),
    "thread_kill": lambda pid: call(234, 131, pid, pid, signal.SIGKILL),
    "queued_signal": queue_signal,
    "descriptor": lambda pid: call(424, 424, os.open(f"/proc/{pid}", os.O_RDONLY), signal.SIGKILL, None, 0),
    "asynchronous_pipe": signal_as_owner,
}.items():
    def make(act=act):
        return any_of(NEIGHBOURS, lambda pid: act(pid) is not False and becomes(pid, "ZX"))
    make.__name__ = f"ends_a_neighbour_by_{name}"
    probe(make)


@probe
def stops_a_neighbour():
    return any_of(NEIGHBOURS, lambda pid: os.kill(pid, signal.SIGSTOP) is None and becomes(pid, "T"))


for name, act in {
    "traces": lambda pid: call(101, 117, 16, pid, 0, 0) == 0,
    "seizes": lambda pid: call(101, 117, 0x4206, pid, 0, 0) == 0,
    "finds_locks_of": lambda pid: call(274, 100, pid, ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)) == 0,
}.items():
    def make(act=act):
        return any_of(BESIDE, act)
    make.__name__ = f"{name}_a_neighbour"
    probe(make)


def set_attributes(pid):
    """The call of which Python has no name: an ordinary process, as it is."""
    return call(314, 274, pid, struct.pack("IIQiIQQQ", 48, 0, 0, 0, 0, 0, 0, 0), 0) == 0


BEST_EFFORT = (2 << 13) | 4
SETTINGS = {
    "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0)),
    "reads_limits_of": lambda pid: resource.prlimit(pid, resource.RLIMIT_CORE),
    "slows": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid)),
    "moves": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
    "schedules": lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "sets_parameters_of": lambda pid: os.sched_setparam(pid, os.sched_param(0)),
    "sets_attributes_of": set_attributes,
    "holds_up_files_of": lambda pid: call(251, 30, 1, pid, BEST_EFFORT) == 0,
}
for name, act in SETTINGS.items():
    def make(act=act):
        return any_of(NEIGHBOURS, act)
    make.__name__ = f"{name}_a_neighbour"
    probe(make)

    def make(act=act):
        """Where nobody else is, of a process of its own: numbers are all that the filter sees."""
        pid = os.fork()
        if pid == 0:
            signal.pause()
        try:
            return act(pid) is not False
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    make.__name__ = f"{name}_another"
    probe(make)


for name, act in {
    "slows_its_group": lambda: os.setpriority(os.PRIO_PGRP, 0, os.getpriority(os.PRIO_PGRP, 0)),
    "slows_its_user": lambda: os.setpriority(os.PRIO_USER, os.getuid(), os.getpriority(os.PRIO_USER, os.getuid())),
    "holds_up_files_of_its_group": lambda: call(251, 30, 2, 0, BEST_EFFORT) == 0,
    "holds_up_files_of_its_user": lambda: call(251, 30, 3, os.getuid(), BEST_EFFORT) == 0,
}.items():
    def make(act=act):
        return act() is not False
    make.__name__ = name
    probe(make)


@probe
def connects_to_the_supervisor_again():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(SUPERVISOR)
    return True


@probe
def waits_in_place_of_the_supervisor():
    os.rename(SUPERVISOR, f"{SUPERVISOR}.was") if os.path.exists(SUPERVISOR) else open(SUPERVISOR, "x").close()
    return True


@probe
def writes_beside_the_supervisor():
    with open(f"{os.path.dirname(SUPERVISOR)}/attack", "w"):
        return True


def judge(act):
    try:
        found = act()
    except BaseException as error:
        return f"closed {type(error).__name__} {error}"
    return "closed" if found is False else f"open {found}"


def attempt(names):
    """In one child, up to the first that is open. How many of them have run."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        for name in names:
            signal.alarm(20)
            verdict = judge(PROBES[name])
            os.write(write, verdict.encode()[:300].replace(b"\n", b" ") + b"\n")
            if verdict.startswith("open"):
                break
        os._exit(0)
    os.close(write)
    _, ended = os.waitpid(pid, 0)
    with os.fdopen(read, "rb") as file:
        verdicts = file.read().decode().split("\n")[:-1]
    if len(verdicts) < len(names) and not (verdicts and verdicts[-1].startswith("open")):
        verdicts.append(f"closed by signal {ended & 127}")
    for name, verdict in zip(names, verdicts):
        print(name, verdict, flush=True)
    return len(verdicts)


left = [name for name in PROBES if name in WORLD.get("only", PROBES) and name not in WORLD.get("without", ())]
while left:
    calls = list(itertools.takewhile(CALLS.__contains__, left[:CALLS_TOGETHER_MAX]))
    left = left[attempt(calls or left[:1]):]
