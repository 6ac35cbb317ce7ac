"""Let one system call of a process and its descendants fail, or kill the process at that call.

The tracer uses ptrace, and a seccomp filter that stops only at the calls of interest. So it sees the calls of
every library and of every program that the process starts, also those that a library makes without the C
library's public functions, which a preloaded library would miss. It works on Linux on x86-64.
"""

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CALLS: dict[str, dict[int, tuple[str, ...]]] = {
    "open": {2: ("path0",), 257: ("path1",), 85: ("path0",)},
    "read": {
        0: ("file0", "size"),
        17: ("file0", "size"),
        19: ("file0", "parts"),
        40: ("file1",),
        326: ("file0",),
    },
    "write": {1: ("file0", "size"), 18: ("file0", "size"), 20: ("file0", "parts"), 77: ("file0",)},
    "rename": {82: ("path0",), 264: ("path1",), 316: ("path1",), 86: ("path1 of 2",), 265: ("path1",)},
    "unlink": {87: ("path0",), 263: ("path1",), 84: ("path0",)},
    "fsync": {74: ("file0",), 75: ("file0",)},
    "mkdir": {83: ("path0",), 258: ("path1",)},
    "mmap": {9: ()},
    "clone": {56: (), 435: (), 57: (), 58: ()},
    "flock": {73: ("file0",), 72: ("file0", "lock")},
}
"""System calls of x86-64 by kind, and the argument that says whether a call is counted.

Calls on paths and files below the watched folder are, and all that ask for memory or make a process."""

ERRORS: dict[str, tuple[str, ...]] = {
    "open": ("EIO", "EACCES", "ENOSPC", "ENOMEM", "EINTR"),
    "read": ("EIO", "EINTR", "short"),
    "write": ("EIO", "ENOSPC", "EDQUOT", "EINTR", "short"),
    "rename": ("EIO", "ENOSPC", "EACCES"),
    "unlink": ("EIO", "EACCES"),
    "fsync": ("EIO", "ENOSPC"),
    "mkdir": ("EIO", "ENOSPC", "EDQUOT", "EACCES"),
    "mmap": ("ENOMEM",),
    "clone": ("EAGAIN", "ENOMEM"),
    "flock": ("EIO", "EINTR", "ENOLCK"),
}
"""Faults of each kind of call; `short` transfers half of the bytes."""

CHANGES = ("open", "write", "rename", "unlink", "fsync", "mkdir")
"""Kinds of calls that change a file system; of `open` those that ask to write."""

CRASHES = (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)

LOCK_COMMANDS = (5, 6, 7, 36, 37, 38)
_FCNTL, _SECOND_ARGUMENT = 72, 24
"""Number of fcntl, and the place of a call's second argument in what a filter sees."""

_TRACEME, _CONT, _GETREGS, _SETREGS, _SETOPTIONS = 0, 7, 12, 13, 0x4200
_FOLLOW = 0x2 | 0x4 | 0x8 | 0x10  # fork, vfork, clone, exec
_SECCOMP_STOPS, _EXITKILL = 0x80, 0x100000
_SECCOMP_EVENT = 7
_WALL = 0x40000000
_STACK_BYTES = 1 << 14
LOOK_S = 20.0
"""Time between two looks at the threads: no command sleeps so long without waking up."""
_REGISTERS = """r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss
fs_base gs_base ds es fs gs"""
_ARGUMENTS = ("rdi", "rsi", "rdx", "r10")
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

libc = ctypes.CDLL(None, use_errno=True)


class _Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in _REGISTERS.split()]


@dataclass(frozen=True)
class Fault:
    """The `number`-th call (from 1) of a kind ends in `how`: an error's name, ``short`` or ``kill``.

    The kind ``any`` stands for all kinds, ``none`` for no fault and no count; number 0 only counts. Of
    the kind ``change`` all calls that change a file system fail from that one on: it has become read-only.
    """

    call: str
    how: str
    number: int

    def __str__(self) -> str:
        return f"{self.call} {self.number} {self.how}"

    def meets(self, kind: str) -> bool:
        """Whether it is a fault of calls of this kind."""
        return self.call in (kind, "any") or (self.lasts and kind in CHANGES)

    @property
    def lasts(self) -> bool:
        """Whether later calls fail too."""
        return self.call == "change"


@dataclass
class End:
    """End of a traced process."""

    status: int | None = None
    """Exit status, negative for a signal; None: it was ended after the time limit."""
    calls: int = 0
    """Counted calls of the process and its descendants, up to the one that failed."""
    fired: str = ""
    """The call that failed."""
    left: list[int] = field(default_factory=list)
    """Descendants that still ran at the time limit."""
    crashed_in: set[str] = field(default_factory=set)
    """Names of the files whose code was at work when a fatal signal came."""


