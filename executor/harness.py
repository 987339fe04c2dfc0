"""Runs one Python program: receives it on fd 3, provides its tools, and ends with it. First loads only what is quick to load."""

import _signal as signal
import _thread
import builtins
import itertools
import os
import select
import sys
import time
from _functools import partial, reduce
from _json import make_scanner  # All of json needs re, which takes as long to load as the interpreter.

STREAM, VERSION, TERMINATED, LOST = 3, 5, 143, 70
FRAME_BYTES_MAX, READ_BYTES = 8 * 1024 * 1024, 1 << 18
TOOL_CHARS_MAX, PATH_CHARS_MAX, TEXT_CHARS_MIN, TEXTS_MAX = 256, 2_000, 2_048, 32
WATCH_SECONDS, MOMENT_SECONDS, CALM_SECONDS = 0.05, 0.1, 1
Names, HOOKS, ENCODERS = type(sys.implementation), ("object_hook", "object_pairs_hook", "parse_constant"), []
ALLOW_TOP_LEVEL_AWAIT, CO_COROUTINE = 0x2000, 0x80  # Constants of ast and inspect, which are slow to load.
INTEGER_MAX = 2**53 - 1  # JSON readers lose digits beyond it. Long numbers are found in a copy where all digits are 0.
DIGITS, MANY_DIGITS = bytes.maketrans(b"123456789[-", b"000000000  "), b" " + b"0" * 16


class ToolError(Exception):
    """A tool refused or failed: code, message, retryable."""

    def __init__(self, code, message, retryable=False):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.retryable = code, message, retryable


class Stream:
    """Frames on fd 3: a u32 big endian length, a line of JSON, and after a line break its large texts."""

    def __init__(self):
        os.set_inheritable(STREAM, False)
        os.set_blocking(STREAM, False)
        self.sending, self.reading = _thread.allocate_lock(), _thread.allocate_lock()
        self.ids, self.process = itertools.count(1), os.getpid()
        self.waiting, self.loop = {}, None  # Any thread can call; the waiting loop reads.
        self.decode = make_scanner(Names(strict=True, parse_float=float, parse_int=int, **dict.fromkeys(HOOKS)))
        self.buffer, self.chunk = bytearray(), memoryview(bytearray(READ_BYTES))

    def send(self, parts):
        if (size := sum(map(len, parts))) > FRAME_BYTES_MAX:
            raise ToolError("invalid_input", f"more than {FRAME_BYTES_MAX} bytes in one call")
        parts.insert(0, size.to_bytes(4, "big"))
        with self.sending:
            while parts:
                try:
                    parts = beyond(os.writev(STREAM, parts), parts)
                except BlockingIOError:  # The other side reads only after we have read its data.
                    if select.select([STREAM], [STREAM], [])[0]:
                        self.drain()

    def receive(self):
        while (message := next(self.messages(), None)) is None:
            select.select([STREAM], [], [])
            self.fill()
        return message

    def fill(self):
        if (count := os.readv(STREAM, [self.chunk])) == 0:
            os._exit(LOST)
        self.buffer += self.chunk[:count]
        return count

    def messages(self):
        while len(self.buffer) >= 4 and len(self.buffer) >= (end := 4 + int.from_bytes(self.buffer[:4], "big")):
            at = self.buffer.find(b"\n", 4, end) % (end + 1)  # The frame end, if there is no line break.
            message, _ = self.decode(str(self.buffer[4:at], "utf-8"), 0)
            at += 1
            for (*place, name), size in message.get("texts", ()):
                reduce(lambda at, key: at[key], place, message)[name] = str(memoryview(self.buffer)[at : at + size], "utf-8")
                at += size
            del self.buffer[:end]
            yield message

    def drain(self):
        """Handles received messages without waiting for more."""
        with self.reading:
            try:
                while self.fill() == READ_BYTES:
                    pass
            except BlockingIOError:
                pass
            for message in self.messages():
                self.take(message)

    async def ask(self, message):
        import asyncio  # Already loaded, because a loop is running.
        if os.getpid() != self.process:
            raise ToolError("call_refused", "a forked process has no tools")
        loop = asyncio.get_running_loop()
        if loop is not self.loop:  # Another one may have been the last.
            self.loop = loop
            loop.add_reader(STREAM, self.drain)
        answer, number = loop.create_future(), str(next(self.ids))
        self.waiting[number] = (loop, _thread.get_ident(), answer)
        try:
            self.send(encoded({**message, "id": number}))
            return await answer
        finally:
            self.waiting.pop(number, None)

    def watch(self):
        """Reads for a program that blocks its loop: there may be a stop request."""
        while True:
            time.sleep(WATCH_SECONDS)
            self.drain()

    def take(self, message):
        if message["type"] == "cancel":
            os.kill(os.getpid(), signal.SIGTERM)
        loop, thread, answer = self.waiting.get(message.get("id"), (None, None, None))
        try:
            if thread == _thread.get_ident():
                settle(answer, message["result"])
            elif loop is not None:
                loop.call_soon_threadsafe(settle, answer, message["result"])
        except RuntimeError:
            pass  # The program closed the loop of the call.


