"""PID 1 of an executor whose folders have no size limit of their own: writes beyond a limit fail with ENOSPC.

Starts the launcher as its child, with its own argument, in which each `disk` has a folder and its bytes. A filter notifies
PID 1 of each call of the program that writes to a file. PID 1 lets the call go on, or answers with ENOSPC if the folder of
the file is full, as a file system of that size would. This serves the program and does not confine it: what is written
through a mapping or to the descriptors 0 to 3 is not seen here, and the keeper of the task ends a program that exceeds a limit.
"""

import _thread
import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys
import time

# Calls that write: number on x86_64 and on aarch64, the arguments with the descriptor and with the bytes; None: in memory.
CALLS = (
    (1, 64, 0, 2),  # write
    (18, 68, 0, 2),  # pwrite64
    (20, 66, 0, None),  # writev
    (40, 71, 0, 3),  # sendfile
    (275, 76, 2, 4),  # splice
    (285, 47, 0, 3),  # fallocate
    (296, 70, 0, None),  # pwritev
    (326, 285, 2, 4),  # copy_file_range
    (328, 287, 0, None),  # pwritev2
)
ON_ARM = os.uname().machine == "aarch64"
WRITES = {call[ON_ARM]: call[2:] for call in CALLS}
SYS_SECCOMP = 277 if ON_ARM else 317
LAST_OWN_DESCRIPTOR = 3  # Input, both outputs and the stream.
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER, NEW_LISTENER = 4, 38, 1, 8
RECEIVE, SEND, CONTINUE = 0xC0502100, 0xC0182101, 1
NOTIFICATION, ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
UNKNOWN_BYTES, BLOCK_BYTES = 1 << 20, 4096
MEASURED_FOR_SECONDS = 0.25


class Folder:
    def __init__(self, text):
        self.path, _, limit = text.partition(" ")
        self.limit = int(limit)
        self.left, self.measured_at = 0, -1.0

    def takes(self, count):
        """Whether this number of bytes still fits; None: an unknown number. Each write is counted in whole blocks."""
        blocks = -(-(UNKNOWN_BYTES if count is None else count) // BLOCK_BYTES) * BLOCK_BYTES
        if blocks > self.left and time.monotonic() - self.measured_at > MEASURED_FOR_SECONDS:
            self.left, self.measured_at = self.limit - used(self.path), time.monotonic()
        if self.left < (1 if count is None else count):
            return False
        self.left -= blocks
        return True


def used(path):
    """Bytes that this user's files take on the disk. A folder that its owner has locked is not measured."""
    own, folders = 0, [path]
    for folder in folders:  # Grows by the folders in it: a program may nest more of them than functions can be.
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            found = [(entry, entry.stat(follow_symlinks=False)) for entry in entries]
            own += sum(stat.st_blocks * 512 for _, stat in found if stat.st_uid == os.getuid())
            folders += [entry.path for entry, _ in found if entry.is_dir(follow_symlinks=False)]
    return own


def stay_outside(limits):
    """Returns in a child, which goes on as the program. `limits`: each a folder and its bytes."""
    ours, theirs = socket.socketpair()
    program = os.fork()
    if program == 0:
        ours.close()
        listeners = listen()
        socket.send_fds(theirs, [b"."], listeners)
        for number in (theirs.detach(), *listeners):
            os.close(number)
        return
    theirs.close()
    # The program has the same user, but must not read or change this process.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(program, signal.SIGTERM))
    _, received, _, _ = socket.recv_fds(ours, 1, 1)
    ours.close()
    if received:
        _thread.start_new_thread(answer, (received[0], [Folder(text) for text in limits]))
    os._exit(outlive(program))


def outlive(program):
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def listen():
    """Installs the filter in this process and all that it starts. Its notifications; none if the kernel refuses it."""
    instructions = notify()
    buffer = ctypes.create_string_buffer(instructions)
    filter = struct.pack("HxxxxxxQ", len(instructions) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener = libc.syscall(SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER, filter)
    return [listener] if listener >= 0 else []


def notify():
    """A filter that notifies of these calls, unless they write to an own descriptor."""
    step = struct.Struct("=HBBI").pack
    load, equal, greater, result = 0x20, 0x15, 0x25, 0x06
    steps = [step(load, 0, 0, 0)]
    for number, (at, _) in WRITES.items():
        steps += [step(equal, 0, 4, number), step(load, 0, 0, 16 + 8 * at), step(greater, 1, 0, LAST_OWN_DESCRIPTOR)]
        steps += [step(result, 0, 0, 0x7FFF0000), step(result, 0, 0, 0x7FC00000)]
    return b"".join([*steps, step(result, 0, 0, 0x7FFF0000)])


def answer(listener, folders):
    while True:
        note = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(listener, RECEIVE, note)
            call, thread, _, number, _, _, *arguments = NOTIFICATION.unpack(note)
            full = is_full(folders, thread, arguments, WRITES[number])
            fcntl.ioctl(listener, SEND, ANSWER.pack(call, 0, *((-errno.ENOSPC, 0) if full else (0, CONTINUE))))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINTR):  # The caller was killed, or has received a signal.
                os._exit(71)


def is_full(folders, thread, arguments, where):
    descriptor, size = where
    try:
        path = os.readlink(f"/proc/{thread}/fd/{arguments[descriptor] & 0xFFFFFFFF}")
    except OSError:
        return False
    count = None if size is None else arguments[size]
    return any(path.startswith(f"{folder.path}/") and not folder.takes(count) for folder in folders)


if __name__ == "__main__":
    try:
        stay_outside([line[5:] for line in sys.argv[1].split("\n") if line.startswith("disk ")])
    except BaseException as error:
        os.write(2, f"disk guard: {type(error).__name__}: {error}\n".encode())
        os._exit(71)
    sys.argv[0] = f"{os.path.dirname(sys.argv[0])}/launcher.py"
    exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__"})
