"""`forbid_call.py NUMBER PROGRAM ...`: runs a program with one system call forbidden (EPERM).

The filter is classic BPF for x86-64: it loads the call's number, and returns an error when it is NUMBER.
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ERROR, ALLOW = 0x00050000 | errno.EPERM, 0x7FFF0000


class Filter(ctypes.Structure):
    """struct sock_fprog of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def main(number: int, command: list[str]) -> None:
    """Install the filter, then become the program."""
    steps = ((LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR), (RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no new privileges")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Filter(len(steps), code)), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp filter")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
