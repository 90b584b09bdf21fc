#!/usr/bin/env python3
"""The papers' detectors on the programs of tests/cuda/programs: verdicts against ptx_model's in the same runs, with the cause of each difference.

    detectors.py [--runner build/bin/cuda_runner] [--redflag build/bin/redflag] [--only GLOB] [--seeds N] [--jobs N] [--verbose]

Each program is recorded under each seed, and 'redflag detectors compare' looks at the trace. A program counts as racy when ptx_model finds a race that is
the detector's matter: of scord and iguard shared memory, barriers and the host are not, and a race that no schedule showed counts for nobody. Per
detector and program, over all seeds: found (racy, and something reported), missed, reported (not racy, and something reported), quiet. Every
difference, also of a single line, needs a documented cause (docs/how/gpu-detectors.md), which the command names. Exits with 1 when one has none.

Standard library only.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


GLOBAL = {"global_only": True, "one_launch": True, "no_barriers": True}


def is_theirs(row, detector=GLOBAL):
    """A race that the detector looks for; without one: in global memory, within a kernel."""
    classes = set(row["classes"]) - ({"barrier-divergence"} if detector["no_barriers"] else set()) - ({"host-device"} if detector["one_launch"] else set())
    return bool(row["race"] and classes and not (detector["global_only"] and row["memory"] != "global"))


def compare(options, program, seed):
    """The comparison of one run as JSON; a string says what failed."""
    with tempfile.TemporaryDirectory(prefix="redflag-detectors-") as folder:
        trace = Path(folder) / "run.rft"
        made = subprocess.run([options.runner, "--level=none", f"--seed={seed}", f"--record={trace}", str(program)], capture_output=True, text=True, timeout=300)
        if made.returncode != 0:
            return f"{program.name}, seed {seed}: status {made.returncode}: {made.stderr.strip()[:200] or made.stdout.strip()[:200]}"
        done = subprocess.run([options.redflag, "detectors", "compare", "--json=-", str(trace)], capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 66):
            return f"{program.name}, seed {seed}: 'redflag detectors compare' ended with {done.returncode}: {done.stderr.strip()[:300]}"
        return json.loads(done.stdout)


def judge(options, program):
    """{detector: (verdict, causes)} of one program, and its faults."""
    runs = [compare(options, program, seed + 1) for seed in range(options.seeds)]
    faults = [run for run in runs if isinstance(run, str)]
    if faults:
        return {}, faults
    verdicts = {}
    for detector in runs[0]["detectors"][1:]:
        name, reported, causes = detector["name"], False, set()
        racy = any(is_theirs(row, detector) for run in runs for row in run["rows"])
        for seed, run in enumerate(runs, 1):
            for row in run["rows"]:
                cell = row["detectors"][name]
                reported |= cell["found"] or (row["race"] and "other_line" in cell)
                if row["race"] != cell["found"]:
                    causes |= set(cell["causes"]) if is_theirs(row, detector) or not row["race"] else set()
                    if "unexplained" in cell:
                        faults.append(f"{program.name}, seed {seed}: {name} on {' / '.join(row['lines'])}: {cell['unexplained']}")
        verdict = ("found" if reported else "missed") if racy else ("reported" if reported else "quiet")
        verdicts[name] = (verdict, causes)
    return verdicts, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", default=str(ROOT / "build/bin/cuda_runner"))
    parser.add_argument("--redflag", default=str(ROOT / "build/bin/redflag"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="name the programs where verdicts differ")
    options = parser.parse_args()
    programs = sorted(p for p in (HERE / "programs").glob("*.cu") if fnmatch.fnmatch(p.stem, options.only))
    counts, causes = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    faults = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, (verdicts, wrong) in zip(programs, pool.map(lambda p: judge(options, p), programs)):
            faults += wrong
            for name, (verdict, why) in verdicts.items():
                counts[name][verdict] += 1
                if verdict not in ("missed", "reported"):
                    continue
                causes[name][verdict, ", ".join(sorted(why))] += 1
                if not why:
                    faults.append(f"{program.name}: {verdict} by {name} without a cause")
                if options.verbose:
                    print(f"{name} {verdict}: {program.stem}: {', '.join(sorted(why))}")
    for name, count in counts.items():
        print(f"{name}: " + ", ".join(f"{verdict} {count[verdict]}" for verdict in ("found", "missed", "reported", "quiet")))
        for (verdict, cause), number in sorted(causes[name].items()):
            print(f"    {verdict}, {cause}: {number}")
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"{len(programs)} programs under {options.seeds} seeds, {len(faults)} faults")
    return 1 if faults or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
