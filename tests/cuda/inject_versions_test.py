#!/usr/bin/env python3
"""Versions of kernels: launches that cannot race run as the program has them, all others are checked, and the program sees no difference.

  inject_versions_test.py BUILD SOURCE REDFLAG
"""

import json
import subprocess
import tempfile

import inject_run
from inject_run import BUILD, REDFLAG, SOURCE, check, finish

PROGRAM, KERNELS = BUILD / "tests/inject_versions", SOURCE / "tests/cuda/inject/versions.ptx"
LOAD, STORE, FILL = "versions.cu:5", "versions.cu:6", "versions.cu:12"
PLAIN, FULL = "redflag_plain_spread of cubin with 4 parameters", "spread of cubin with 5 parameters"
WRITES = {("gpu-inter-block", STORE, STORE)}  # lanes of a warp write one value


def Run(folder, *what, **more):
    return inject_run.Run(folder, PROGRAM, KERNELS, *what, **more)


def launched(run):
    return [line.removeprefix("launch ").split(",")[0] for line in run.launches()]


def counts(run):
    """Launches that were full, lean and plain, as the statistics say."""
    stats = [json.loads(line[2:])["stats"] for line in run.report if line.startswith("S ")]
    by_name = {row["name"]: int(row["value"]) for rows in stats for row in rows}
    return [by_name.get(f"launches {name}") for name in ("full", "lean", "plain")]


def one(what, launches, places):
    """The same run twice: the second time from the cache."""
    lean, plain = (sum(line.startswith(f"redflag_{version}_") for line in launches) for version in ("lean", "plain"))
    with tempfile.TemporaryDirectory() as folder:
        native = Run(folder, *what, preload=False)
        for run, which in ((Run(folder, *what), "first"), (Run(folder, *what), "cached")):
            name = f"{' '.join(what)}, {which}"
            check(run.status == 0 and run.out == native.out and "all numbers are right" in run.out, f"{name}: what the program sees", native.out + run.text())
            check(launched(run) == launches, f"{name}: the versions", run.text())
            check(run.places() == places, f"{name}: the races and their lines", run.text() + str(run.places()))
            check(counts(run) == [len(launches) - lean - plain, lean, plain], f"{name}: they are counted", run.text())
            check(f"K {len(launches)}" in run.report, f"{name}: all are launches", run.text())
            check(("compile" in run.log) == (which == "first"), f"{name}: compiled once", run.text())
            kernels = {finding[side]["gpu"]["kernel"] for finding in run.findings() for side in ("first", "second")}
            check(kernels <= {"spread", "fill"}, f"{name}: names are the program's", str(kernels) + run.text())


def choices():
    one(["quiet"], [PLAIN], set())
    one(["racy"], [FULL], WRITES)
    # The same kernel: what a launch is depends on its parameters alone.
    one(["quiet", "racy", "quiet"], [PLAIN, FULL, PLAIN], WRITES)
    # Out and in are parts of one allocation; the blocks meet at their border.
    one(["quiet", "alias"], [PLAIN, FULL], {("gpu-inter-block", LOAD, STORE)})
    one(["extra", "ex"], [PLAIN, PLAIN], set())
    one(["cooperative"], [PLAIN], set())
    one(["cluster"], [FULL], set())
    # A variable of the module; the second launch has two blocks, as the version that tells of what may race in most launches takes for granted.
    one(["fill"], ["redflag_plain_fill of cubin with 0 parameters", "redflag_lean_fill of cubin with 1 parameters"], {("gpu-inter-block", FILL, FILL)})


def schedules():
    """Warps that are held back (redflag run --seed): the same results and races."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "quiet", "racy", REDFLAG_OPTIONS="seed=5")
        check(run.status == 0 and "all numbers are right" in run.out and run.places() == WRITES, "another schedule", run.text())


def modules():
    """Two modules number their places alike: what is found in one hides nothing of the other."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "racy", "second")
        both = WRITES | {("gpu-inter-block", "second.cu:6", "second.cu:6")}
        check(run.status == 0 and run.places() == both, "a second module", run.text() + str(run.places()))


def streams():
    """Only what runs alone can be told less of: in the default stream, as long as all others wait for it."""
    one(["stream", "quiet"], [FULL, PLAIN], set())
    one(["quiet", "unordered", "quiet"], [PLAIN, FULL, FULL], set())


def graphs():
    one(["graph"], [FULL], set())


def libraries():
    roomy = "redflag_plain_roomy of cubin with 1 parameters"
    one(["library"], [PLAIN, PLAIN, FULL, roomy, roomy], WRITES)


def attributes():
    """What is set on a kernel is set on its versions: launches with more than 48 KiB of shared memory succeed."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "attributes")
        check(run.status == 0 and launched(run) == ["redflag_plain_roomy of cubin with 1 parameters"] * 2, "attributes: the launches", run.text())
        check("dynamic at most 51200\ndynamic at most 55296" in run.out, "attributes: what the program set", run.text())
        for line in ("carveout of redflag_plain_roomy 50", "carveout of redflag_plain_roomy 54", "cache of redflag_plain_roomy 1"):
            check(line in run.log, "attributes: " + line, run.text())


def crowded():
    """A kernel that uses all the shared memory of a block runs, and is listed: the runtime's own would not fit."""
    with tempfile.TemporaryDirectory() as folder:
        native, run = Run(folder, "crowded", preload=False), Run(folder, "crowded")
        check(run.status == 0 and run.out == native.out and "all numbers are right" in run.out, "crowded: what the program sees", native.text() + run.text())
        check(launched(run) == ["redflag_lean_crowd of cubin with 2 parameters", "redflag_plain_crowd of cubin with 1 parameters"], "crowded: the versions", run.text())
        check(("gpu-intra-block", "versions.cu:21", "versions.cu:22") in run.places(), "crowded: the launch that fits is checked", run.text() + str(run.places()))
        check("crowd: a launch leaves too little shared memory" in run.said, "crowded: it is listed", run.text())


def lists():
    with tempfile.TemporaryDirectory() as folder:
        native, run = Run(folder, "list", preload=False), Run(folder, "list")
        check(native.out == run.out and run.out.count("the module has") == 4 and "and no more\none is one" in run.out, "lists of kernels", native.out + run.text())


def falls_back():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "quiet", FAKE_DRIVER_REFUSES_LAUNCHES_OF="redflag_plain_spread")
        check(run.status == 0 and launched(run)[-1:] == [FULL] and counts(run) == [1, 0, 0], "a version that the driver does not launch", run.text())
        run = Run(folder, "quiet", "racy", REDFLAG_OPTIONS="detector=ptx_model")
        check(launched(run) == [FULL] * 2 and run.places() == WRITES, "detectors on the host hear of everything", run.text())


def statistics():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**inject_run.os.environ, "XDG_CACHE_HOME": folder, "LD_LIBRARY_PATH": str(BUILD / "tests/fake")}
        done = subprocess.run([REDFLAG, "run", "--stats", "--", PROGRAM, KERNELS, "quiet", "racy", "quiet"], env=environment, text=True, capture_output=True, timeout=120)
        said = done.stdout + done.stderr
        check(done.returncode == 66 and "launches plain" in said and "launches full" in said, "run --stats", said)


finish(choices, schedules, modules, streams, graphs, libraries, attributes, crowded, lists, falls_back, statistics)
