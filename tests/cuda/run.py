#!/usr/bin/env python3
"""Runs the programs of tests/cuda/programs on the emulated device and compares what is found with the marks in their sources.

    run.py [--runner build/bin/cuda_runner] [--only GLOB] [--seeds N] [--jobs N] [--verbose] [--rewritten | --gpu]
    run.py --clang build/bin/redflag       on PTX that 'redflag nvcc' makes here without a CUDA toolkit, not on nvcc's
    run.py --list

Programs come in pairs NAME_race.cu and NAME_ok.cu. The first line says what the program shows. Lines that race end in "// RACE", two
of them a pair (one line that races with itself: "// RACE RACE"); in the host's script it is "# RACE". In every run, under every seed,
exactly the marked pairs must be found, at both levels of strictness, and the script's expectations must hold. Variations:

    // RACE2, // RACE3      further pairs
    // RACE@ptx             only at this level (cuda, ptx); at the other one the pair must not be found
    // RACE2?               may be found or not: follows from another one, by the schedule
    // CLASS: lock global   class and memory of the pair RACE; "CLASS@ptx:" where a level has another one
    // SEEDS: some          found under at least one of the seeds; nothing else under any
    // ARCH, FLAGS          for build.py, which makes the PTX

Standard library only.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
ROOT = HERE.parent.parent
LEVELS = ("cuda", "ptx")
MARK = re.compile(r"\bRACE(\d*)(\?)?(?:@(\w+))?")

# Programs on which Redflag is still wrong, with the reason; one that passes is named, so that the table stays true.
OWN_FAULTS = {}
# With --rewritten: what no hook can tell, with the reason (docs/how/stream.md).
UNTOLD = {
    "global_lanes_race": "two branches of which nothing is told between look like one: the class is branch-ordering, not intra-warp",
    "group_tile_race": "the same",
    "syncwarp_before_race": "the same",
}
# With --gpu: besides those.
ON_GPU = {
    **UNTOLD,
    "group_coalesced_race": "branch-ordering, not intra-warp: as above",
    "barrier_divergent_race": "does not end on an H200: lanes of one warp stand at two barriers",
    "warp_apart_barrier_race": "the warp is together again when it reads: the class is that of the lanes that did not wait",
}
# With --clang: what Redflag's own CUDA headers do not have, or clang says otherwise than nvcc; by the programs' names.
LIBCUXX = "<cuda/...>, libcu++, which comes with NVIDIA's toolkit"
NOT_BY_CLANG = {
    "group_coalesced_race": "clang makes one branch of two sides of the two conditions: the class is branch-ordering, not intra-warp",
    "cluster_store_async_*": "__cluster_dims__: clang 19 does not have it; it is refused by name",
    "atomic_acquire_*": LIBCUXX,
    "atomic_compare_exchange_*": LIBCUXX,
    "atomic_exchange_lock_*": LIBCUXX,
    "atomic_fence_scope_*": LIBCUXX,
    "atomic_fences_*": LIBCUXX,
    "atomic_ref_acq_rel_*": LIBCUXX,
    "atomic_ref_counter_*": LIBCUXX,
    "atomic_release_*": LIBCUXX,
    "atomic_release_sequence_*": LIBCUXX,
    "atomic_scope_*": LIBCUXX,
    "atomic_seq_cst_*": LIBCUXX,
    "atomic_system_scope_*": LIBCUXX,
    "barrier_async_copy_*": LIBCUXX,
    "block_barrier_*": LIBCUXX,
    "block_barrier_75_*": LIBCUXX,
    "block_barrier_90_*": LIBCUXX,
    "pipeline_*": LIBCUXX,
}
LEAST_BY_CLANG = 250


class Program:
    """One source file and what must come of it."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        text = path.read_text()
        self.lines = text.splitlines()
        option = lambda key, default: (re.findall(rf"^// {key}: (.*)$", text, re.M) or [default])[0].strip()
        self.some = option("SEEDS", "all") == "some"
        self.compile = ["-ptx", "-std=c++17", f"-arch=compute_{option('ARCH', '80')}", f"-I{ROOT}", *shlex.split(option("FLAGS", ""))]
        general = option("CLASS", "")
        self.classes = {level: option(f"CLASS@{level}", general) for level in LEVELS}
        self.needed = {level: {} for level in LEVELS}  # label to pair of lines
        self.allowed = {level: set() for level in LEVELS}  # pairs
        places = collections.defaultdict(list)
        for number, line in enumerate(self.lines, 1):
            comment = re.split(r"//|#", line, maxsplit=1)
            for label, maybe, level in MARK.findall(comment[1] if len(comment) > 1 else ""):
                places[label, maybe, level].append(number)
        for (label, maybe, level), numbers in places.items():
            if len(numbers) != 2:
                raise SystemExit(f"run.py: {path.name} needs two marks RACE{label}, and has {len(numbers)}")
            for one in LEVELS:
                if level not in ("", one):
                    continue
                self.allowed[one].add(tuple(sorted(numbers)))
                if not maybe:
                    self.needed[one][label] = tuple(sorted(numbers))
        if self.name.endswith("_race") and not places:
            raise SystemExit(f"run.py: {path.name} has no RACE marks")


