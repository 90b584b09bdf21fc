#!/usr/bin/env python3
"""What the host does with managed memory while a kernel may use it.

  inject_managed_test.py BUILD SOURCE REDFLAG

Needs a processor with protection keys; on one without, the report must say that such accesses are not seen.
"""

import tempfile
from pathlib import Path

import inject_run
from inject_run import BUILD, check, finish

HAS_KEYS = " ospke" in Path("/proc/cpuinfo").read_text()
KERNEL_READS, KERNEL_WRITES, KERNEL_LOOKS = "managed.cu:7", "managed.cu:8", "managed.cu:12"


def Run(how, **more):
    with tempfile.TemporaryDirectory() as folder:
        return inject_run.Run(folder, BUILD / "tests/inject_managed", how, **more)


def results():
    for how in ("wait", "read", "write", "input", "beside", "often"):
        plain, run = Run(how, preload=False), Run(how)
        check(plain.status == 0 and run.status == 0 and plain.out == run.out, f"{how}: the program's results", plain.text() + run.text())
        check(("no protection keys" in run.said) != HAS_KEYS, f"{how}: whether accesses are seen is said", run.text())


def races():
    expected = {"wait": [], "read": [KERNEL_WRITES], "write": [KERNEL_READS, KERNEL_WRITES], "input": [KERNEL_LOOKS], "beside": [], "often": []}
    for how, lines in expected.items():
        run = Run(how)
        sides = [{f"{frame['file'].split('/')[-1]}:{frame['line']}" for side in ("first", "second") for frame in finding[side]["stack"][:1]}
                 for finding in run.findings()]
        check(all(rule == "gpu-host-device" for rule in run.rules()), f"{how}: the rule", run.text())
        check(bool(sides) == bool(lines) and all(side & set(lines) for side in sides), f"{how}: the kernel's lines", run.text() + str(sides))
        check(all(any(place.startswith("managed.cpp:") for place in side) for side in sides), f"{how}: the host's lines", run.text() + str(sides))


def versions():
    """A kernel that cannot race with itself is told of once, for what the host may do, and then runs as it is."""
    told = ["plain" not in line for line in Run("often").launches()]
    check(told == [HAS_KEYS] + 4 * [False], "often: one launch is told of", Run("often").text())


finish(results, versions, *([races] if HAS_KEYS else []))
