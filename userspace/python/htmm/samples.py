# SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1
"""
Samples as they come: what `htmmctl record --output -` writes, which is perf's format for pipes: a
header, then records, of which the first describe the events.
"""

from __future__ import annotations

import signal
import struct
import subprocess
import tempfile
from types import TracebackType
from typing import IO, Any, Iterator, Optional, Sequence

import numpy as np
import numpy.typing as npt

from htmm.command import Error, failed, program, running, sampling

MAGIC = b"PERFILE2"
RECORD = struct.Struct("<IHH")  # type, misc, size
# Types of records.
LOST, SAMPLE, LOST_SAMPLES, ATTR = 2, 9, 13, 64
# Bits of perf_event_attr.sample_type in the order of a sample's members: the others vary in size.
MEMBERS: dict[int, list[tuple[str, Any]]] = {
    1 << 16: [("identifier", np.uint64)],
    1 << 0: [("ip", np.uint64)],
    1 << 1: [("pid", np.int32), ("tid", np.int32)],
    1 << 2: [("time", np.uint64)],
    1 << 3: [("addr", np.uint64)],
    1 << 6: [("id", np.uint64)],
    1 << 9: [("stream_id", np.uint64)],
    1 << 7: [("cpu", np.uint32), ("reserved", np.uint32)],
    1 << 8: [("period", np.uint64)],
    1 << 14: [("weight", np.uint64)],
    1 << 24: [("latency", np.uint32), ("weight2", np.uint16), ("weight3", np.uint16)],
    1 << 15: [("data_src", np.uint64)],
}


def layout(attr: bytes) -> np.dtype[Any]:
    """What a sample of the event with this perf_event_attr looks like."""
    (sample_type,) = struct.unpack_from("<Q", attr, 24)
    if sample_type & ~sum(MEMBERS):
        raise Error(f"samples of type {sample_type:#x} are not understood", 1)
    return np.dtype([field for bit, fields in MEMBERS.items() if sample_type & bit
                     for field in fields])


class Samples:
    """
    An iterator over arrays of samples, in the order in which they came. Which members a sample has
    depends on the event, always among them: pid, tid, time (ns), addr, cpu. `lost` is the number
    of samples that were lost on the way so far, `status` at the end the exit status of the program
    that was sampled. As a context manager it ends the sampling.
    """

    def __init__(self, options: Sequence[str], argv: Sequence[str]) -> None:
        self.lost, self.status, self._closed = 0, 0, False
        self._argv = argv
        self._dtype: Optional[np.dtype[Any]] = None
        self._batches = self._read()
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8")
        with running():
            self._recorder = subprocess.Popen(
                [program(), "record", "--quiet", *options, "--output", "-",
                 *(["--", *argv] if argv else [])],
                stdout=subprocess.PIPE, stderr=None if argv else self._said)

    def __enter__(self) -> Samples:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 where: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Ends the sampling; samples that were not read yet are lost."""
        if self._recorder.poll() is None:
            self._recorder.send_signal(signal.SIGINT)
        if self._recorder.stdout:
            self._recorder.stdout.close()
        self.status = self._recorder.wait()
        self._closed = True
        self._said.close()

    def __iter__(self) -> Samples:
        return self

    def __next__(self) -> npt.NDArray[Any]:
        if self._closed:
            raise StopIteration
        return next(self._batches)

    def _read(self) -> Iterator[npt.NDArray[Any]]:
        assert self._recorder.stdout
        begun, rest = False, b""
        for data in chunks(self._recorder.stdout):
            rest += data
            if not begun and len(rest) >= 16:
                if rest[:8] != MAGIC:
                    raise Error("htmmctl record writes something else than a pipe of perf", 1)
                rest, begun = rest[struct.unpack_from("<Q", rest, 8)[0]:], True
            if begun:
                found, used = self._samples(rest)
                rest = rest[used:]
                if found is not None:
                    yield found
        self.status = self._recorder.wait()
        if not begun or (self.status and not self._argv):
            self._said.seek(0)
            raise failed(self.status, self._said.read())
        if rest:
            raise Error("htmmctl record ended within a record", self.status or 1)

    def _samples(self, data: bytes) -> tuple[Optional[npt.NDArray[Any]], int]:
        """The samples in these records, and the bytes that whole records have."""
        at, samples = 0, []
        while at + RECORD.size <= len(data):
            kind, _, size = RECORD.unpack_from(data, at)
            if size < RECORD.size:
                raise Error(f"htmmctl record wrote a record of {size} bytes", 1)
            if at + size > len(data):
                break
            body = data[at + RECORD.size:at + size]
            if kind == SAMPLE:
                samples.append(body)
            elif kind == ATTR:
                self._event(layout(body))
            elif kind == LOST:
                self.lost += struct.unpack_from("<Q", body, 8)[0]
            elif kind == LOST_SAMPLES:
                self.lost += struct.unpack_from("<Q", body)[0]
            at += size
        if not samples:
            return None, at
        if self._dtype is None:
            raise Error("htmmctl record wrote a sample before its event", 1)
        return np.frombuffer(bytearray().join(samples), self._dtype), at

    def _event(self, dtype: np.dtype[Any]) -> None:
        if self._dtype not in (None, dtype):
            raise Error("samples of different events have different members; name one event", 1)
        self._dtype = dtype


def chunks(pipe: IO[bytes]) -> Iterator[bytes]:
    """What comes through the pipe, as it comes."""
    while data := pipe.read1(1 << 20):  # type: ignore[attr-defined]
        yield data


def samples(argv: Sequence[str] = (), **what: Any) -> Samples:
    """
    Samples a program until it ends, or what the arguments of start() name until close().
    What the program prints goes to stderr.
    """
    return Samples(sampling(**what), argv)