def encoded(message):
    """One line of JSON. Large texts directly in an input follow as raw bytes, if they and their names are plain."""
    if not ENCODERS:
        from json import JSONEncoder
        ENCODERS.append(JSONEncoder(allow_nan=False, ensure_ascii=False).encode)
    given, large, raw = message.get("input", {}), {}, []
    try:
        large = {n: t.encode() for n, t in given.items() if n.isascii() and type(t) is str and len(t) >= TEXT_CHARS_MIN}
    except (AttributeError, UnicodeEncodeError):
        pass
    if 0 < len(large) <= TEXTS_MAX:
        texts = [[["input", name], len(text)] for name, text in large.items()]
        message = {**message, "input": {**given, **dict.fromkeys(large, "")}, "texts": texts}
        raw = [b"\n", *large.values()]
    line = ENCODERS[0](message).encode("utf-8", "replace")
    if MANY_DIGITS in line.translate(DIGITS):
        from json import loads
        loads(line, parse_int=demand_whole)
    return [line, *raw]


def beyond(count, parts):
    """The remaining parts after `count` bytes."""
    while parts and count >= len(parts[0]):
        count -= len(parts.pop(0))
    return [memoryview(parts[0])[count:], *parts[1:]] if parts else []


def demand_whole(digits):
    if abs(int(digits)) > INTEGER_MAX:
        raise ToolError("invalid_input", f"{digits[:40]} is beyond ±{INTEGER_MAX}, where JSON loses digits: pass it as a string")


def settle(answer, result):
    if not answer.done():
        answer.set_result(result)


class Tool:
    """`tools.alias.name`: every attribute extends the tool id; calling it calls the tool."""

    def __init__(self, stream, path):
        self._stream, self._path = stream, path

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        tool = Tool(self._stream, [*self._path, name])
        setattr(self, name, tool)  # Found directly the next time.
        return tool

    def __repr__(self):
        return f"<tool {'.'.join(self._path)}>"

    async def __call__(self, params=None, /, **named):
        return value(await call(self._stream, ".".join(self._path), {**(params or {}), **named}, ""))


def value(result):
    if result["ok"]:
        return result["ret"]
    error = result["error"]
    raise ToolError(error["code"], error["message"], error.get("retryable", False))


async def call(stream, tool, params, reason):
    if not 0 < len(tool) <= TOOL_CHARS_MAX:
        raise ToolError("invalid_input", f"a tool's id has 1 to {TOOL_CHARS_MAX} characters")
    if not isinstance(params, dict):
        raise ToolError("invalid_input", f"{tool} takes one object")
    message = {"type": "tool_call", "tool": tool, "input": params, "reason": str(reason)[:2000]}
    return {"ret": None, "error": None, **await stream.ask(message)}


async def tool_call(stream, fn=None, params=None, call_reason="", tool_id=None):
    tool = tool_id or (".".join(fn._path) if isinstance(fn, Tool) else str(fn))
    from json import loads
    params = loads(params) if isinstance(params, str) else params
    return await call(stream, tool, params or {}, call_reason)


