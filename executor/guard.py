"""PID 1 of a container in which a supervisor lives too: runs its arguments as a child, ends it, outlives it.

It and the program are one user, so it may end whatever the program has become. No process inside can signal, trace or
read it: it is PID 1, it handles no signal, and its memory and descriptors are closed to its own user.

  in   16 bytes, the mark of its own words; then each byte is the order to end the program; its end is the end of all
  out  on both outputs, once no process of the program is left: the mark, the program's exit status, and 1 if the kernel
       ended a process for want of memory, else 0
"""

import _thread
import ctypes
import os
import signal
import sys

PR_SET_DUMPABLE = 4
MARK_BYTES = 16
# Of this container's cgroup, by the newer and the older version of the kernel's interface.
MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # PID 1 gets the signals that it handles, and no other.
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise SystemError("this process can be read")
    program = os.fork()
    if program == 0:
        become(sys.argv[1:])
    mark = exactly(MARK_BYTES)  # Later than the fork: the child has no copy.
    _thread.start_new_thread(obey, ())
    word = mark + bytes((outlive(program), out_of_memory()))
    for output in (1, 2):
        os.set_blocking(output, True)  # The program may have left it otherwise.
        os.write(output, word)
    while True:  # What the program wrote is there for as long as this process is.
        signal.pause()


def become(argv):
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.execv(argv[0], argv)


def exactly(count):
    said = b""
    while len(said) < count:
        more = os.read(0, count - len(said))
        if not more:
            raise SystemError("nobody gave it a mark")
        said += more
    return said


def obey():
    while os.read(0, 1):
        end_all()
    os._exit(0)


def end_all():
    """Everything of this user but this process, at one moment: what is being forked then ends with it."""
    try:
        os.kill(-1, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # Nobody is left, or only the supervisor.


def outlive(program):
    """Its exit status, when it and whatever it left have ended: orphans become children of PID 1."""
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
