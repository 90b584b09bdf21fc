"""What is measured of one program: turns of all variants, further runs that look for false reports,
counted checks.

The variants take turns, so that what else the machine does falls on all of them; of each variant
the medians are kept. A run whose result differs from the native one's is an error of the tool it
ran under, and is listed with its faults.
"""

import contextlib
import dataclasses
import statistics
import subprocess
import sys

import counting
from findings import of_redflag, of_tsan, sorted_out
from run import RACES_FOUND, WentWrong, Work, environment, run_load, undone

TIMED = ("native", "tsan", "redflag", "stock")


@dataclasses.dataclass
class Measured:
    """Of one program."""

    name: str
    recipe: str
    cpu: dict = dataclasses.field(default_factory=dict)  # variant: median of seconds
    peak: dict = dataclasses.field(default_factory=dict)  # variant: median of bytes
    runs: int = 0  # of Redflag, own pass and stock
    found: dict = dataclasses.field(default_factory=dict)  # tool: {place: how many runs}, accepted ones
    unknown: dict = dataclasses.field(default_factory=dict)  # the same of those that are not on the list
    texts: dict = dataclasses.field(default_factory=dict)  # (tool, place): the report
    wrong: list = dataclasses.field(default_factory=list)  # results that are not native's, and runs that failed
    checks: dict = dataclasses.field(default_factory=dict)  # variant: checks executed
    replayed: object = None
    busy_runs: int = 0  # of all runs, with a busy machine

    def time(self, variant, over):
        return self.cpu[variant] / max(self.cpu[over], 1e-4)

    def memory(self, variant, over):
        return self.peak[variant] / self.peak[over]

    def add_findings(self, tool, found, accepted):
        good, unknown = sorted_out(self.recipe, found, accepted)
        for some, into in ((good, self.found), (unknown, self.unknown)):
            counted = into.setdefault(tool, {})
            for place in {f.place() for f in some}:
                counted[place] = counted.get(place, 0) + 1
        for each in found:
            self.texts.setdefault((tool, each.place()), each.text)

    def unknown_of_redflag(self):
        return sum(sum(self.unknown.get(tool, {}).values()) for tool in ("redflag", "stock"))


class Runner:
    """The runs of one program, in all of its variants."""

    def __init__(self, name, program, built, prefix, accepted):
        self.load, self.programs, self.accepted = program.load, built, accepted
        self.prefix = {"tsan": prefix}
        self.measured = Measured(name, program.recipe)
        self.expected = {}  # size: native's result

    def once(self, variant, size):
        """One run, its findings and its result looked at; None: it went wrong."""
        measured = self.measured
        with Work() as work:
            try:
                ran = run_load(self.load, self.prefix.get(variant, []), self.programs[variant], size, work)
                if variant == "tsan":
                    measured.add_findings("tsan", of_tsan(work.report), self.accepted)
                elif variant != "native":
                    measured.runs += 1
                    found = of_redflag(work.report)
                    measured.add_findings(variant, found, self.accepted)
                    if ran.status == RACES_FOUND and not found:
                        measured.wrong.append(f"{variant}: status {ran.status} without a report")
            except WentWrong as fault:
                if variant == "native":
                    raise
                measured.wrong.append(f"{variant}: {fault}")
                return None
            if variant == "native" and size not in self.expected:
                self.expected[size] = ran.result
                if self.load.undo and not undone(self.load, self.programs["native"], ran, size):
                    raise WentWrong(f"{ran.command}\nwhat it made is not undone to what it was made of")
            if ran.result != self.expected[size]:
                measured.wrong.append(f"{variant}: result {ran.result[:300]}\n  natively {self.expected[size][:300]}")
            return ran

    def turns(self, size, turns):
        runs = {variant: [] for variant in TIMED}
        for _ in range(turns):
            for variant in TIMED:
                ran = self.once(variant, size)
                if ran is not None:
                    runs[variant].append(ran)
        for variant, some in runs.items():
            if not some:
                raise WentWrong(f"no run of {variant} ended well; the last: {self.measured.wrong[-1]}")
            self.measured.cpu[variant] = statistics.median(r.cpu for r in some)
            self.measured.peak[variant] = statistics.median(r.peak for r in some)

    def hunt(self, size, runs, variants=("redflag", "stock")):
        """More runs only for their findings, until there are so many in each variant."""
        self.once("native", size)
        for _ in range(runs):
            for variant in variants:
                self.once(variant, size)

    def count(self, size, counters):
        """Checks executed by our pass's code and by the compiler's."""
        for variant in ("counted", "counted-stock"):
            with Work() as work:
                table = work.report / "counts"
                table.write_bytes(bytes(counting.BYTES))
                env = {**environment(work.report), "REDFLAG_COUNTS": str(table)}
                run_load(self.load, [], self.programs[variant], size, work, env)
                self.measured.checks[variant] = counters.read(table)


@contextlib.contextmanager
def busy_machine(processes=2):
    """Two others that compute all the time."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()
