"""Redflag against ThreadSanitizer and native on programs like those of PARSEC and NPB: what the CPU frontend promises.

Time is user and system time of the whole process, the best of several turns in which native, TSan and Redflag take
theirs one after the other; memory is the peak resident size, the median of the same turns. Ratios from one run.
"""

import json
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from workloads import RACES_FOUND, WORKLOADS, Builder, checksum, found_exactly, must, planted, redflag_places, run, tsan_places

PARTS = list(WORKLOADS)
TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms"]
PACKAGES = "check"  # clang-19 with its ThreadSanitizer

TURNS = 3
THREADS = (2, 8)
HUNTS = 20  # runs in which the planted race must be found
TSAN_HUNTS = 6  # for comparison
MEMORY = 2.2  # of native
MEMORY_EXTRA = 0.40  # of TSan's extra


class Row:
    """One workload with one number of threads."""

    def __init__(self, name, threads, runs):
        self.name, self.threads = name, threads
        self.cpu = {kind: min(r.cpu for r in rs) for kind, rs in runs.items()}
        self.peak = {kind: statistics.median(r.peak for r in rs) for kind, rs in runs.items()}

    def time(self, kind, over):
        return self.cpu[kind] / self.cpu[over]

    def memory(self, kind):
        return self.peak[kind] / self.peak["native"]


def mean(ratios):
    return statistics.geometric_mean(ratios)


def tsan_prefix(builder, tools):
    """TSan's fixed shadow regions clash with much address randomisation on some systems: then it runs without."""
    program = builder.tsan("threads")
    if run([program, 2, 1]).status == 0:
        return []
    prefix = ["setarch", "-R"]
    must(run([*prefix, program, 2, 1]), [*prefix, program, 2, 1])
    tools.note("TSan does not start here with address randomisation: run by setarch -R (Redflag without)")
    return prefix


def measure(name, threads, commands, turns):
    """(row, runs of Redflag's race-free binary that reported something)"""
    runs = {kind: [] for kind in commands}
    false_alarms = 0
    for _ in range(turns):
        for kind, command in commands.items():
            line = [*command, threads]
            ran = run(line)
            if kind == "redflag" and ran.status == RACES_FOUND:
                false_alarms += 1
                print(f"bench/run cpu: {name} with {threads} threads is race-free, but:\n{ran.err[:3000]}", file=sys.stderr)
            else:
                must(ran, line)
            runs[kind].append(ran)
    results = {kind: checksum(rs[0]) for kind, rs in runs.items()}
    if len(set(results.values())) != 1:
        sys.exit(f"{name} with {threads} threads computes something else under a tool: {results}")
    return Row(name, threads, runs), false_alarms


def hunt(name, commands, hunts, report):
    """In how many runs of the racy twin each tool found the planted race and nothing else."""
    size = WORKLOADS[name][1]
    found = {"tsan": 0, "redflag": 0}
    for i in range(hunts):
        arguments = [THREADS[i % len(THREADS)], size]
        if i < TSAN_HUNTS:
            ran = run([*commands["tsan"], *arguments])
            found["tsan"] += ran.status == RACES_FOUND and found_exactly(tsan_places(ran), planted(ran))
        report.unlink(missing_ok=True)
        ran = run([commands["command"], "run", "--quiet", f"--json={report}", "--", *commands["redflag"], *arguments])
        places = redflag_places(json.loads(report.read_text())) if report.exists() else []
        good = ran.status == RACES_FOUND and found_exactly(places, planted(ran))
        if not good:
            print(f"bench/run cpu: {name} racy, {arguments[0]} threads: status {ran.status}, planted {planted(ran)}, "
                  f"reported {places}\n{ran.err[-1500:]}", file=sys.stderr)
        found["redflag"] += good
    return found


def growth(command):
    """Resident bytes after the last of 100 rounds of 1,000 threads, over those after the fifth."""
    line = [*command, 1000, 100]
    ran = must(run(line), line)
    early, late = map(int, ran.out.split()[1:3])
    return late / early