async def fetch(stream, what, path):
    if len(str(path)) > PATH_CHARS_MAX:
        raise ToolError("invalid_input", f"a path has at most {PATH_CHARS_MAX} characters")
    return await stream.ask({"type": what, "path": str(path)})


async def fetch_file(stream, path):
    """Returns where to open a file of the conversation, read-only; `path` can be the object that a tool returned."""
    return value(await fetch(stream, "fetch_file", path["path"] if isinstance(path, dict) else path))


def run(path, code, given):
    """Without a top-level await no loop runs around the program, so its own asyncio.run works."""
    module = sys.modules["__main__"] = type(sys)("__main__")  # Definitions of the program must pickle by name.
    space = vars(module)
    space.update({"__file__": path, "__builtins__": builtins, **given})
    try:
        compiled = compile(code, path, "exec", flags=ALLOW_TOP_LEVEL_AWAIT)
        if compiled.co_flags & CO_COROUTINE:
            import asyncio  # Slow to load, and not all programs need it.
            asyncio.run(eval(compiled, space))
        else:
            exec(compiled, space)
    except SystemExit:
        raise
    except BaseException as error:
        show(error, path)
        return 1
    return 0


def show(error, path):
    """Prints the traceback from the program's first frame on, without the frames of the harness."""
    import traceback  # Slow to load, rarely needed.
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != path:
        frame = frame.tb_next
    traces = [traceback.TracebackException(type(error), error, frame)]
    for one in traces:  # Causes and members of groups are appended to the list.
        one.stack[:] = [line for line in one.stack if line.filename != __file__]
        traces += filter(None, [one.__cause__ or one.__context__, *(one.exceptions or ())])
    sys.stderr.write("".join(traces[0].format()))


def copy(given, out):
    import shutil  # Slow to load, rarely needed.
    for name in os.listdir(given):  # The directory itself may have another owner.
        shutil.copytree(f"{given}/{name}", f"{out}/{name}", copy_function=shutil.copyfile, dirs_exist_ok=True)


def end_when_asked():
    """Lets the program clean up on SIGTERM. Forked processes end at once, because Python may not be ready in them."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    block, unblock = (partial(signal.pthread_sigmask, how, {signal.SIGTERM}) for how in (signal.SIG_BLOCK, signal.SIG_UNBLOCK))
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    os.register_at_fork(before=block, after_in_parent=unblock, after_in_child=unblock)


def load(names, seconds):
    """Preloads libraries until a program arrives. Their output does not belong to the program."""
    for name in names:
        if select.select([STREAM], [], [], seconds)[0]:
            return
        import contextlib, io
        with contextlib.suppress(Exception), contextlib.redirect_stderr(io.StringIO()):
            __import__(name)


def main():
    end_when_asked()
    sys.stdout.reconfigure(line_buffering=True)  # People see each line as soon as it is printed.
    stream = Stream()
    stream.send([b'{"type":"hello","version":%d}' % VERSION])
    load(["json", "asyncio"], MOMENT_SECONDS)  # Tool calls need them.
    load(sys.argv[1:], CALM_SECONDS)
    start = stream.receive()
    os.environ.update(start["env"])
    if start["given"] is not None:
        copy(start["given"], os.environ["OUTPUT_DIR"])
    work = os.environ["WORKDIR"]
    path = f"{work}/program.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(start["code"])
    os.chdir(work)
    sys.path.insert(0, work)
    sys.argv = [path]
    _thread.start_new_thread(stream.watch, ())  # Ends with the process.
    given = {name: os.environ[name] for name in ("WORKDIR", "OUTPUT_DIR", "EXECUTION_ID", "AGENT_IO_CONTEXT")}
    given |= {"tools": Tool(stream, []), "ToolError": ToolError}
    given["agent_io_tools"] = Names(tool_call=partial(tool_call, stream))
    given["ctx_tools"] = Names(fetch_ctx=partial(fetch, stream, "fetch_context"), fetch_file=partial(fetch_file, stream))
    sys.exit(run(path, start["code"], given))


main()
