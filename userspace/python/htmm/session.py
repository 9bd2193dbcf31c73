# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""The session of the module, and reports."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from types import TracebackType
from typing import Any, Iterator, Optional, Sequence

import numpy.typing as npt

from htmm import tables
from htmm.command import Answer, Error, Size, ask, call, failed, program, running, sampling


class Session:
    """
    The module's session. There is only one at a time, so all objects of this class are the same
    session. As a context manager it stops the session at the end; its results can be read until
    the next start. It does not stop a session that another user has begun meanwhile.
    """

    def __enter__(self) -> Session:
        self._number = self.status()["session"]
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 where: Optional[TracebackType]) -> None:
        now = self.status()
        if now["state"] == "running" and now["session"] == self._number:
            self.stop()

    def stop(self) -> None:
        """Stops sampling."""
        call("stop", "--quiet")

    def status(self) -> Answer:
        """`htmmctl status`: what is sampled, and any problems."""
        return ask("status")

    def stats(self) -> Answer:
        """`htmmctl stats`: samples counted, and those lost."""
        return ask("stats")

    def hist(self) -> Answer:
        """`htmmctl hist`: pages by samples, and the hit ratio."""
        return ask("hist")

    def targets(self) -> list[Answer]:
        """`htmmctl target list`: what is counted separately."""
        targets: list[Answer] = ask("target", "list")["targets"]
        return targets

    def placement(self) -> list[Answer]:
        """`htmmctl placement`: for each target, what is on which node."""
        placements: list[Answer] = ask("placement")["placements"]
        return placements

    def hot(self, number: int = 20, *, raw: bool = False, cold: bool = False,
            node: Optional[int] = None, target: Optional[int] = None) -> npt.NDArray[Any]:
        """
        The hottest pages, an array of `htmm.PAGES`. `number` 0: all; `raw`: by samples, not by
        estimated rates; `cold`: the coldest instead; `node`: only pages that are there now.
        """
        args = ["hot", "--number", str(number)]
        args += ["--raw"] if raw else []
        args += ["--cold"] if cold else []
        args += ["--node", str(node)] if node is not None else []
        args += ["--target", str(target)] if target is not None else []
        return tables.table(ask(*args)["pages"], tables.PAGES)

    def mappings(self, number: int = 20) -> npt.NDArray[Any]:
        """The mappings with the most samples, an array of `htmm.MAPPINGS`. `number` 0: all."""
        answer = ask("hot", "--mapping", "--number", str(number))
        return tables.table(answer["mappings"], tables.MAPPINGS)

    def curve(self) -> tables.Curve:
        """How much a fast tier would serve, by its size."""
        return tables.curve(ask("report", "--part", "curve"))

    def log(self, interval: float = 1, number: int = 0) -> Iterator[Answer]:
        """
        An object every `interval` seconds while the session runs, `number` of them (0: no limit):
        those of `htmmctl log`.
        """
        args = [program(), "log", "--interval", str(interval), "--number", str(number)]
        with running():
            log = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8")
        with log:
            assert log.stdout and log.stderr
            try:
                for line in log.stdout:
                    yield json.loads(line)
                said = log.stderr.read()
                if log.wait():
                    raise failed(log.returncode, said)
            finally:
                log.terminate()

    def pause(self) -> None:
        """Counts no samples until resume(); what was counted stays."""
        call("pause", "--quiet")

    def resume(self) -> None:
        """Counts samples again."""
        call("resume", "--quiet")

    @contextlib.contextmanager
    def region(self) -> Iterator[Session]:
        """Counts samples only inside of a `with`, of a session that is paused."""
        self.resume()
        try:
            yield self
        finally:
            self.pause()


def attach() -> Session:
    """The session that runs or has stopped, whoever started it."""
    return Session()


def start(**what: Any) -> Session:
    """
    Starts a session in the background, with the arguments of `sampling`:

    pids, cgroup    what is sampled; all processes without
    events          as in `htmmctl list`
    period          events between two samples
    cpus            such as "0-3,8"
    budget          % of the CPU time
    capacity        size of the fast tier: bytes, or a text such as "64M"
    tune            more settings, by name: see `htmmctl help tuning`
    """
    call("start", "--quiet", *sampling(**what))
    return Session()


def run(argv: Sequence[str], number: int = 20, **what: Any) -> Answer:
    """
    Samples a program while it runs. Returns the object of `htmmctl run --json`, whose `hot` is an
    array of `htmm.PAGES` with `number` pages (0: all). Other arguments as of start().
    """
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        args = [program(), "run", "--quiet", "--json", "--report", file.name,
                "--number", str(number), *sampling(**what), "--", *argv]
        with running():
            status = subprocess.run(args, check=False).returncode
        text = file.read()
    if not text:
        raise Error("htmmctl run said on stderr why it did not sample", status)
    answer: Answer = json.loads(text)
    answer["hot"] = tables.table(answer["hot"]["pages"], tables.PAGES)
    return answer


def mark(text: str) -> None:
    """
    Gives the present moment a name, in the recordings and logs of the session that runs: a text of
    at most 63 bytes without commas.
    """
    call("mark", "--quiet", "--", text)


@contextlib.contextmanager
def region(name: str) -> Iterator[None]:
    """
    Marks the beginning of a `with` as NAME, and its end as "end NAME": report(mark=NAME) is of it,
    or if there are marks inside of it, report(mark="NAME,end NAME").
    """
    mark(name)
    try:
        yield
    finally:
        mark(f"end {name}")


def report(path: str, part: Optional[str] = None, capacity: Optional[Size] = None,
           mark: Optional[str] = None) -> Answer:  # pylint: disable=redefined-outer-name
    """
    The object of `htmmctl report` on a recording. Its `pages`, if there are any, are an array of
    `htmm.PAGES`, and `curve` is a `htmm.Curve`. `mark`: only from marks of this name on, each to
    the next one, or if it is "A,B", from A to B.
    """
    args = ["report", "--input", path, "--number", "0"]
    args += ["--part", part] if part else []
    args += ["--mark", mark] if mark else []
    args += ["--capacity", str(capacity)] if capacity is not None else []
    answer = ask(*args)
    if "pages" in answer:
        answer["pages"] = tables.table(answer["pages"], tables.PAGES)
    if "curve" in answer:
        answer["curve"] = tables.curve(answer)
    return answer
