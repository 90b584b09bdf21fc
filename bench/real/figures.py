"""Redflag against ThreadSanitizer and native on real programs that nobody here wrote: bench/run
real.

For each program: it builds in every variant, what it computes is right, the findings of both tools
are on the list of true races or are shown, CPU time and peak memory, the checks that our pass
leaves, and whether the recorded run replayed by the oracle has the live run's racy bytes.
programs.py is the table of programs, measure.py says how times are taken. Sources come from the
network once (fetch.py); a program that cannot be fetched or built is named with the remedy, and no
limit is reached without it.
"""

import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from build import LOGS, VARIANTS, Build, CannotBuild, Redflag
from fetch import NoSources
from findings import read_accepted
from measure import Runner, busy_machine
from programs import PROGRAMS, RECIPES
from replay import replayed
from run import WentWrong, Work, tsan_prefix

PARTS = list(PROGRAMS)
TARGETS = ["product", "racy_bytes"]
PACKAGES = "check"  # clang-19 with its ThreadSanitizer

TURNS = 5
HUNTS = 20  # runs of each program in which no finding may be false
SHOWN = 12  # lines about the unknown findings of one program
BUSY = ("leveldb", 20)  # the same while two other processes keep the machine busy


class Bench:
    def __init__(self, tools):
        self.tools = tools
        self.redflag = Redflag(tools.build)
        self.prefix = tsan_prefix()
        if self.prefix:
            tools.note("TSan does not start here with address randomisation: run by setarch -R (Redflag without)")
        self.accepted = read_accepted()
        self.missing = {}  # program: why it could not be measured
        self.rows = []

    def programs(self, name):
        """The program in every variant."""
        recipe = PROGRAMS[name].recipe
        built = {}
        for variant in VARIANTS.values():
            self.tools.progress(f"{name}: building {variant.name}")
            built[variant.name] = Build(recipe, RECIPES[recipe], variant, self.redflag).ready()
        return built

    def measure(self, name):
        quick = self.tools.quick
        load = PROGRAMS[name].load
        size = load.sizes.quick if quick else load.sizes.full
        built = self.programs(name)
        runner = Runner(name, PROGRAMS[name], built, self.prefix, self.accepted)
        measured = runner.measured
        runner.turns(size, 1 if quick else TURNS)
        runner.hunt(load.sizes.quick, 1 if quick else HUNTS)
        if name == BUSY[0]:
            with busy_machine():
                before = measured.runs
                runner.hunt(load.sizes.quick, 1 if quick else BUSY[1])
                measured.busy_runs = measured.runs - before
        runner.count(load.sizes.quick, self.redflag.counters())
        try:
            with Work() as work:
                measured.replayed = replayed(self.tools.build, load, built["redflag"], work)
        except WentWrong as fault:
            measured.wrong.append(f"recorded run: {fault}")
        return measured

    def run(self):
        for name in PROGRAMS:
            if self.tools.only and name not in self.tools.only:
                continue
            try:
                row = self.measure(name)
            except (NoSources, CannotBuild, WentWrong) as fault:
                self.missing[name] = str(fault)
                self.tools.progress(f"{name}: NOT MEASURED\n{fault}")
                continue
            self.rows.append(row)
            self.tools.progress(table([row]).splitlines()[-1])
            for line in (*row.wrong[:5], *unknown_places(row)):
                self.tools.progress(line)


def ratio_of_checks(row):
    own, stock = (sum(row.checks[variant].values()) for variant in ("counted", "counted-stock"))
    return own / stock


def unknown_places(row):
    """The findings that are not on the list: a line each, and the reports themselves in a file."""
    lines, reports = [], []
    for tool, places in row.unknown.items():
        for place, runs in sorted(places.items()):
            lines.append(f"{row.name}, {tool}, in {runs} runs: {place}")
            reports.append(f"{lines[-1]}\n{row.texts[(tool, place)]}\n")
    if lines:
        file = LOGS / f"{row.name}-findings.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(reports))
        lines.insert(0, f"{row.name}: {len(lines)} findings that are not on the list of true races; the reports are in {file}")
    if len(lines) > SHOWN:
        lines[SHOWN:] = ["..."]
    return lines


def findings_of(row, tool):
    """3+1: so many places on the list, and so many others."""
    return f"{len(row.found.get(tool, {}))}+{len(row.unknown.get(tool, {}))}"


