"""Ends a process together with its parent, so that even `kill -9` of the supervisor leaves no orphan."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
SUPERVISED = "NEOTOMA_SUPERVISED"  # set for the processes of `manage.py up`, absent under another supervisor


def tie_to_parent() -> None:
    """Ask the kernel for SIGKILL when the parent ends; does nothing where the kernel cannot (not Linux)."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die_with_parent() -> None:
    """Tie a supervised process to its parent, and end at once if the parent is already gone."""
    if SUPERVISED not in os.environ:
        return
    tie_to_parent()
    if os.getppid() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
