"""PID 1 of a container that also contains a supervisor: runs its arguments as a child, ends it, and outlives it.

Guard and program have the same user, so the guard can end every process of the program. No process inside can signal,
trace or read the guard: it is PID 1, it handles no signals, and its memory and descriptors are closed to its own user.

  in   16 bytes, the mark of its report; then each byte orders it to end the program; the end of input ends the guard
  out  on both outputs, when no process of the program is left: the mark, the program's exit status, and 1 if the kernel
       ended a process because memory ran out, else 0
"""

import _thread
import ctypes
import os
import signal
import sys

PR_SET_DUMPABLE = 4
MARK_BYTES = 16
# Files of this container's cgroup, for cgroup v2 and v1.
MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # PID 1 only receives signals that it handles.
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise SystemError("cannot make this process unreadable")
    program = os.fork()
    if program == 0:
        become(sys.argv[1:])
    mark = exactly(MARK_BYTES)  # After the fork, so that the child has no copy.
    _thread.start_new_thread(obey, ())
    word = mark + bytes((outlive(program), out_of_memory()))
    for output in (1, 2):
        os.set_blocking(output, True)  # The program may have changed it.
        os.write(output, word)
    while True:  # The program's files exist as long as this process runs.
        signal.pause()


def become(argv):
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.execv(argv[0], argv)


def exactly(count):
    data = b""
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            raise SystemError("received no mark")
        data += more
    return data


def obey():
    while os.read(0, 1):
        end_all()
    os._exit(0)


def end_all():
    """Kills all processes of this user except this one at the same moment, including those that are being forked."""
    try:
        os.kill(-1, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # No process is left, or only the supervisor.


def outlive(program):
    """Returns the program's exit status after it and its orphans, which become children of PID 1, have ended."""
    ended, status = os.waitpid(-1, 0)
    while ended != program:
        ended, status = os.waitpid(-1, 0)
    end_all()
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code


def out_of_memory():
    for path in filter(os.path.exists, MEMORY_EVENTS):
        with open(path) as file:
            counts = dict(line.split() for line in file)
        return counts.get("oom_kill", "0") != "0"
    return False


try:
    main()
except BaseException as error:
    os.write(2, f"guard: {type(error).__name__}: {error}\n".encode())
    os._exit(71)
