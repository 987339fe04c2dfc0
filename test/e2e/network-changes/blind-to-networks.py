#!/usr/bin/python3 -I
"""
Becomes the program of TIMELOOM_TEST_BROWSER, which cannot open sockets of AF_NETLINK: it does not learn that an interface of
this machine came or went. Chromium would then fail all requests that wait for a connection, also those to 127.0.0.1, and
tests of containers add interfaces all the time.
"""

import ctypes
import os
import platform
import struct
import sys

AF_NETLINK = 16
EAFNOSUPPORT = 97
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
RETURN_ERRNO = 0x00050000
ALLOW = 0x7FFF0000

# The architecture of <linux/audit.h>, and the number of the system call `socket`.
ARCHITECTURES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}

# Operations of <linux/bpf_common.h>. Jumps count from the next step.
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
# Where struct seccomp_data has the call, the architecture and the first argument.
CALL, ARCHITECTURE, ARGUMENT = 0, 4, 16


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def refuse_netlink():
    architecture, socket = ARCHITECTURES[platform.machine()]
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_IF_EQUAL, 0, 5, architecture),
        (LOAD, 0, 0, CALL),
        (JUMP_IF_EQUAL, 0, 3, socket),
        (LOAD, 0, 0, ARGUMENT),
        (JUMP_IF_EQUAL, 0, 1, AF_NETLINK),
        (RETURN, 0, 0, RETURN_ERRNO | EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    rules = Filter(len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(rules), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_SECCOMP")


refuse_netlink()
browser = os.environ["TIMELOOM_TEST_BROWSER"]
os.execv(browser, [browser, *sys.argv[1:]])
