"""Drops privileges and becomes the harness: limits, no new privileges, no capabilities, a system call filter.

Runs as PID 1 of the sandbox with one argument that has a key and a value per line (loading a JSON parser would take
longer than everything here):
  exec    one argument of the harness's argv
  run     instead: path and arguments of a program in Python that goes on in this interpreter, where it finds `environment`
  env     one NAME=VALUE of its whole environment
  filter  base64 of struct sock_filter[], unless the sandbox was made with a filter
  limit   one RLIMIT_NAME=NUMBER
  out     the program's own directory
  socket  path of a Unix socket to connect as fd 3, unless fd 3 is already connected
  stdout  and stderr: named pipes to open as fds 1 and 2, if needed
If any check fails, it ends with status 71 before it reads a byte of the program.
"""

import os
import resource
import sys
import time
from _frozen_importlib_external import SourceFileLoader

PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
STREAM = 3
CONNECT_SECONDS = 50  # Less than the timeout of its host.


def main():
    settings = {}
    for key, _, value in (line.partition(" ") for line in sys.argv[1].split("\n")):
        settings.setdefault(key, []).append(value)
    for path in settings.get("socket", ()):
        take_stream(path)
    for number, name in ((1, "stdout"), (2, "stderr")):
        for path in settings.get(name, ()):
            take_output(number, path)
    close_others()
    os.set_inheritable(STREAM, True)
    for name, value in (text.split("=") for text in settings["limit"]):
        limit = lowest(int(value), resource.getrlimit(getattr(resource, name))[1])
        resource.setrlimit(getattr(resource, name), (limit, limit))
    os.umask(0o022)
    for folder in ("outputs", "files"):
        os.makedirs(f"{settings['out'][0]}/{folder}", exist_ok=True)
    if "filter" in settings:
        confine(settings["filter"][0])
        assert_unprivileged()
    else:
        assert_unprivileged(NoNewPrivs="1")  # In gVisor, only a call tells that.
    environment = dict(text.split("=", 1) for text in settings["env"])
    if "run" not in settings:
        os.execve(settings["exec"][0], settings["exec"], environment)
    return settings["run"], environment


def close_others():
    """Closes all other descriptors. A lowered limit does not apply to descriptors that are already open."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > STREAM:
                os.close(int(name))
        except OSError:
            pass  # The descriptor of the folder, which is already closed.


def lowest(wanted, hard):
    """The parent process may have set a lower hard limit, which cannot be raised here."""
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def take_stream(path):
    import socket  # Not needed if the stream is inherited.

    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    until = time.monotonic() + CONNECT_SECONDS
    while stream.connect_ex(path) != 0:  # The supervisor starts at the same time.
        if time.monotonic() > until:
            raise SystemError("no supervisor listens on the socket")
        time.sleep(0.005)
    if stream.fileno() != STREAM:
        os.dup2(stream.fileno(), STREAM)
    stream.detach()


def take_output(number, path):
    pipe = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    os.dup2(pipe, number)
    os.close(pipe)


def assert_unprivileged(**more):
    with open("/proc/self/status") as file:
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in file)}
    capabilities = ("CapInh", "CapPrm", "CapEff", "CapBnd")  # Ambient capabilities are a subset of the permitted ones.
    for name, value in {**dict.fromkeys(capabilities, "0" * 16), "Seccomp": "2", **more}.items():
        if status.get(name) != value:
            raise SystemError(f"{name} is {status.get(name)}, not {value}")
    if os.getuid() == 0 or outside(os.getuid()) == 0:
        raise SystemError("this process is root, here or outside")


def outside(uid):
    """The uid in the parent namespace: an unprivileged user here may be root there."""
    with open("/proc/self/uid_map") as file:
        for first, parent, count in (map(int, line.split()) for line in file):
            if first <= uid < first + count:
                return parent + uid - first
    raise SystemError("the uid is not mapped")


def confine(filter):
    """No new privileges, and the filter. The modules for it take as long to load as everything else here."""
    import binascii
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    instructions = binascii.a2b_base64(filter)
    buffer = ctypes.create_string_buffer(instructions)
    program = struct.pack("HxxxxxxQ", len(instructions) // 8, ctypes.addressof(buffer))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program):
        raise SystemError("the filter was refused")


def code_of(path):
    """The code of a file, which the host may have compiled for all sandboxes."""
    return SourceFileLoader("__main__", path).get_code("__main__")


try:
    sys.argv, environment = main()
except BaseException as error:
    os.write(2, f"launcher: {type(error).__name__}: {error}\n".encode())
    os._exit(71)
exec(code_of(sys.argv[0]), {"__name__": "__main__", "environment": environment, "code_of": code_of})