def check(program, run, level):
    """(what is wrong or None, pairs found) of one run at one level."""
    found = {}
    for finding in run[level]:
        pair = tuple(sorted(finding["lines"]))
        kind = finding["class"] + ("" if finding["class"] == "barrier-divergence" else " " + finding["space"])
        if pair not in program.allowed[level]:
            return f"reported {kind} of lines {pair[0]} and {pair[1]}", found
        found.setdefault(pair, set()).add(kind)
    first = program.needed[level].get("")
    if first in found and program.classes[level] and program.classes[level] not in found[first]:
        return f"called the race {', '.join(sorted(found[first]))} instead of {program.classes[level]}", found
    missed = [p for p in program.needed[level].values() if p not in found]
    if missed and not program.some:
        return f"missed the race of lines {missed[0][0]} and {missed[0][1]}", found
    return None, found


def judge(program, runs, seeds):
    union = {level: set() for level in LEVELS}
    for run in runs:
        where = f"seed {run['seed']}: "
        if run["fault"]:
            return where + run["fault"]
        for level in LEVELS:
            problem, found = check(program, run, level)
            if problem:
                return f"{where}level {level}: {problem}"
            union[level] |= found.keys()
    if len(runs) != seeds:
        return f"ended after {len(runs)} of {seeds} runs"
    for level in LEVELS:
        missed = set(program.needed[level].values()) - union[level]
        if missed:
            return f"level {level}: missed the race of lines {sorted(missed)[0]} under all seeds"
    return None


class Session:
    def __init__(self, arguments):
        self.arguments = arguments

    def one(self, program):
        """(problem or None, output)"""
        if self.arguments.clang:
            with tempfile.TemporaryDirectory(prefix="redflag-programs-") as folder:
                path = Path(shutil.copy(program.path, folder))
                command = [self.arguments.clang, "nvcc", "--compiler=clang++-19", *program.compile, str(path), "-o", str(path.with_suffix(".ptx"))]
                done = subprocess.run(command, capture_output=True, text=True, timeout=self.arguments.limit)
                if done.returncode != 0:
                    return f"does not compile: {done.stderr.strip()[-1200:]}", ""
                return self.run(program, path)
        return self.run(program, program.path)

    def run(self, program, path):
        command = [self.arguments.runner, f"--seeds={self.arguments.seeds}", *(["--gpu"] if self.arguments.gpu else ["--rewritten"] if self.arguments.rewritten else []), str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.arguments.limit)
        except subprocess.TimeoutExpired:
            return f"did not end in {self.arguments.limit} s", ""
        try:
            runs = [json.loads(line) for line in done.stdout.splitlines()]
        except ValueError as fault:
            return f"the runner's output is not JSON: {fault}", done.stdout + done.stderr
        if done.returncode not in (0, 1) or not runs:
            return f"the runner ended with {done.returncode}: {done.stderr.strip()[-300:]}", done.stderr
        return judge(program, runs, self.arguments.seeds), done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runner", default=str(ROOT / "build" / "bin" / "cuda_runner"))
    parser.add_argument("--only", default="*", metavar="GLOB", help="programs by name; several separated by commas")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120, help="seconds for all runs of one program")
    parser.add_argument("--rewritten", action="store_true", help="rewritten as for a GPU, and what the hooks of the runtime stream tell")
    parser.add_argument("--gpu", action="store_true", help="the same on the GPU of this machine")
    parser.add_argument("--clang", metavar="REDFLAG", help="make the PTX by this command without a CUDA toolkit")
    parser.add_argument("--verbose", action="store_true", help="show the runs of what failed")
    parser.add_argument("--list", action="store_true", help="only list the programs with what they show")
    arguments = parser.parse_args()
    programs = [Program(p) for p in sorted(PROGRAMS.glob("*.cu"))
                if any(fnmatch.fnmatch(p.stem, g) for g in arguments.only.split(","))]
    if not programs:
        print(f"no program is called {arguments.only}")
        return 2
    if arguments.list:
        for program in programs:
            print(f"{program.name:36} {program.lines[0].removeprefix('// ')}")
        return 0
    known_table = NOT_BY_CLANG if arguments.clang else ON_GPU if arguments.gpu else UNTOLD if arguments.rewritten else OWN_FAULTS
    start = time.monotonic()
    failed, healed, known_faults = 0, [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program, (problem, output) in zip(programs, pool.map(Session(arguments).one, programs)):
            known = any(fnmatch.fnmatch(program.name, glob) for glob in known_table)
            if problem and known:
                known_faults += 1
            elif problem:
                failed += 1
                print(f"FAILED {program.name}: {problem}", flush=True)
                if arguments.verbose:
                    print("       | " + output.strip().replace("\n", "\n       | "))
            elif known:
                healed.append(program.name)
    if healed:
        print(f"in the table of known faults, but right in this run: {', '.join(healed)}")
    print(f"{len(programs)} programs under {arguments.seeds} seeds: {len(programs) - failed - known_faults} right, {failed} failed"
          + (f", {known_faults} known faults" if known_faults else "") + f" ({time.monotonic() - start:.0f} s)")
    if arguments.clang and arguments.only == "*" and len(programs) - failed - known_faults < LEAST_BY_CLANG:
        print(f"needed: {LEAST_BY_CLANG} programs that are right without a CUDA toolkit")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