def table(rows):
    head = ("program", "native s", "TSan x", "redflag x", "redflag/TSan", "stock/TSan", "native MiB", "TSan x", "redflag x",
            "checks", "found by TSan", "by redflag", "by stock", "replay")
    lines = [head]
    for r in rows:
        replay = "FAILED" if r.replayed is None else f"{len(r.replayed.live)} bytes" if r.replayed.agrees else "DIFFERS"
        lines.append((r.name, f"{r.cpu['native']:.2f}", f"{r.time('tsan', 'native'):.1f}", f"{r.time('redflag', 'native'):.1f}",
                      f"{r.time('redflag', 'tsan'):.2f}", f"{r.time('stock', 'tsan'):.2f}", f"{r.peak['native'] / 2**20:.0f}",
                      f"{r.memory('tsan', 'native'):.2f}", f"{r.memory('redflag', 'native'):.2f}", f"{ratio_of_checks(r):.2f}",
                      findings_of(r, "tsan"), findings_of(r, "redflag"), findings_of(r, "stock"), replay))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, tuple("-" * w for w in widths))
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]).rstrip() for line in lines)


def figures(tools):
    Figure = tools.Figure
    bench = Bench(tools)
    bench.run()
    rows, missing = bench.rows, bench.missing
    for name, why in missing.items():
        tools.note(f"{name}: NOT MEASURED\n{why}")
    result = [Figure("programs not built or run", len(missing), "programs", "<= 0", f"of {len(rows) + len(missing)}")]
    if not rows:
        return result
    tools.note(table(rows) + "\n\nfindings: places on the list of true races (bench/real/accepted.txt) + others")
    for row in rows:
        for fault in row.wrong[:3]:
            tools.note(f"{row.name}: {fault}")
        if places := unknown_places(row):
            tools.note("\n".join(places))
        if row.replayed is not None and not row.replayed.agrees:
            tools.note(f"{row.name}: the replayed run differs: {row.replayed.difference()}")

    def mean(value):
        return statistics.geometric_mean([value(row) for row in rows])

    slowest = max(rows, key=lambda r: r.time("redflag", "tsan"))
    largest = max(rows, key=lambda r: r.memory("redflag", "tsan"))
    runs = sum(row.runs for row in rows)
    return result + [
        Figure("results that are wrong", sum(len(row.wrong) for row in rows), "runs", "<= 0", "as natively"),
        Figure("CPU time, own pass, geometric mean", mean(lambda r: r.time("redflag", "tsan")), "x", "<= 0.60", "Redflag / TSan; the aim is 0.50"),
        Figure(f"CPU time, own pass, worst ({slowest.name})", slowest.time("redflag", "tsan"), "x", "<= 0.90", "Redflag / TSan"),
        Figure("CPU time, stock instrumentation, geometric mean", mean(lambda r: r.time("stock", "tsan")), "x", "<= 1.0", "Redflag / TSan"),
        Figure("slow-down by TSan", mean(lambda r: r.time("tsan", "native")), "x", "", "TSan / native"),
        Figure("slow-down by Redflag", mean(lambda r: r.time("redflag", "native")), "x", "", "Redflag / native"),
        Figure("checks executed, geometric mean", mean(ratio_of_checks), "x", "<= 0.50", "own pass / stock instrumentation"),
        Figure(f"peak memory, worst ({largest.name})", largest.memory("redflag", "tsan"), "x", "<= 1.0", "Redflag / TSan"),
        Figure("peak memory, geometric mean", mean(lambda r: r.memory("redflag", "native")), "x", "<= 2.2", "Redflag / native"),
        Figure("peak memory of TSan", mean(lambda r: r.memory("tsan", "native")), "x", "", "TSan / native"),
        Figure("findings not on the list of true races", sum(r.unknown_of_redflag() for r in rows), "findings", "<= 0",
               f"Redflag, {runs} runs, {sum(r.busy_runs for r in rows)} of them with two busy processes beside"),
        Figure("recorded runs in which the oracle finds other bytes", sum(r.replayed is None or not r.replayed.agrees for r in rows),
               "programs", "<= 0", f"{sum(r.replayed.events for r in rows if r.replayed is not None):,} events"),
    ]
