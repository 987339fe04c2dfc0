"""Becomes the harness, poorer: limits, no new privileges, no capabilities, a system call filter.

Runs as PID 1 of the sandbox with one argument, a word and its value to a line; JSON and the like would take longer to
load than all of this:
  exec    of the harness, each of its argv
  env     each NAME=VALUE of its whole environment
  filter  base64 of struct sock_filter[]
  limit   each RLIMIT_NAME=NUMBER
  out     the program's own directory
  socket  path of a Unix socket to take as fd 3, unless that is connected already
  stdout  and stderr: named pipes to take as fds 1 and 2, if need be
Anything that does not hold ends it with status 71 before a byte of the program is read.
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
CONNECT_SECONDS = 50  # Less than its host waits for it.


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def main():
    told = {}
    for word, _, value in (line.partition(" ") for line in sys.argv[1].split("\n")):
        told.setdefault(word, []).append(value)
    for path in told.get("socket", ()):
        take_stream(path)
    for number, name in ((1, "stdout"), (2, "stderr")):
        for path in told.get(name, ()):
            take_output(number, path)
    close_others()
    os.set_inheritable(STREAM, True)
    for name, value in (text.split("=") for text in told["limit"]):
        limit = lowest(int(value), resource.getrlimit(getattr(resource, name))[1])
        resource.setrlimit(getattr(resource, name), (limit, limit))
    os.umask(0o022)
    for folder in ("outputs", "files"):
        os.makedirs(f"{told['out'][0]}/{folder}", exist_ok=True)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    demand_poverty()
    install(binascii.a2b_base64(told["filter"][0]))
    demand_status("Seccomp", "2")
    os.execve(told["exec"][0], told["exec"], dict(text.split("=", 1) for text in told["env"]))


def close_others():
    """All that are open, whatever they are numbered: a limit that was lowered says nothing of those that were there before."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > STREAM:
                os.close(int(name))
        except OSError:
            pass  # That of the folder, which was closed with its list.


def lowest(wanted, hard):
    """Who started this may have set a lower limit, which nobody here can raise."""
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def take_stream(path):
    import socket  # Not needed where the stream is there.

    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    until = time.monotonic() + CONNECT_SECONDS
    while stream.connect_ex(path) != 0:  # The supervisor starts at the same time.
        if time.monotonic() > until:
            raise SystemError("nobody listens")
        time.sleep(0.005)
    if stream.fileno() != STREAM:
        os.dup2(stream.fileno(), STREAM)
    stream.detach()


def take_output(number, path):
    pipe = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    os.dup2(pipe, number)
    os.close(pipe)


def demand_poverty():
    if prctl(PR_GET_NO_NEW_PRIVS) != 1:
        raise SystemError("new privileges are possible")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd"):  # Ambient ones are among the permitted.
        demand_status(name, "0" * 16)
    if os.getuid() == 0 or outside(os.getuid()) == 0:
        raise SystemError("this process is root, here or outside")


def outside(uid):
    """The uid one namespace further out: a nobody here may be root there."""
    with open("/proc/self/uid_map") as file:
        for first, parent, count in (map(int, line.split()) for line in file):
            if first <= uid < first + count:
                return parent + uid - first
    raise SystemError("the uid is not mapped")


def demand_status(name, value):
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
    main()
except BaseException as error:
    os.write(2, f"launcher: {type(error).__name__}: {error}\n".encode())
    os._exit(71)