def table(rows, hunts):
    head = ("workload", "threads", "native s", "TSan x", "redflag x", "redflag/TSan", "native MiB", "TSan x", "redflag x",
            "found by TSan", "by redflag")
    lines = [head]
    for r in rows:
        tsan, redflag = hunts.get(r.name, ("", ""))
        lines.append((r.name, str(r.threads), f"{r.cpu['native']:.2f}", f"{r.time('tsan', 'native'):.1f}",
                      f"{r.time('redflag', 'native'):.1f}", f"{r.time('redflag', 'tsan'):.2f}",
                      f"{r.peak['native'] / 2**20:.0f}", f"{r.memory('tsan'):.2f}", f"{r.memory('redflag'):.2f}", tsan, redflag))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, tuple("-" * w for w in widths))
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]).rstrip() for line in lines)


def figures(tools):
    Figure = tools.Figure
    builder = Builder(tools.build)
    names = [n for n in WORKLOADS if not tools.only or n in tools.only]
    prefix = tsan_prefix(builder, tools)
    rows, hunts, false_alarms, missed = [], {}, 0, 0
    hunt_runs = 4 if tools.quick else HUNTS
    for name in names:
        commands = {"native": [builder.native(name)], "tsan": [*prefix, builder.tsan(name)], "redflag": [builder.redflag(name)]}
        for threads in THREADS[:1] if tools.quick else THREADS:
            row, alarms = measure(name, threads, commands, 1 if tools.quick else TURNS)
            rows.append(row)
            false_alarms += alarms
        racy = {"tsan": [*prefix, builder.tsan(name, racy=True)], "redflag": [builder.redflag(name, racy=True)],
                "command": builder.command}
        found = hunt(name, racy, hunt_runs, tools.folder / "report.json")
        missed += hunt_runs - found["redflag"]
        hunts[name] = (f"{found['tsan']}/{min(hunt_runs, TSAN_HUNTS)}", f"{found['redflag']}/{hunt_runs}")
        tools.progress(table(rows[-1:], hunts).splitlines()[-1])
    tools.note(table(rows, hunts))

    memory = {kind: mean([r.memory(kind) for r in rows]) for kind in ("tsan", "redflag")}
    limit = min(MEMORY, 1 + MEMORY_EXTRA * (memory["tsan"] - 1))
    worst = max(rows, key=lambda r: r.time("redflag", "tsan"))
    result = [
        Figure("CPU time, geometric mean", mean([r.time("redflag", "tsan") for r in rows]), "x", "<= 0.70", "Redflag / TSan"),
        Figure(f"CPU time, worst ({worst.name}, {worst.threads} threads)", worst.time("redflag", "tsan"), "x", "<= 1.1", "Redflag / TSan"),
        Figure("slow-down by TSan", mean([r.time("tsan", "native") for r in rows]), "x", "", "TSan / native"),
        Figure("slow-down by Redflag", mean([r.time("redflag", "native") for r in rows]), "x", "", "Redflag / native"),
        Figure("peak memory, geometric mean", memory["redflag"], "x", f"<= {limit:.2f}",
               f"Redflag / native; the lesser of {MEMORY} and {MEMORY_EXTRA:.2f} of TSan's extra"),
        Figure("peak memory of TSan", memory["tsan"], "x", "", "TSan / native"),
        Figure("findings on race-free runs", false_alarms, "runs", "<= 0", f"of {len(rows) * (1 if tools.quick else TURNS)}"),
        Figure("planted race missed, or others found", missed, "runs", "<= 0", f"of {len(names) * hunt_runs}"),
    ]
    if not tools.quick and not tools.only:
        result.append(Figure("growth by 1,000 threads, 100 times", growth([builder.redflag("threads")]), "x", "<= 1.1",
                             "resident after round 100 / after round 5"))
        result.append(Figure("the same of TSan", growth([*prefix, builder.tsan("threads")])))
    return result
