#!/usr/bin/env python3
"""Runs the programs of tests/cuda/programs with the detector that runs inside a GPU (the device runtime `compact`), and compares its verdicts
with the marks in their sources: rewritten on the emulated device, or, with --gpu, on the GPU of this machine.

    compact.py [--runner build/bin/cuda_runner] [--only GLOB] [--seeds N] [--jobs N] [--patience SECONDS] [--gpu] [--schedule N] [--least N] [--device-memory BYTES]

A program without a race at level cuda must give no finding under any seed. One with a race must give one of its marked pairs under at least one
seed. Nothing may be reported of an unmarked pair, but for the table below, which says why.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import subprocess
import sys

from run import PROGRAMS, ROOT, Program

# Lines besides the marked ones.
OTHER_LINES = {
    "last_block_reset_race": "a race at level ptx; told under schedules in which two atomics are told in another order than they happened",
    "stencil_rounds_race": "of several readers of a line only the last one's place in the code is kept",
}
# Not run here on a GPU: the kernel of the first hangs there. `redflag run --timeout=3` tells of it (docs/results-gpu.md).
NOT_ON_GPU = ["barrier_divergent_*"]


def matches(name, table):
    return any(fnmatch.fnmatch(name, glob) for glob in table)


def run(program, arguments):
    """(what is wrong or None, whether a marked pair was found)"""
    seeds = arguments.seeds * (8 if program.some else 1)  # a race that not every schedule has
    command = [arguments.runner, "--level=none", "--rewritten=compact", f"--seeds={seeds}", *(["--gpu"] if arguments.gpu else []),
               *([f"--device-memory={arguments.device_memory}"] if arguments.device_memory else []), f"--schedule={arguments.schedule}", str(program.path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.patience)
    except subprocess.TimeoutExpired:
        return f"did not end within {arguments.patience} s", False
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or len(runs) != seeds:
        return f"ended with status {done.returncode}: {done.stderr[-300:]}", False
    found = False
    for one in runs:
        if one["fault"] and not (program.needed["cuda"] and ": expected " in one["fault"]):
            return f"seed {one['seed']}: {one['fault'][:300]}", found
        for finding in one["compact"]:
            pair = tuple(sorted(finding["lines"]))
            if pair in program.allowed["cuda"]:
                found = True
            elif not matches(program.name, OTHER_LINES):
                return f"seed {one['seed']}: reported lines {pair[0]} and {pair[1]}", found
    return None, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", default=str(ROOT / "build" / "bin" / "cuda_runner"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--patience", type=int, default=300, help="seconds for one program")
    parser.add_argument("--gpu", action="store_true", help="on the GPU of this machine; each seed is a run with the next schedule")
    parser.add_argument("--schedule", type=int, default=0, help="which warps are held back; on a GPU that of the first run")
    parser.add_argument("--least", type=int, default=0, help="races that must be found at least")
    parser.add_argument("--device-memory", type=int, default=0, help="bytes for metadata: races may be missed, none may be invented")
    arguments = parser.parse_args()
    programs = [Program(path) for path in sorted(PROGRAMS.glob("*.cu")) if fnmatch.fnmatch(path.stem, arguments.only)]
    if arguments.gpu:
        programs = [p for p in programs if not matches(p.name, NOT_ON_GPU)]
    problems, found, missed, quiet = [], 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program, (problem, hit) in zip(programs, pool.map(lambda p: run(p, arguments), programs)):
            races = bool(program.needed["cuda"])
            if problem is None and races and not hit and not arguments.device_memory:
                problem = "its race was not found"
            if problem is not None:
                problems.append(f"{program.name}: {problem}")
            found, missed, quiet = found + hit, missed + (races and not hit), quiet + (not races and problem is None)
    for problem in problems:
        print(problem)
    print(f"{len(programs)} programs: {found} races found, {missed} missed, {quiet} quiet as they should be, {len(problems)} problems")
    if found < arguments.least:
        print(f"needed: {arguments.least} races found at least")
    sys.exit(1 if problems or not programs or found < arguments.least else 0)


main()
