"""The jobs of this folder: what they are called, how each is built, launched and judged.

Native and Redflag's binaries come from the same source by the same compiler with the same flags. They are kept in
build/bench/pgas and built again when something they were made from is newer. Four ranks share what processors there
are, and so yield where they wait.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("cpu_workloads", HERE.parent / "cpu" / "workloads.py")
cpu = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cpu)
RACES_FOUND, Run, checksum, must, run = cpu.RACES_FOUND, cpu.Run, cpu.checksum, cpu.must, cpu.run

RANKS = 4
TIMED_OUT = 124  # of timeout(1)
FLAGS = ["-std=gnu11", "-O2", "-g1", "-Wall", "-Wextra"]
LAUNCH = ["--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1", "-n", RANKS]
HA5 = ["--sample=HA.5"]  # the paper's table 2
PREDICTED = "rma-predicted"

# The size for runs that look for the planted race (the measured size is the program's own).
JOBS = {"gups": 2_000, "uts": 2_000, "cg": 5_000, "mg": 32, "ft": 6, "is": 20_000, "ep": 8, "halo": 100,
        "shmem_gups": 2_000, "shmem_halo": 100, "shmem_is": 20_000}


def source(name):
    return HERE / f"{name}.c"


def is_shmem(name):
    return name.startswith("shmem_")


class Builder:
    """Makes binaries: builder.native("cg"), builder.tracking("cg"), builder.sampling("cg")."""

    def __init__(self, build):
        self.build = Path(build)
        self.command = self.build / "bin" / "redflag"
        self.library = self.build / "lib"
        self.folder = self.build / "bench" / "pgas"
        self.folder.mkdir(parents=True, exist_ok=True)

    def native(self, name):
        # What the wrappers of Open MPI call; 'redflag mpicc' sets them itself.
        chosen = ["env", "OMPI_CC=clang-19", "OSHMEM_CC=clang-19"]
        return self._make(name, "native", [*chosen, self._wrapper(name)], [])

    def tracking(self, name):
        made_from = [self.command, self.library / "libredflag.a", self.library / "libredflag-pass.so"]
        return self._make(name, "redflag", [self.command, self._wrapper(name)], made_from)

    def sampling(self, name):
        made_from = [self.command, self.library / "libredflag.a", self.library / "libredflag-pass-sampling.so"]
        return self._make(name, "sampling", [self.command, self._wrapper(name), "--sampling"], made_from)

    @staticmethod
    def _wrapper(name):
        return "oshcc" if is_shmem(name) else "mpicc"

    def _make(self, name, kind, command, made_from):
        program = self.folder / f"{name}.{kind}"
        inputs = [source(name), HERE / "workload.h", *made_from]
        for path in inputs:
            if not path.exists():
                sys.exit(f"needed: {path}\nfound: no such file\nto make it: ninja -C {self.build} redflag redflag_static redflag_pass")
        if program.exists() and program.stat().st_mtime > max(p.stat().st_mtime for p in inputs):
            return program
        line = [*command, *FLAGS, source(name), "-o", program, "-lm"]
        must(run(line), line)
        return program


def launcher(name):
    """What a job is started by."""
    # Open MPI's OpenSHMEM may crash in its finalisation where memory hooks are patched in.
    return [*(["oshrun", "--mca", "memory", "^patcher"] if is_shmem(name) else ["mpirun"]), *LAUNCH]


def within(seconds, planted):
    return ["timeout", "--kill-after=10", seconds, "env", f"PLANT={int(planted)}"]


def launch(name, command, seconds, planted=False):
    """Runs one job; a Run, of status TIMED_OUT if it was ended after so many seconds. CPU time is that of all ranks."""
    return run([*within(seconds, planted), *launcher(name), *command])


def marked(name):
    """The lines of the statements that end in the comment "race"."""
    lines, found = source(name).read_text().splitlines(), set()
    for i, line in enumerate(lines):
        if not line.endswith("// race"):
            continue
        found.add(i + 1)
        while i > 0 and lines[i - 1].split("//")[0].rstrip()[-1:] not in ("", ";", "{", "}"):
            found.add(i)
            i -= 1
    return found


def places(report, name):
    """Of each race of a report, the lines of the workload on either side that are nearest to the access."""
    def line(side):
        return next((f["line"] for f in side["stack"] if Path(f["file"]).name == source(name).name), None)

    return [(line(finding["first"]), line(finding["second"])) for finding in report["findings"] if finding["rule"] != PREDICTED]


def lines_of_code(name):
    """Without comments and empty lines."""
    return sum(1 for line in source(name).read_text().splitlines() if line.strip() and not line.lstrip().startswith("//"))
