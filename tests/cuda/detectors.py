#!/usr/bin/env python3
"""The papers' detectors on the programs of tests/cuda/programs: verdicts against the marks in the sources, counted.

    detectors.py [--runner build/bin/cuda_runner] [--detectors scord,iguard] [--only GLOB] [--seeds N] [--verbose]

A program counts as racy when ptx_model finds a race in global memory in the same runs: shared memory, barriers and the host are not these
detectors' matter, and a race that no schedule showed counts for nobody. Per detector and program, over all seeds: found (racy, and something
reported), missed, reported (not racy, and something reported), quiet. Which causes there are for the second and third: docs/gpu-detectors.md.
Exits with 1 when a run fails.

Standard library only.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def judge(runner, program, detectors, seeds):
    """{detector: verdict} of one program, or a string that says what failed."""
    run = subprocess.run([runner, "--level=cuda", f"--seeds={seeds}", f"--detector={','.join(detectors)}", str(program)],
                         capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        return f"{program.name}: status {run.returncode}: {run.stderr.strip()[:200] or run.stdout.strip()[:200]}"
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    in_global = lambda found: [f for f in found if f["space"] == "global" and f["class"] not in ("barrier-divergence", "host-device")]
    racy = any(in_global(line["cuda"]) for line in lines)
    verdicts = {}
    for name in detectors:
        reported = any(line[name] for line in lines)
        verdicts[name] = ("found" if reported else "missed") if racy else ("reported" if reported else "quiet")
        verdicts[name + " classes"] = sorted({f["class"] for line in lines for f in line[name]})
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", default=str(ROOT / "build/bin/cuda_runner"))
    parser.add_argument("--detectors", default="scord,iguard")
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="name the programs with a wrong verdict")
    options = parser.parse_args()
    detectors = options.detectors.split(",")
    programs = sorted(p for p in (HERE / "programs").glob("*.cu") if fnmatch.fnmatch(p.stem, options.only))
    counts = {name: collections.Counter() for name in detectors}
    wrong = collections.defaultdict(list)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda p: judge(options.runner, p, detectors, options.seeds), programs)
        for program, result in zip(programs, results):
            if isinstance(result, str):
                failed.append(result)
                continue
            for name in detectors:
                counts[name][result[name]] += 1
                if result[name] in ("missed", "reported"):
                    wrong[name].append(f"{result[name]:9}{program.stem}  {' '.join(result[name + ' classes'])}")
    print(f"{len(programs)} programs, {options.seeds} seeds")
    print(f"{'detector':12}{'found':>8}{'missed':>8}{'reported':>10}{'quiet':>8}")
    for name in detectors:
        c = counts[name]
        print(f"{name:12}{c['found']:>8}{c['missed']:>8}{c['reported']:>10}{c['quiet']:>8}")
    if options.verbose:
        for name in detectors:
            for line in wrong[name]:
                print(f"{name}: {line}")
    for line in failed:
        print("failed: " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
