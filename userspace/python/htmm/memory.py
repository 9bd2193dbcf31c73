# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""Moves pages."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import numpy.typing as npt

MOVE = 2  # MPOL_MF_MOVE: pages that only this process maps


def move_pages(pid: int, addrs: npt.ArrayLike, node: int) -> npt.NDArray[Any]:
    """
    Moves the pages at these addresses of a process to a NUMA node. Returns for each page the node
    that it is on now, or a negative errno: -ENOENT, it is not in memory; -EBUSY, it cannot be moved
    now; others, see move_pages(2). Raises OSError if the call fails as a whole. Needs the rights
    of ptrace(2).
    """
    pages = np.ascontiguousarray(addrs, np.uint64)
    count = len(pages)
    nodes = np.full(count, node, np.int32)
    status = np.full(count, -1, np.int32)
    if not count:
        return status
    numa = ctypes.CDLL("libnuma.so.1", use_errno=True)
    left = numa.numa_move_pages(
        ctypes.c_int(pid), ctypes.c_ulong(count), pages.ctypes.data_as(ctypes.c_void_p),
        nodes.ctypes.data_as(ctypes.c_void_p), status.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int(MOVE))
    if left < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, f"cannot move pages of process {pid}: {os.strerror(errno)}")
    return status
