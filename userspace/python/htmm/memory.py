# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""Moves pages."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

MOVE = 2  # MPOL_MF_MOVE: pages that only this process maps
BATCH = 64
UNTOLD = 1 << 30


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    """Where its elements are."""
    return array.ctypes.data_as(ctypes.c_void_p)


def move_pages(pid: int, addrs: npt.ArrayLike, node: int) -> npt.NDArray[Any]:
    """
    Moves the pages at these addresses of a process to a NUMA node. Returns for each page the node
    that it is on now, or a negative errno: -ENOENT, it is not in memory; -EBUSY, it cannot be moved
    now; others, see move_pages(2). Raises OSError if the call fails as a whole. Needs the rights
    of ptrace(2).
    """
    pages = np.ascontiguousarray(addrs, np.uint64)
    status = np.full(len(pages), UNTOLD, np.int32)
    numa = ctypes.CDLL("libnuma.so.1", use_errno=True) if len(pages) else None

    def call(index: npt.NDArray[Any], to: Optional[npt.NDArray[Any]]) -> None:
        some, told = np.ascontiguousarray(pages[index]), np.full(len(index), UNTOLD, np.int32)
        assert numa
        if numa.numa_move_pages(
                ctypes.c_int(pid), ctypes.c_ulong(len(index)), pointer(some),
                pointer(to) if to is not None else None, pointer(told), ctypes.c_int(MOVE)) < 0:
            errno = ctypes.get_errno()
            raise OSError(errno, f"cannot move pages of process {pid}: {os.strerror(errno)}")
        status[index] = told

    # The kernel stops at a page that cannot be moved, and tells nothing of its neighbours.
    left = np.arange(len(pages))
    for first in range(0, len(pages), BATCH):
        part = left[first:first + BATCH]
        call(part, np.full(len(part), node, np.int32))
    for page in np.flatnonzero(status == UNTOLD):
        call(left[page:page + 1], np.full(1, node, np.int32))
    untold = np.flatnonzero(status == UNTOLD)
    if len(untold):
        call(untold, None)
    return status
