#!/usr/bin/env python3
"""All workloads of bench/cuda, small: smoke.py RUNNER

The bench itself is too long for a check; this keeps it from rotting. Every workload must compute what it checks itself, without and with the
oracle, cleanly; and the planted race of its racy twin must be found.
"""

import sys

sys.dont_write_bytecode = True
from workloads import WORKLOADS, hunt, run  # noqa: E402


def main():
    faults = 0
    for name, (_, small) in WORKLOADS.items():
        alarms = [r for r in run(sys.argv[1], name, small, level="cuda", seeds=2) if r["cuda"]]
        problems = [f"{name}: reported {alarms[0]['cuda'][0]}"] if alarms else []
        problems += hunt(sys.argv[1], name, 2)
        faults += len(problems)
        print("\n".join(problems) or f"{name}: clean, and its racy twin found", flush=True)
    sys.exit(1 if faults else 0)


main()