def can_trace() -> bool:
    """Whether this machine lets a process trace its children."""
    if platform.machine() != "x86_64" or sys.platform != "linux":
        return False
    try:
        return trace(lambda: os._exit(7), Path("/"), Fault("mmap", "ENOMEM", 0), 10.0).status == 7
    except OSError:
        return False


def trace(run: Callable[[], object], folder: Path, fault: Fault, timeout_s: float) -> End:
    """Run a function, which must not return, in a fork of this process, under a fault.

    Returns
    -------
    End
        After the process and all its descendants have ended.
    """
    numbers = [number for kind, calls in CALLS.items() if fault.meets(kind) for number in calls]
    child = os.fork()
    if child == 0:
        try:
            _ptrace(_TRACEME)
            os.kill(os.getpid(), signal.SIGSTOP)
            _install_filter(numbers)
            run()
        finally:
            os._exit(99)
    return _Tracer(child, folder, fault).follow(timeout_s)


class _Tracer:
    def __init__(self, child: int, folder: Path, fault: Fault) -> None:
        self._child, self._fault, self._end = child, fault, End()
        self._folder = os.fsencode(folder.resolve())
        self._threads = {child}

    def follow(self, timeout_s: float) -> End:
        os.waitpid(self._child, _WALL)
        _ptrace(_SETOPTIONS, self._child, 0, _FOLLOW | _SECCOMP_STOPS | _EXITKILL)
        _ptrace(_CONT, self._child)
        self._ends_s, self._seen = time.monotonic() + timeout_s, dict[int, str]()
        earlier = signal.signal(signal.SIGALRM, self._look)
        look_s = min(LOOK_S, timeout_s)
        signal.setitimer(signal.ITIMER_REAL, look_s, look_s)
        try:
            self._loop()
        except TimeoutError:
            self._give_up()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, earlier)
        return self._end

    def _look(self, *_: object) -> None:
        """Give up when the time is up, and when all threads have slept since the last look."""
        seen = {thread: _sleep_of(thread) for thread in self._threads}
        if time.monotonic() >= self._ends_s or (seen == self._seen and all(seen.values())):
            raise TimeoutError
        self._seen = seen

    def _loop(self) -> None:
        while self._threads:
            thread, status = os.waitpid(-1, _WALL)
            self._threads.add(thread)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                self._threads.discard(thread)
                if thread == self._child:
                    self._end.status = os.waitstatus_to_exitcode(status)
                continue
            self._go_on(thread, status)

    def _go_on(self, thread: int, status: int) -> None:
        event, number = status >> 16, os.WSTOPSIG(status)
        with suppress(ProcessLookupError):  # killed meanwhile
            if event == _SECCOMP_EVENT:
                self._judge(thread)
            elif not event and number in CRASHES:
                self._end.crashed_in |= _code_at_work(thread)
            # The first stop of a new process or thread; no program here stops itself.
            _ptrace(_CONT, thread, 0, 0 if event or number in (signal.SIGSTOP, signal.SIGTRAP) else number)

    def _judge(self, thread: int) -> None:
        if self._end.fired and not self._fault.lasts:
            return
        registers = _Registers()
        _ptrace(_GETREGS, thread, 0, ctypes.addressof(registers))
        kind, terms = next(
            (kind, calls[registers.orig_rax])
            for kind, calls in CALLS.items()
            if registers.orig_rax in calls and self._fault.meets(kind)
        )
        place = self._counted(thread, registers, terms)
        if place is None:
            return
        if self._fault.how == "short" and not self._can_shorten(registers, terms):
            return
        if self._fault.lasts and kind == "open" and not _asks_to_write(registers):
            return
        self._end.calls += 1
        if not self._end.fired and self._end.calls != self._fault.number:
            return
        self._end.fired = self._end.fired or f"{kind} {place}".strip()
        if self._fault.how == "kill":
            os.kill(_process_of(thread), signal.SIGKILL)
        elif self._fault.how == "short":
            registers.rdx //= 2
            _ptrace(_SETREGS, thread, 0, ctypes.addressof(registers))
        else:  # no call has number -1: the system skips it and keeps the result
            registers.orig_rax = 2**64 - 1
            registers.rax = 2**64 - getattr(errno, self._fault.how)
            _ptrace(_SETREGS, thread, 0, ctypes.addressof(registers))

    def _counted(self, thread: int, registers: _Registers, terms: tuple[str, ...]) -> str | None:
        """Return the path that a counted call is about, empty without one; None for other calls."""
        if "lock" in terms and registers.rsi not in LOCK_COMMANDS:
            return None
        for term in terms:
            if term.startswith(("path", "file")):
                argument = getattr(registers, _ARGUMENTS[int(term[4])])
                path = (
                    _path_at(thread, argument, registers, term)
                    if term[0] == "p"
                    else _path_of(thread, argument)
                )
                inside = path == self._folder or path.startswith(self._folder + b"/")
                return os.fsdecode(path[len(self._folder) + 1 :]) or "." if inside else None
        return ""

    @staticmethod
    def _can_shorten(registers: _Registers, terms: tuple[str, ...]) -> bool:
        return registers.rdx > 1 and ("size" in terms or "parts" in terms)

    def _give_up(self) -> None:
        self._ends_s = 0.0
        self._end.left = sorted({_process_of(thread) for thread in self._threads} - {0})
        for process in self._end.left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        signal.setitimer(signal.ITIMER_REAL, 10.0)
        with suppress(ChildProcessError, TimeoutError):
            while True:
                thread, status = os.waitpid(-1, _WALL)
                if os.WIFSTOPPED(status):
                    with suppress(OSError):
                        _ptrace(_CONT, thread, 0, signal.SIGKILL)


