"""The emulated GPU: thread-instructions per second on one core, the oracle's time over that, and its memory.

Workloads of bench/cuda, each with its own check of its result. Time is that of the kernels, the best of several turns in which runs without and with
the oracle (level `cuda`) take theirs one after the other. Memory is the peak resident size of the whole process.
"""

import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cuda"))
from workloads import MILLION_THREADS, WORKLOADS, hunt, run  # noqa: E402

PARTS = list(WORKLOADS)
TARGETS = ["cuda_runner"]

TURNS = 3
HUNTS = 20  # seeds under which the planted race must be found


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
    rows, hunts, missed = [], {}, 0
    for name in names:
        plain, checked = [], []
        for turn in range(turns):
            plain += run(runner, name, WORKLOADS[name][0], seed=turn + 1)
            checked += run(runner, name, WORKLOADS[name][0], level="cuda", seed=turn + 1)
        rows.append(Row(name, plain, checked))
        problems = hunt(runner, name, seeds)
        for problem in problems[:1]:
            tools.progress(problem)
        missed += len(problems)
        hunts[name] = f"{seeds - len(problems)}/{seeds}"
        tools.progress(table(rows[-1:], hunts).splitlines()[-1])
    tools.note(table(rows, hunts))

    mean = statistics.geometric_mean
    worst = max(rows, key=Row.ratio)
    result = [
        Figure("thread-instructions a second and core, geometric mean", mean([r.rate() for r in rows]), "million", ">= 100", "no detection"),
        Figure("oracle's time, geometric mean", mean([r.ratio() for r in rows]), "x", "<= 8", "oracle / no detection"),
        Figure(f"oracle's time, worst ({worst.name})", worst.ratio(), "x", "", "oracle / no detection"),
        Figure("findings on race-free runs", sum(r.alarms for r in rows), "runs", "<= 0", f"of {len(rows) * turns}"),
        Figure("planted race missed, or others found", missed, "runs", "<= 0", f"of {len(rows) * seeds}"),
    ]
    if not tools.quick and not tools.only:
        for name, values in MILLION_THREADS.items():
            peak = max(r["peak_bytes"] for r in run(runner, name, values, level="cuda"))
            result.append(Figure(f"memory with one million threads ({name})", peak / 1e9, "GB", "<= 4", "peak resident, with the oracle"))
    return result
