"""Drops privileges and becomes the harness: limits, no new privileges, no capabilities, a system call filter.

Runs as PID 1 of the sandbox with one argument that has a key and a value per line (loading a JSON parser would take
longer than everything here):
  exec    one argument of the harness's argv
  run     instead: path and arguments of a program in Python that goes on in this interpreter, where it finds `environment`
  env     one NAME=VALUE of its whole environment
  filter  base64 of struct sock_filter[]
  limit   one RLIMIT_NAME=NUMBER
  out     the program's own directory
  socket  path of a Unix socket to connect as fd 3, unless fd 3 is already connected
  stdout  and stderr: named pipes to open as fds 1 and 2, if needed
If any check fails, it ends with status 71 before it reads a byte of the program.
"""

import binascii
import ctypes
import os
import resource
import sys
import time

PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
STREAM = 3
CONNECT_SECONDS = 50  # Less than the timeout of its host.


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


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
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    assert_unprivileged()
    install(binascii.a2b_base64(settings["filter"][0]))
    assert_status("Seccomp", "2")
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


def assert_unprivileged():
    if prctl(PR_GET_NO_NEW_PRIVS) != 1:
        raise SystemError("new privileges are possible")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd"):  # Ambient capabilities are a subset of the permitted ones.
        assert_status(name, "0" * 16)
    if os.getuid() == 0 or outside(os.getuid()) == 0:
        raise SystemError("this process is root, here or outside")


def outside(uid):
    """The uid in the parent namespace: an unprivileged user here may be root there."""
    with open("/proc/self/uid_map") as file:
        for first, parent, count in (map(int, line.split()) for line in file):
            if first <= uid < first + count:
                return parent + uid - first
    raise SystemError("the uid is not mapped")


def assert_status(name, value):
    with open("/proc/self/status") as file:
        found = [line.split()[1] for line in file if line.startswith(f"{name}:")]
    if found != [value]:
        raise SystemError(f"{name} is {found}, not {value}")


def install(instructions):
    program = Filter(len(instructions) // 8, instructions)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))


def prctl(option, *values):
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [v if not isinstance(v, int) else ctypes.c_ulong(v) for v in values]
    arguments += [ctypes.c_ulong(0)] * (4 - len(arguments))
    answer = libc.prctl(option, *arguments)
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
    return answer


try:
    sys.argv, environment = main()
except BaseException as error:
    os.write(2, f"launcher: {type(error).__name__}: {error}\n".encode())
    os._exit(71)
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "environment": environment})
