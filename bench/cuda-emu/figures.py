"""The emulated GPU: thread-instructions per second on one core, the oracle's time over that, its memory; and the time of the papers' detectors.

Workloads of bench/cuda, each with its own check of its result. Time is that of the kernels, the best of several turns in which runs without and with
the oracle (level `cuda`) take theirs one after the other. Memory is the peak resident size of the whole process. Of the papers' detectors, which
`redflag detectors` lists, it is the processor time of the kernels with each of them over that without, best of the same turns.
"""

import math
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cuda"))
from workloads import MILLION_THREADS, WORKLOADS, hunt, run  # noqa: E402

PARTS = list(WORKLOADS)
TARGETS = ["cuda_runner", "redflag"]

TURNS = 3
HUNTS = 20  # seeds under which the planted race must be found
# What a paper's detector may cost, geometric mean over the workloads.
SLOWDOWNS = {"curd": 2.5, "iguard": 3.5, "scord": 3.5, "barracuda": 6.0}


def there(tools):
    """Which of them this build has."""
    lines = subprocess.run([str(tools.redflag), "detectors"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0] for line in lines if line} & SLOWDOWNS.keys()


def slowdowns(runner, name, turns, detectors, plain):
    """{detector: processor time over that of the plain runs} of one workload."""
    best = min(r["processor_seconds"] for r in plain)
    made = {}
    for detector in sorted(detectors):
        runs = [run(runner, name, WORKLOADS[name][0], seed=turn + 1, options=[f"--detector={detector}"])[0] for turn in range(turns)]
        made[detector] = min(r["processor_seconds"] for r in runs) / best
    return made


def slowdown_table(rows):
    detectors = sorted(SLOWDOWNS)
    lines = [("processor time over no detection", *detectors)]
    lines += [(name, *(f"{row[d]:.2f}" if d in row else "not there" for d in detectors)) for name, row in rows.items()]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) for line in lines)


class Row:
    def __init__(self, name, plain, checked):
        self.name = name
        self.instructions = plain[0]["thread_instructions"]
        self.seconds = min(r["seconds"] for r in plain)
        self.checked = min(r["seconds"] for r in checked)
        self.alarms = sum(bool(r["cuda"]) for r in checked)

    def rate(self):
        return self.instructions / self.seconds / 1e6

    def ratio(self):
        return self.checked / self.seconds


def table(rows, hunts):
    head = ("workload", "million instr.", "seconds", "million/s", "with oracle s", "x", "planted found")
    lines = [head] + [(r.name, f"{r.instructions / 1e6:.1f}", f"{r.seconds:.3f}", f"{r.rate():.1f}", f"{r.checked:.3f}", f"{r.ratio():.1f}",
                       hunts[r.name]) for r in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) for line in lines)


def figures(tools):
    Figure = tools.Figure
    runner = tools.build / "bin" / "cuda_runner"
    names = [n for n in WORKLOADS if not tools.only or n in tools.only]
    turns, seeds = (1, 4) if tools.quick else (TURNS, HUNTS)
    rows, hunts, missed, slow = [], {}, 0, {}
    detectors = there(tools)
    for name in names:
        plain, checked = [], []
        for turn in range(turns):
            plain += run(runner, name, WORKLOADS[name][0], seed=turn + 1)
            checked += run(runner, name, WORKLOADS[name][0], level="cuda", seed=turn + 1)
        rows.append(Row(name, plain, checked))
        slow[name] = slowdowns(runner, name, turns, detectors, plain)
        problems = hunt(runner, name, seeds)
        for problem in problems[:1]:
            tools.progress(problem)
        missed += len(problems)
        hunts[name] = f"{seeds - len(problems)}/{seeds}"
        tools.progress(table(rows[-1:], hunts).splitlines()[-1])
        tools.progress("  ".join(f"{d} {x:.2f} x" for d, x in slow[name].items()))
    tools.note(table(rows, hunts))
    tools.note(slowdown_table(slow))

    mean = statistics.geometric_mean
    worst = max(rows, key=Row.ratio)
    result = [
        Figure("thread-instructions a second and core, geometric mean", mean([r.rate() for r in rows]), "million", ">= 100", "no detection"),
        Figure("oracle's time, geometric mean", mean([r.ratio() for r in rows]), "x", "<= 8", "oracle / no detection"),
        Figure(f"oracle's time, worst ({worst.name})", worst.ratio(), "x", "", "oracle / no detection"),
        Figure("findings on race-free runs", sum(r.alarms for r in rows), "runs", "<= 0", f"of {len(rows) * turns}"),
        Figure("planted race missed, or others found", missed, "runs", "<= 0", f"of {len(rows) * seeds}"),
    ]
    for detector, limit in sorted(SLOWDOWNS.items(), key=lambda each: each[1]):
        is_there = detector in detectors
        result.append(Figure(f"time of {detector}, geometric mean" + ("" if is_there else ": not there"),
                             mean([row[detector] for row in slow.values()]) if is_there else math.inf, "x", f"<= {limit}", f"{detector} / no detection"))
        if is_there:
            worst_of = max(slow, key=lambda name: slow[name][detector])
            result.append(Figure(f"time of {detector}, worst ({worst_of})", slow[worst_of][detector], "x", "", f"{detector} / no detection"))
    if not tools.quick and not tools.only:
        for name, values in MILLION_THREADS.items():
            peak = max(r["peak_bytes"] for r in run(runner, name, values, level="cuda"))
            result.append(Figure(f"memory with one million threads ({name})", peak / 1e9, "GB", "<= 4", "peak resident, with the oracle"))
    return result
