#!/usr/bin/env python3
"""What the detector in the GPU adds to the workloads whose kernels synchronise by barriers alone, in instructions of warps, and whether it
finds what is planted in all of them: instructions.py RUNNER

On the emulated GPU, so that it needs none. Counts are the same in every run. Instructions are not time: what they wait for is not in them
(docs/results-gpu.md). Fails when a workload needs more than its limit, which is what it needed when the limit was set, and a tenth; or when
a planted race is not found, or another pair of lines is named.
"""

import sys

sys.dont_write_bytecode = True
from workloads import HERE, WORKLOADS, Program, run  # noqa: E402

# Values, and instructions over native at most.
LIMITS = {
    "convolution": ({"n": 32768}, 1.0),
    "hotspot": ({"n": 192, "rounds": 1}, 1.9),
    "needleman_wunsch": ({"n": 256}, 1.1),
    "kmeans": ({"n": 8192, "rounds": 1}, 1.0),
    "radix_sort": ({"n": 2048}, 7.0),
    "bfs": ({"n": 8192, "levels": 16}, 3.2),
    "colouring": ({"n": 4096}, 1.0),
    "connectivity": ({"n": 4096}, 1.0),
    "cg": ({"n": 256, "rounds": 50}, 1.0),
}


def ratio(runner, name, values):
    """(instructions without and with hooks)"""
    native = run(runner, name, values)[0]
    checked = run(runner, name, values, options=["--rewritten=compact"])[0]
    if checked["compact"]:
        sys.exit(f"{name}: needed no finding, found {checked['compact'][0]}")
    return native["warp_instructions"], checked["warp_instructions"]


def hunt(runner, name):
    """Of three runs of the racy twin: how many find what is planted, and how many name something else."""
    allowed = set(Program(HERE / f"{name}.cu").allowed["cuda"])
    runs = run(runner, name, WORKLOADS[name][1], racy=True, seeds=3, options=["--rewritten=compact"])
    pairs = [{tuple(sorted(finding["lines"])) for finding in each["compact"]} for each in runs]
    return sum(bool(each & allowed) for each in pairs), sum(bool(each - allowed) for each in pairs)


def main():
    above = 0
    for name, (values, limit) in LIMITS.items():
        native, checked = ratio(sys.argv[1], name, values)
        above += checked > limit * native
        print(f"{name:18} {native:9} {checked:9} {checked / native:6.2f}x  limit {limit}", flush=True)
    for name in WORKLOADS:
        found, others = hunt(sys.argv[1], name)
        above += found == 0 or others != 0
        print(f"{name:18} planted race found in {found} of 3 runs, something else in {others}", flush=True)
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
