# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""Lists of htmmctl as numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from htmm.command import Answer

# What a key has if htmmctl does not know it, or its list does not tell it.
UNKNOWN = {"node": -1, "mapping_bytes": 0, "rate_ppm": -1, "low_ppm": -1, "high_ppm": -1}

#: A page of 4 KiB: where it is, its samples, and its estimated rate with 90 % bounds (millionths
#: of a sample; -1: not told). `node` is -1 and `mapping_bytes` 0 if the page is not in memory.
PAGES = np.dtype([
    ("pid", np.int32), ("addr", np.uint64), ("samples", np.uint64), ("bin", np.uint8),
    ("hot", np.bool_), ("exited", np.bool_), ("node", np.int32), ("mapping_bytes", np.uint64),
    ("rate_ppm", np.int64), ("low_ppm", np.int64), ("high_ppm", np.int64), ("target", np.uint32),
    ("space", np.uint64), ("offset", np.uint64), ("comm", object), ("mapping", object)])

#: The pages of a mapping. `node`, where most of its samples are, is -1 if that is not known.
MAPPINGS = np.dtype([
    ("pid", np.int32), ("samples", np.uint64), ("pages", np.uint64), ("hot_pages", np.uint64),
    ("node", np.int32), ("node_samples", np.uint64), ("comm", object), ("mapping", object)])

#: A point of the capacity curve: a fast tier of so many pages serves that share of the accesses.
CURVE = np.dtype([("pages", np.uint64), ("hit_ratio", np.float64), ("low", np.float64),
                  ("high", np.float64)])


def column(rows: list[Answer], name: str) -> list[Any]:
    """The values of this key, numbers if they are in hexadecimal."""
    if name in ("addr", "offset"):
        return [int(row.get(name, "0"), 16) for row in rows]
    values = [row.get(name) for row in rows]
    unknown = UNKNOWN.get(name, 0)
    return [unknown if value is None else value for value in values]


def table(rows: list[Answer], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array of these objects."""
    array = np.zeros(len(rows), dtype)
    for name in dtype.names or ():
        array[name] = column(rows, name)
    return array


@dataclass
class Curve:
    """
    How much of the accesses a fast tier serves with the best placement, by its size. `points` is an
    array of CURVE with 95 % bounds. `pages` is an estimate of all pages that are accessed. `few`:
    there are too few samples, so only the bounds are useful.
    """

    points: npt.NDArray[Any]
    pages: int
    samples: int
    few: bool
    needs: list[Answer]

    def need(self, hit_ratio: float) -> Optional[int]:
        """
        The pages that a fast tier needs to serve this share of the accesses: the first point of
        the curve that does; None if none does.
        """
        enough = self.points["pages"][self.points["hit_ratio"] >= hit_ratio]
        return int(enough[0]) if len(enough) else None


def curve(answer: Answer) -> Curve:
    """The curve of an answer of `report --part curve`."""
    found = answer["curve"]
    points = np.array([(point["pages"], point["hit_ratio_ppm"] / 1e6, point["low_ppm"] / 1e6,
                        point["high_ppm"] / 1e6) for point in found["points"]], CURVE)
    return Curve(points, found["pages"], found["samples"], found["few"], found["needs"])
