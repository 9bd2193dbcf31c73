# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""Calls htmmctl."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

Answer = dict[str, Any]
Size = Union[int, str]


class Error(Exception):
    """What htmmctl said: what was wrong, and what to do. `status` is its exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def program() -> str:
    """The htmmctl to call: $HTMMCTL, or the one on PATH."""
    return os.environ.get("HTMMCTL", "htmmctl")


def failed(status: int, said: str) -> Error:
    """The error of a call that printed this to stderr."""
    text = said.strip().removeprefix("htmmctl: ")
    return Error(text or f"htmmctl ended with status {status}", status)


@contextlib.contextmanager
def running() -> Iterator[None]:
    """Inside of it, htmmctl is started; that it cannot be is an Error, too."""
    try:
        yield
    except OSError as error:
        raise Error(f"cannot run {program()}: {error.strerror}; install it, or set HTMMCTL",
                    127) from error


def call(*args: str) -> str:
    """What `htmmctl ARGS` prints. Raises Error if it fails."""
    with running():
        done = subprocess.run([program(), *args], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise failed(done.returncode, done.stderr)
    return done.stdout


def ask(*args: str) -> Answer:
    """The object that `htmmctl ARGS --json` prints."""
    answer: Answer = json.loads(call(*args, "--json"))
    return answer


def sampling(pids: Iterable[int] = (), cgroup: Optional[str] = None, events: Sequence[str] = (),
             period: Optional[int] = None, cpus: Optional[str] = None,
             budget: Optional[float] = None, capacity: Optional[Size] = None,
             tune: Optional[Mapping[str, object]] = None) -> list[str]:
    """
    The options of htmmctl that say what is sampled, and how: of processes (all, if none and no
    cgroup is given), these events (see `htmmctl list`) every `period` of them, on these CPUs
    ("0-3,8"), for at most `budget` % of the CPU time. `capacity` is the size of the fast tier: bytes
    or a text such as "64M". `tune` has more settings, see `htmmctl help tuning`.
    """
    args = []
    values = {"--pid": ",".join(map(str, pids)), "--cgroup": cgroup, "--event": ",".join(events),
              "--count": period, "--cpu": cpus, "--budget": budget, "--capacity": capacity}
    for option, value in values.items():
        if value is not None and value != "":
            args += [option, str(value)]
    for name, setting in (tune or {}).items():
        if isinstance(setting, bool):
            setting = "yes" if setting else "no"
        args += ["--tune", f"{name}={setting}"]
    return args
