#!/usr/bin/env python3
"""What the detector in the GPU adds to kernels that synchronise by barriers alone, in instructions of warps: instructions.py RUNNER

On the emulated GPU, so that it needs none. Counts are the same in every run. Instructions are not time: what they wait for is not in them
(docs/results-gpu.md). Fails when a workload needs more than its limit, which is what it needed when the limit was set, and a tenth.
"""

import sys

sys.dont_write_bytecode = True
from workloads import run  # noqa: E402

# Values, and instructions over native at most.
LIMITS = {
    "convolution": ({"n": 32768}, 2.1),
    "hotspot": ({"n": 192, "rounds": 1}, 12.9),
    "needleman_wunsch": ({"n": 256}, 7.9),
    "kmeans": ({"n": 8192, "rounds": 1}, 3.6),
    "radix_sort": ({"n": 2048}, 16.2),
    "bfs": ({"n": 8192, "levels": 16}, 32.8),
}


def ratio(runner, name, values):
    """(instructions without and with hooks)"""
    native = run(runner, name, values)[0]
    checked = run(runner, name, values, options=["--rewritten=compact"])[0]
    if checked["compact"]:
        sys.exit(f"{name}: needed no finding, found {checked['compact'][0]}")
    return native["warp_instructions"], checked["warp_instructions"]


def main():
    above = 0
    for name, (values, limit) in LIMITS.items():
        native, checked = ratio(sys.argv[1], name, values)
        above += checked > limit * native
        print(f"{name:18} {native:9} {checked:9} {checked / native:6.2f}x  limit {limit}", flush=True)
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
