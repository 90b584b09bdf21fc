"""The workloads of this folder: their sizes, and how one run of them on the emulated device is measured.

A workload is NAME.cu with NAME.ptx, and NAME.racy.ptx of its racy twin (tests/cuda/build.py makes both; -DRACY). tests/cuda/runner.cpp
runs them: sizes are values of the script in the source. The planted race is marked as in tests/cuda/run.py.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "cuda"))
from run import Program, check  # noqa: E402

# Values for measured runs, and for runs that look for the planted race.
WORKLOADS = {
    "matmul_locks": ({"n": 256}, {"n": 64}),
    "reduction": ({"n": 1 << 20}, {"n": 16384, "blocks": 8}),
    "rule110": ({"n": 8192, "rounds": 60}, {"n": 1024, "rounds": 4}),
    "colouring": ({"n": 16384}, {"n": 4096}),
    "connectivity": ({"n": 65536}, {"n": 4096}),
    "convolution": ({"n": 131072}, {"n": 2048}),
    "tree_search": ({"width": 1000}, {"width": 60}),
    "bfs": ({"n": 16384}, {"n": 8192, "levels": 16}),
    "hotspot": ({"n": 192, "rounds": 4}, {"n": 48, "rounds": 1}),
    "needleman_wunsch": ({"n": 512}, {"n": 128}),
    "kmeans": ({"n": 32768}, {"n": 2048, "rounds": 1}),
    "radix_sort": ({"n": 32768}, {"n": 2048}),
    "scan": ({"n": 262144}, {"n": 2048}),
    "cg": ({"n": 2048, "rounds": 60}, {"n": 256, "rounds": 50}),
}
MILLION_THREADS = {"convolution": {"n": 1 << 20}, "scan": {"n": 1 << 20}}


def run(runner, name, values, level="none", racy=False, seed=1, seeds=1, limit=570, options=()):
    """The runs' JSON objects; ends the program when the runner could not do its work."""
    source = HERE / f"{name}.cu"
    ptx = HERE / (f"{name}.racy.ptx" if racy else f"{name}.ptx")
    command = [str(runner), f"--level={level}", f"--seed={seed}", f"--seeds={seeds}", "--timeout-ms=500000", f"--ptx={ptx}", *options, str(source)]
    command += [f"{key}={value}" for key, value in values.items()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or len(runs) != seeds:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}; it said:\n{done.stderr[-2000:]}")
    # A racy twin may compute anything.
    wrong = [r["fault"] for r in runs if r["fault"] and not (racy and ": expected " in r["fault"])]
    if wrong:
        sys.exit(f"{' '.join(command)}\n{wrong[0]}")
    return runs


def hunt(runner, name, seeds, level="cuda"):
    """What is wrong with the findings on the racy twin, in how many of its runs."""
    program = Program(HERE / f"{name}.cu")
    runs = run(runner, name, WORKLOADS[name][1], level=level, racy=True, seeds=seeds)
    return [f"{name} racy, seed {r['seed']}: {problem}" for r in runs for problem in [check(program, r, level)[0]] if problem]
