"""The workloads of this folder: what they are called, how each is built in several ways, and how one run is measured.

Native, TSan's and Redflag's binaries come from the same sources by the same compiler with the same flags; only the
sanitizer's differ. They are kept in build/bench/cpu and built again when something they were made from is newer.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILERS = {".c": ("clang-19", "cc", "-std=gnu11"), ".cpp": ("clang++-19", "c++", "-std=c++20")}
FLAGS = ["-O2", "-g1", "-pthread", "-Wall", "-Wextra"]
RACES_FOUND = 66  # the exit status of both tools

# Source, and the size for runs that look for the planted race (the measured size is the program's own).
WORKLOADS = {
    "pricing": ("pricing.cpp", 100_000),
    "kmedian": ("kmedian.cpp", 5_000),
    "fluid": ("fluid.cpp", 8),
    "annealing": ("annealing.cpp", 20_000),
    "pipeline": ("pipeline.cpp", 2),
    "cg": ("cg.c", 10_000),
    "multigrid": ("multigrid.cpp", 5),
    "ocean": ("ocean.c", 258),
    "fft": ("fft.cpp", 7),
    "radix": ("radix.c", 200_000),
    "samplesort": ("samplesort.cpp", 200_000),
    "table": ("table.cpp", 30_000),
    "motion": ("motion.c", 8),
}

Run = collections.namedtuple("Run", "cpu wall peak status out err")


def run(command):
    """Runs a command; its CPU seconds, wall seconds, peak resident bytes, status and what it printed."""
    # To files: whoever the program started may keep a pipe open after it.
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        environment = {k: v for k, v in os.environ.items() if k not in ("TSAN_OPTIONS", "REDFLAG_OPTIONS")}
        start = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, process.returncode, out.read(), err.read())


def must(ran, command):
    if ran.status != 0:
        shown = " ".join(map(str, command))
        sys.exit(f"{shown}\nended with status {ran.status}, expected 0; it said:\n{(ran.out + ran.err)[-3000:]}")
    return ran


class Builder:
    """Makes binaries: builder.native("cg"), builder.tsan("cg", racy=True), builder.redflag("threads")."""

    def __init__(self, build):
        self.build = Path(build)
        self.command = self.build / "bin" / "redflag"
        self.runtime = self.build / "lib" / "libredflag.a"
        self.plugin = self.build / "lib" / "libredflag-pass.so"
        self.folder = self.build / "bench" / "cpu"
        self.folder.mkdir(parents=True, exist_ok=True)

    def native(self, name, racy=False):
        return self._make(name, racy, "native", lambda compiler, _: [compiler], [])

    def tsan(self, name, racy=False):
        return self._make(name, racy, "tsan", lambda compiler, _: [compiler, "-fsanitize=thread"], [])

    def redflag(self, name, racy=False):
        def command(compiler, subcommand):
            return [self.command, subcommand, f"--compiler={compiler}"]

        return self._make(name, racy, "redflag", command, [self.command, self.runtime, self.plugin])

    def sampling(self, name, racy=False):
        def command(compiler, subcommand):
            return [self.command, subcommand, f"--compiler={compiler}", "--sampling"]

        plugin = self.plugin.with_name("libredflag-pass-sampling.so")
        return self._make(name, racy, "sampling", command, [self.command, self.runtime, plugin])

    def counting(self, name):
        """For simulations: every access recorded, instructions counted."""
        def command(compiler, subcommand):
            return [self.command, subcommand, f"--compiler={compiler}", "--count-instructions"]

        return self._make(name, False, "counting", command, [self.command, self.runtime, self.plugin])

    def _make(self, name, racy, kind, command, made_from):
        source = HERE / (WORKLOADS[name][0] if name in WORKLOADS else f"{name}.cpp")
        program = self.folder / (f"{name}-racy.{kind}" if racy else f"{name}.{kind}")
        inputs = [source, HERE / "workload.h", *made_from]
        for path in inputs:
            if not path.exists():
                sys.exit(f"needed: {path}\nfound: no such file\nto make it: ninja -C {self.build} redflag redflag_static")
        if program.exists() and program.stat().st_mtime > max(p.stat().st_mtime for p in inputs):
            return program
        compiler, subcommand, standard = COMPILERS[source.suffix]
        line = [*command(compiler, subcommand), standard, *FLAGS, *(["-DRACY"] if racy else []), source, "-o", program, "-lm"]
        must(run(line), line)
        return program


def checksum(ran):
    found = re.search(r"^checksum (\S+)$", ran.out, re.M)
    return found.group(1) if found else None


def planted(ran):
    """Where the racy twin said that its race is: (file name, line)."""
    found = re.search(r"^planted (\S+):(\d+)$", ran.out, re.M)
    return (found.group(1), int(found.group(2))) if found else None


def tsan_places(ran):
    """Of each race that TSan reported, the (file name, line) of every frame of its accesses."""
    reports = []
    for block in ran.err.split("WARNING: ThreadSanitizer: ")[1:]:
        accesses = re.split(r"^  (?:Location|Thread|Mutex)", block, flags=re.M)[0]
        reports.append({(name, int(line)) for name, line in re.findall(r"([^/\s:]+):(\d+)(?::\d+)? \(", accesses)})
    return reports


def redflag_places(report):
    """The same of a report in JSON."""
    return [
        {(Path(frame["file"]).name, frame["line"]) for side in ("first", "second") for frame in finding[side]["stack"]}
        for finding in report["findings"]
    ]


def found_exactly(places, place):
    """The planted race was found, and nothing else."""
    return bool(places) and all(place in report for report in places)
