#!/usr/bin/env python3
"""The papers' detectors on the programs of tests/cuda/programs: verdicts against ptx_model's in the same runs, with the cause of each difference.

    detectors.py [--runner build/bin/cuda_runner] [--detectors barracuda,curd,scord,iguard] [--only GLOB] [--seeds N] [--jobs N] [--verbose]

A program counts as racy when ptx_model finds a race in memory that the detector looks at: for scord and iguard global memory, without barriers;
barracuda and curd look at shared memory and barriers too; the host is nobody's matter. A race that no schedule showed counts for nobody.
What those two report must be at lines where ptx_model finds a race too. Per detector and program, over all seeds: found (racy, and something reported), missed,
reported (not racy, and something reported), quiet. Every program that is missed, or reported though ordered, needs a cause of
docs/gpu-detectors.md: by the rule that reported, or by name in the table below. Exits with 1 when one has none, or when a name in the table is
no difference any more.

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


# Rules that report what is ordered, each for one cause.
CAUSE_OF_RULE = {"IV(c)": "NotStrong", "IV(e)": "LockDiscipline", "IV(f)": "LockDiscipline", "R5": "LockDiscipline", "IV(d)": "ScopeAlone", "R1": "ScopeAlone"}
# Detectors that look at shared memory and barriers too, and name lines as ptx_model does.
EVERYWHERE = {"barracuda", "curd"}
# Programs where more lines are named than ptx_model names, and why.
MORE_LINES = {"curd": {"shared_matmul_race": "Together", "syncwarp_reduction_race": "incomplete source"}}
# Where the rule does not say it, and what is missed.
CAUSES = {
    "barracuda": {
        "asm_fence_scope_race": "OneGlobalFence",
        "asm_release_scope_race": "AtomicScope",
        "atomic_fence_scope_race": "OneGlobalFence",
        "cluster_atomic_race": "AtomicScope",
        "global_lanes_race": "Lockstep",
        "group_coalesced_race": "Lockstep",
        "group_tile_race": "Lockstep",
        "lock_narrow_cas_race": "AtomicScope",
        "lock_plain_unlock_race": "StoreBehindFence",
        "lock_readers_race": "StoreBehindFence",
        "lock_warp_race": "Lockstep",
        "message_chain_race": "OneGlobalFence",
        "message_narrow_fence_race": "OneGlobalFence",
        "message_narrow_flag_race": "AtomicScope",
        "queue_stealing_race": "AtomicScope",
        "scope_counter_race": "AtomicScope",
        "scope_double_cas_race": "AtomicScope",
        "scope_max_race": "AtomicScope",
        "scope_own_counter_race": "AtomicScope",
        "syncwarp_before_race": "Lockstep",
        "syncwarp_reduction_race": "Lockstep",
        "volatile_flag_race": "StoreBehindFence",
        "warp_loop_exit_race": "Lockstep",
    },
    # What barracuda misses in the kernels that curd gives to it; barriers are not curd's own matter.
    "curd": {
        "asm_fence_scope_race": "OneGlobalFence",
        "asm_release_scope_race": "AtomicScope",
        "atomic_fence_scope_race": "OneGlobalFence",
        "barrier_divergent_race": "BarrierDivergence",
        "cluster_atomic_race": "AtomicScope",
        "group_coalesced_race": "Lockstep",
        "group_tile_race": "Lockstep",
        "lock_narrow_cas_race": "AtomicScope",
        "lock_plain_unlock_race": "StoreBehindFence",
        "lock_readers_race": "StoreBehindFence",
        "lock_warp_race": "Lockstep",
        "message_chain_race": "OneGlobalFence",
        "message_narrow_fence_race": "OneGlobalFence",
        "message_narrow_flag_race": "AtomicScope",
        "queue_stealing_race": "AtomicScope",
        "scope_counter_race": "AtomicScope",
        "scope_double_cas_race": "AtomicScope",
        "scope_max_race": "AtomicScope",
        "scope_own_counter_race": "AtomicScope",
        "volatile_flag_race": "StoreBehindFence",
    },
    "scord": {
        "async_copy_source_race": "Copy",
        "bytes_ok": "Granularity",
        "fence_other_thread_ok": "FenceOfAnother",
        "global_lanes_race": "WithinWarp",
        "grid_barrier_leader_ok": "FenceOfAnother",
        "group_grid_ok": "FenceOfAnother",
        "lock_lanes_spin_race": "WithinWarp",
        "message_many_ok": "FenceOfAnother",
        "shorts_ok": "Granularity",
        "warp_same_store_race": "OneInstruction",
    },
    "iguard": {
        "async_copy_source_race": "Copy",
        "atomic_release_sequence_race": "FenceAlone",
        "bytes_ok": "Granularity",
        "fence_other_thread_ok": "FenceOfAnother",
        "grid_barrier_leader_ok": "FenceOfAnother",
        "grid_barrier_sense_race": "FenceAlone",
        "group_grid_ok": "FenceOfAnother",
        "group_grid_rounds_ok": "FenceOfAnother",
        "lock_acquire_fence_race": "FenceAlone",
        "lock_try_race": "FenceAlone",
        "message_chain_race": "FenceAlone",
        "message_late_fence_race": "FenceAlone",
        "message_many_ok": "FenceOfAnother",
        "message_wrong_flag_race": "FenceAlone",
        "queue_ring_race": "FenceAlone",
        "shorts_ok": "Granularity",
        "warp_same_store_race": "OneInstruction",
    },
}


def judge(runner, program, detectors, seeds):
    """{detector: (verdict, rules that declared a race)} of one program, or a string that says what failed."""
    run = subprocess.run([runner, "--level=cuda", f"--seeds={seeds}", f"--detector={','.join(detectors)}", str(program)],
                         capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        return f"{program.name}: status {run.returncode}: {run.stderr.strip()[:200] or run.stdout.strip()[:200]}"
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    verdicts = {}
    for name in detectors:
        everywhere = name in EVERYWHERE
        seen = [f for line in lines for f in line["cuda"]
                if f["class"] != "host-device" and (everywhere or (f["space"] == "global" and f["class"] != "barrier-divergence"))]
        racy = bool(seen)
        reported = any(line[name] for line in lines)
        if everywhere and racy and program.stem not in MORE_LINES.get(name, {}):
            places = {number for f in seen for number in f["lines"]}
            beyond = {number for line in lines for f in line[name] for number in f["lines"]} - places - {0}
            if beyond:
                return f"{program.name}: {name} reports lines {sorted(beyond)}, where ptx_model finds nothing"
        rules = {key.split()[0] for line in lines for key, value in line[name + "_stats"].items() if value > 0}
        verdict = ("found" if reported else "missed") if racy else ("reported" if reported else "quiet")
        verdicts[name] = (verdict, sorted(r for r in rules if r.startswith("IV(") or (r[0] == "R" and r[1:].isdigit())))
    return verdicts


def cause_of(detector, program, verdict, rules):
    """The documented cause of a difference, or None."""
    named = CAUSES.get(detector, {}).get(program)
    if named or verdict == "missed":
        return named
    causes = {CAUSE_OF_RULE.get(rule) for rule in rules}
    return " ".join(sorted(causes)) if causes and None not in causes else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", default=str(ROOT / "build/bin/cuda_runner"))
    parser.add_argument("--detectors", default="barracuda,curd,scord,iguard")
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="name the programs where verdicts differ")
    options = parser.parse_args()
    detectors = options.detectors.split(",")
    programs = sorted(p for p in (HERE / "programs").glob("*.cu") if fnmatch.fnmatch(p.stem, options.only))
    counts = {name: collections.Counter() for name in detectors}
    causes = {name: collections.Counter() for name in detectors}
    differences = {name: set() for name in detectors}
    faults = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda p: judge(options.runner, p, detectors, options.seeds), programs)
        for program, result in zip(programs, results):
            if isinstance(result, str):
                faults.append(result)
                continue
            for name in detectors:
                verdict, rules = result[name]
                counts[name][verdict] += 1
                if verdict not in ("missed", "reported"):
                    continue
                differences[name].add(program.stem)
                cause = cause_of(name, program.stem, verdict, rules)
                causes[name][f"{verdict}: {cause}"] += 1
                if cause is None:
                    faults.append(f"{name}: {program.stem} {verdict} by {' '.join(rules) or 'nothing'}: no documented cause")
                if options.verbose:
                    print(f"{name}: {verdict:9}{program.stem}  {cause} {' '.join(rules)}")
    for name in detectors:
        for program in CAUSES.get(name, {}):
            if fnmatch.fnmatch(program, options.only) and program not in differences[name]:
                faults.append(f"{name}: {program} is no difference any more: take it out of CAUSES")
    print(f"{len(programs)} programs, {options.seeds} seeds")
    print(f"{'detector':12}{'found':>8}{'missed':>8}{'reported':>10}{'quiet':>8}")
    for name in detectors:
        c = counts[name]
        print(f"{name:12}{c['found']:>8}{c['missed']:>8}{c['reported']:>10}{c['quiet']:>8}")
    for name in detectors:
        for cause, count in sorted(causes[name].items()):
            print(f"{name}: {cause}: {count}")
    for line in faults:
        print("fault: " + line)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
