#!/usr/bin/env python3
"""ScoRD's figures for the workloads of bench/cuda: scord.py SCORD_BENCH [--small] [--seed=N] [NAME...]

Runs scord_bench (this folder) on each, and prints figures 8 to 11 as tables; docs/how/reproduction.md has what came of it. Steps a second are warps'
accesses to memory, of each of the simulations, by processor time, emulation included.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cuda"))
from workloads import WORKLOADS  # noqa: E402


# Table II where it says a size that our program of that name has; else more than the second level holds.
SIZES = {
    "matmul_locks": {"n": 384},
    "reduction": {"n": 1 << 22},
    "rule110": {"n": 1 << 19, "rounds": 4},
    "colouring": {"n": 30720},
    "connectivity": {"n": 98304},
    "convolution": {"n": 1 << 20},
    "tree_search": {"width": 1000},
    "bfs": {"n": 65536},
    "hotspot": {"n": 768, "rounds": 1},
    "needleman_wunsch": {"n": 1024},
    "kmeans": {"n": 131072},
    "radix_sort": {"n": 131072},
    "scan": {"n": 262144},
    "cg": {"n": 2048, "rounds": 60},
}


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


HEAD = (f"{'workload':17} {'ScoRD':>6} {'alone':>6} {'base':>6} {'low':>6} {'high':>6}  {'LHD':>5} {'NOC':>5} {'MD':>5}  "
        f"{'data':>6} {'md':>6} {'md base':>7}  {'M steps/s':>9} {'cycles':>9}")


def bench_run(bench, what, name, values, options):
    command = [str(bench), what, *options, f"--ptx={ROOT / 'bench' / 'cuda' / name}.ptx", str(ROOT / "bench" / "cuda" / f"{name}.cu")]
    done = subprocess.run(command + [f"{k}={v}" for k, v in values.items()], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def measure(bench, show, small=False, options=(), names=()):
    """Simulates each workload; shows a line for each. The slowdowns and parts, and the simulation's speed, of all."""
    rows, rates = [], []
    show(HEAD)
    for name in names or WORKLOADS:
        values = WORKLOADS[name][1] if small else SIZES[name]
        run = bench_run(bench, "--figures", name, values, options)
        # Speed: one detector alone, without the time of the emulated GPU that feeds it. A small run's difference of two times is noise.
        alone = run if small else bench_run(bench, "--speed", name, values, options)
        slow = {key: value["slowdown"] for key, value in run.items() if isinstance(value, dict)}
        saved = [max(0, slow["scord"] - slow[f"no_{part}"]) for part in ("hits", "packets", "metadata")]
        parts = [s / (sum(saved) or 1) for s in saved]
        rates.append((alone["memory_steps"] + alone["shared_steps"]) * alone["simulations"] / max(alone["seconds"], 1e-6) / 1e6)
        rows.append((slow["scord"], slow["ends_alone"], slow["base"], slow["low"], slow["high"], *parts))
        show(f"{name:17} {slow['scord']:6.2f} {slow['ends_alone']:6.2f} {slow['base']:6.2f} {slow['low']:6.2f} {slow['high']:6.2f}  " + " ".join(f"{p:5.0%}" for p in parts) +
             f"  {run['scord']['dram_data']:6.2f} {run['scord']['dram_metadata']:6.2f} {run['base']['dram_metadata']:7.2f}  {rates[-1]:9.2f} {run['scord']['cycles'][0]:9}")
    columns = list(zip(*rows))
    show(f"{'mean':17} " + " ".join(f"{sum(c) / len(c):6.2f}" for c in columns[:5]) + "  " + " ".join(f"{sum(c) / len(c):5.0%}" for c in columns[5:]))
    show(f"{'geometric mean':17} " + " ".join(f"{geomean(c):6.2f}" for c in columns[:5]))
    return columns, rates


def figures(tools):
    lines = ["ScoRD: figures 8 to 11 (cycles over those without a detector; parts of the overhead; accesses to DRAM)", ""]

    def show(line):
        tools.progress(line)
        lines.append(line)

    columns, rates = measure(tools.build / "bench" / "scord_bench", show, small=tools.quick)
    tools.note("\n".join(lines))
    overhead = 100 * (sum(columns[0]) / len(columns[0]) - 1)
    return [tools.Figure("ScoRD: overhead, mean, not below", overhead, "%", ">= 20", "without detection; paper: 35"),
            tools.Figure("ScoRD: overhead, mean, not above", overhead, "%", "<= 60", "without detection; paper: 35"),
            tools.Figure("ScoRD: simulated memory steps, geometric mean", geomean(rates), "M/s", ">= 1", "per core, both machines")]


def main():
    bench, *rest = sys.argv[1:]
    measure(bench, lambda line: print(line, flush=True), "--small" in rest, [r for r in rest if r.startswith("--seed=")],
            [r for r in rest if not r.startswith("--")])


if __name__ == "__main__":
    main()
