"""The recorded run: what the live detector reports while it is recorded, against what the oracle
finds in the recording.

The recorded program sends its races to us, as tests/pass/differential.py does: all of them, before
anything is folded. The recording goes to `redflag run --record`. The oracle then says which bytes
have a race in exactly this run. The two sets of bytes must be equal. When a place had so many races
that the runtime sent no more of it, the live ones must be among the oracle's.
"""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import run

ROOT = Path(__file__).resolve().parent.parent.parent
ORACLE_SECONDS = 300
sys.path.insert(0, str(ROOT / "tests" / "pass"))
from differential import Reporter


@dataclasses.dataclass
class Replayed:
    events: int
    live: set  # bytes
    oracle: set
    is_silenced: bool
    result: str  # the load's

    @property
    def only_live(self):
        return self.live - self.oracle

    @property
    def only_oracle(self):
        return set() if self.is_silenced else self.oracle - self.live

    @property
    def agrees(self):
        return not self.only_live and not self.only_oracle

    def difference(self):
        parts = []
        for name, some in (("live only", self.only_live), ("oracle only", self.only_oracle)):
            if some:
                parts.append(f"{name}: {len(some)} bytes: {' '.join(as_ranges(some)[:8])}")
        return "; ".join(parts) or "none"


def as_ranges(some):
    ranges, begin, end = [], None, None
    for byte in sorted(some):
        if byte == end:
            end += 1
            continue
        if begin is not None:
            ranges.append(f"{begin:x}+{end - begin}")
        begin, end = byte, byte + 1
    return ranges + ([f"{begin:x}+{end - begin}"] if begin is not None else [])


def bytes_of(races):
    return {byte for address, size in races for byte in range(address, address + size)}


def oracle_bytes(build, trace):
    """(bytes, events)"""
    try:
        ran = subprocess.run([build / "bench" / "racy_bytes", trace], capture_output=True, text=True, timeout=ORACLE_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise run.WentWrong(f"the oracle did not end in {ORACLE_SECONDS} s on a recording of {os.path.getsize(trace)} bytes; it is "
                            "quadratic in the accesses of a byte: the small load is too large (programs.py)") from late
    if ran.returncode != 0:
        raise run.WentWrong(f"racy_bytes {trace.name}\n{ran.stderr}")
    lines = [line.split() for line in ran.stdout.splitlines()]
    events = next(int(words[1]) for words in lines if words[0] == "events")
    return bytes_of((int(words[0], 16), int(words[1])) for words in lines if words[0] != "events"), events


def replayed(build, load, program, work):
    """Runs the small load of a program, recorded, and replays it."""
    trace = work.report / "run.rft"
    reporter = Reporter()
    prefix = [build / "bin" / "redflag", "run", "--quiet", "--force", f"--record={trace}", "--",
              "env", f"REDFLAG_SOCKET=@{reporter.name}"]
    env = {k: v for k, v in run.environment(work.report).items() if k != "REDFLAG_OPTIONS"}
    try:
        ran = run.run_load(load, prefix, program, load.sizes.small, work, env)
    finally:
        reporter.close()
    traces = [path for path in work.report.glob("run*.rft")]
    if not traces:
        raise run.WentWrong(f"{ran.command}\nleft no recording:\n{ran.err[-1500:].decode(errors='replace')}")
    largest = max(traces, key=os.path.getsize)
    oracle, events = oracle_bytes(build, largest)
    return Replayed(events, bytes_of(reporter.races), oracle, reporter.silenced, ran.result)
