"""`orphan_tracee.py COUNT PROGRAM ...`: kills a program while its child is about to ask to be traced.

A seccomp filter hands the system call ptrace to this process, which kills the program at request COUNT, lets
the child go on, and prints what has become of it: `gone` or `stopped`.
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER = 317, 1, 8
PR_SET_NO_NEW_PRIVS, PTRACE, TRACE_ME = 38, 101, 0
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ASK, ALLOW = 0x7FC00000, 0x7FFF0000
RECEIVE, ANSWER, GO_ON = 0xC0502100, 0xC0182101, 1
STATE = 2
"""Number of the process's state in /proc/PID/stat."""


class Filter(ctypes.Structure):
    """struct sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def listener() -> int:
    """Install the filter for this process and its children; return the descriptor of the requests."""
    steps = ((LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, PTRACE), (RETURN, 0, 0, ASK), (RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    found = libc.syscall(SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(Filter(len(steps), code)))
    assert found >= 0, os.strerror(ctypes.get_errno())
    return int(found)


def fate_of(pid: int) -> str:
    """Wait until a process is gone or stopped."""
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split()[STATE]
        except OSError:
            return "gone"
        if state in "ZX":
            return "gone"
        if state in "Tt":
            os.kill(pid, signal.SIGKILL)
            return "stopped"
        time.sleep(0.01)


def main(count: int, command: list[str]) -> None:
    """Run the program until its child asks, kill it, and print the child's fate."""
    requests = listener()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as program:
        while True:
            request = bytearray(80)
            fcntl.ioctl(requests, RECEIVE, request)
            identity, pid = struct.unpack_from("=QI", request)
            is_asked = struct.unpack_from("=Q", request, 32)[0] == TRACE_ME
            count -= is_asked
            if is_asked and count == 0:
                program.kill()
                program.wait()
            with contextlib.suppress(FileNotFoundError):
                fcntl.ioctl(requests, ANSWER, bytearray(struct.pack("=QqiI", identity, 0, 0, GO_ON)))
            if count == 0:
                print(fate_of(pid))
                return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
