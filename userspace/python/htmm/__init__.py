# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""
Find the hot pages of memory with htmm.

    import htmm

    with htmm.start(pids=[1234], capacity="64M") as session:
        ...
        pages = session.hot(1000)       # a numpy array, the hottest page first

Everything is read with htmmctl, which must be on PATH. What it prints as JSON is a dict here, with
the keys that json.md describes; lists of many equal things are numpy arrays. docs/python.md has
examples.
"""

from htmm.command import Error
from htmm.memory import move_pages
from htmm.samples import Samples, samples
from htmm.session import Session, attach, mark, region, report, run, start
from htmm.tables import CURVE, MAPPINGS, PAGES, Curve

__all__ = ["CURVE", "MAPPINGS", "PAGES", "Curve", "Error", "Samples", "Session", "attach",
           "mark", "move_pages", "region", "report", "run", "samples", "start"]