def _sleep_of(thread: int) -> str:
    """Return how often a sleeping thread was at work; empty for one that is not asleep."""
    try:
        said = Path(f"/proc/{thread}/status").read_text()
    except OSError:
        return ""
    return said[said.index("voluntary_ctxt") :] if "State:\tS" in said else ""


def _ptrace(request: int, pid: int = 0, address: int = 0, data: int = 0) -> None:
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, pid, address, data) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _install_filter(numbers: list[int]) -> None:
    """Stop this process, and all that it starts, at the calls of these numbers."""
    load, jump_if_equal, answer = 0x20, 0x15, 0x06
    allow, stop = 0x7FFF0000, 0x7FF00000
    lines = [struct.pack("HBBI", load, 0, 0, 0)]
    for place, number in enumerate(numbers):
        lines.append(struct.pack("HBBI", jump_if_equal, len(numbers) - place, 0, number))
    lines += [struct.pack("HBBI", answer, 0, 0, allow)]
    # Of fcntl, which has many uses, only locks stop.
    lines += [struct.pack("HBBI", jump_if_equal, 0, len(LOCK_COMMANDS) + 2, _FCNTL)]
    lines += [struct.pack("HBBI", load, 0, 0, _SECOND_ARGUMENT)]
    for place, command in enumerate(LOCK_COMMANDS):
        lines.append(struct.pack("HBBI", jump_if_equal, len(LOCK_COMMANDS) - place, 0, command))
    lines += [struct.pack("HBBI", answer, 0, 0, allow), struct.pack("HBBI", answer, 0, 0, stop)]
    code = ctypes.create_string_buffer(b"".join(lines))
    program = struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SET_SECCOMP, _FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def _code_at_work(thread: int) -> set[str]:
    """Return the names of the files that hold the code to which a thread's stack points."""
    registers = _Registers()
    _ptrace(_GETREGS, thread, 0, ctypes.addressof(registers))
    code = []
    for line in Path(f"/proc/{thread}/maps").read_text().splitlines():
        places, rights, _, _, _, *name = line.split(None, 5)
        if "x" in rights and name:
            start, end = (int(place, 16) for place in places.split("-"))
            code.append((range(start, end), Path(name[0]).name))
    with suppress(OSError), Path(f"/proc/{thread}/mem").open("rb", 0) as memory:
        memory.seek(registers.rsp)
        stack = memory.read(_STACK_BYTES)
        words = [registers.rip, *(word for (word,) in struct.iter_unpack("Q", stack[: len(stack) & ~7]))]
        return {name for word in words for place, name in code if word in place}
    return set()


def _path_at(thread: int, address: int, registers: _Registers, term: str) -> bytes:
    with Path(f"/proc/{thread}/mem").open("rb", 0) as memory:
        memory.seek(address)
        name = memory.read(4096).split(b"\0", 1)[0]
    if name.startswith(b"/"):
        return os.path.normpath(name)
    at_folder = term == "path1" and registers.rdi < 2**31
    folder = (
        _path_of(thread, registers.rdi) if at_folder else os.fsencode(Path(f"/proc/{thread}/cwd").readlink())
    )
    return os.path.normpath(folder + b"/" + name)


def _path_of(thread: int, descriptor: int) -> bytes:
    try:
        return os.fsencode(Path(f"/proc/{thread}/fd/{ctypes.c_int(descriptor).value}").readlink())
    except OSError:
        return b""


def _asks_to_write(registers: _Registers) -> bool:
    """Whether a call that opens a file does not only ask to read: open(2), openat(2), creat(2)."""
    flags = {2: registers.rsi, 257: registers.rdx}.get(registers.orig_rax, os.O_CREAT)
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _process_of(thread: int) -> int:
    try:
        for line in Path(f"/proc/{thread}/status").read_text().splitlines():
            if line.startswith("Tgid:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
