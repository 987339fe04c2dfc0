"""Goes on as the harness in the interpreter of the launcher, which has dropped everything by now.

Its arguments are those of the harness: an interpreter with its options, the path of the harness, and what it takes. That
interpreter is started where a library has started a thread together with this one: the filter does not apply to it.
"""

import os
import site
import sys

OPTIONS = 3  # The interpreter and its options.


def main(environment):
    assert_alone()
    if threads() > 1 or foreign(environment):
        os.execve(sys.argv[1], sys.argv[1:], environment)
    os.environ.clear()  # Libraries may have changed it.
    os.environ.update(environment)
    sys.argv = sys.argv[1 + OPTIONS :]
    if sys.flags.no_site:
        show_libraries()
    return code_of(sys.argv[0])  # noqa: F821


def assert_alone():
    """A process that a library has started has no filter, and would not end with a new interpreter."""
    if [name for name in os.listdir("/proc") if name.isdigit()] != ["1"]:
        os.write(2, b"launcher: other processes are running already\n")
        os._exit(71)


def threads():
    return len(os.listdir("/proc/self/task"))


def foreign(environment):
    """Variables that a program would find in /proc/1/environ and that are not its own."""
    with open("/proc/self/environ", encoding="utf-8") as file:
        names = {text.partition("=")[0] for text in file.read().split("\0") if text}
    return names - environment.keys() - {"PWD"}  # bwrap sets it: the program's own directory.


def show_libraries():
    """What an interpreter does when it starts, except for the libraries' own start-up files, which take longer than it."""
    site.setquit()
    site.setcopyright()
    site.sethelper()
    sys.path += filter(os.path.isdir, site.getsitepackages())
    sys.meta_path.append(StartUpFiles)


class StartUpFiles:
    """Runs the libraries' start-up files (.pth, sitecustomize) when nothing else finds a module: they may add it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None:
            return None
        try:
            sys.meta_path.remove(StartUpFiles)
        except ValueError:
            return None  # Another thread was faster.
        site.main()
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
        return next((spec for spec in found if spec is not None), None)


exec(main(environment), {"__name__": "__main__", "__file__": sys.argv[0]})  # noqa: F821
