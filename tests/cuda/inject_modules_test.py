#!/usr/bin/env python3
"""Kernels that do not come as one module that is seen: linked by the program, relocatable device code, and CUDA 11's runtime library.

  inject_modules_test.py BUILD SOURCE REDFLAG
"""

import tempfile
from pathlib import Path

from inject_run import BUILD, SOURCE, Run, check, finish

PTX = [SOURCE / "tests/cuda/inject" / name for name in ("linked_main.ptx", "linked_part.ptx")]
# What bump() does for everybody at once (lanes of a warp write one value), and what a kernel does itself.
BUMP, COLLIDE = "linked_part.cu:7", "linked_main.cu:40"
RACES = {("gpu-inter-block", BUMP, BUMP), ("gpu-inter-block", COLLIDE, COLLIDE), ("gpu-intra-warp", COLLIDE, COLLIDE)}


def link(folder, how, **more):
    return Run(folder, BUILD / "tests/inject_linked", how, *PTX, f"{folder}/code", **more)


def links():
    """Both modules are rewritten and have one runtime: a barrier of the one orders accesses of the other, and lines are right."""
    for how in ("data", "file", "fat"):
        with tempfile.TemporaryDirectory() as folder:
            plain = link(folder, how, preload=False)
            own = Path(f"{folder}/code").read_bytes()
            check(plain.status == 0 and "all numbers are right" in plain.out and plain.log.count("link of 2") == 1, f"{how}: without us", plain.text())
            run = link(folder, how)
            check(run.status == 0 and "all numbers are right" in run.out, f"{how}: the program's results", run.text())
            check(Path(f"{folder}/code").read_bytes() == own, f"{how}: the program gets its own machine code", run.text())
            check(run.log.count("link of 2") == 2 and all("of cubin with 2 parameters" in line for line in run.launches()),
                  f"{how}: what was linked again is loaded", run.text())
            check(run.places() == RACES, f"{how}: the races and their lines", run.text() + str(run.places()))
            again = link(folder, how)
            check(again.log.count("link of 2") == 1 and again.places() == RACES, f"{how}: the second time it is only loaded", again.text())
            # Programs keep machine code for later runs, and then link nothing.
            later = link(folder, "load")
            check("link of 2" not in later.log and later.places() == RACES, f"{how}: machine code that an earlier run linked", later.text())


def links_of_machine_code():
    with tempfile.TemporaryDirectory() as folder:
        run = link(folder, "mixed")
        # bump() and meet() have no PTX: without that barrier there would be a false report.
        check(run.status == 0 and "all numbers are right" in run.out and not run.places(), "mixed: nothing is checked", run.text())
        check("4 kernels were not checked" in run.said and "cannot be checked: part: machine code only, no PTX" in run.said, "mixed: the list", run.text())
        plain = link(folder, "data", FAKE_DRIVER_REFUSES_LINKS_FROM="2")
        check(plain.status == 0 and "all numbers are right" in plain.out and not plain.places(), "refused: the program's own is loaded", plain.text())
        check("4 kernels were not checked" in plain.said, "refused: the list", plain.text())


def relocatable():
    """nvcc -rdc=true: the PTX of the objects is found in the program's file, or through the wrapper."""
    races = {race for race in RACES if BUMP in race}
    for how in ("linked", "named"):
        with tempfile.TemporaryDirectory() as folder:
            plain = Run(folder, BUILD / "tests/inject_relocatable", how, preload=False)
            check(plain.status == 1, f"{how}: the fake driver reads no fat binaries", plain.text())
            run = Run(folder, BUILD / "tests/inject_relocatable", how)
            check(run.status == 0 and "all numbers are right" in run.out, f"{how}: the program's results", run.text())
            check(run.places() == races, f"{how}: the races and their lines", run.text() + str(run.places()))


def cuda_11():
    """A runtime library that loads modules by a table of its own, linked into the program or not."""
    for program in ("inject_cuda11", "inject_cuda11_static"):
        with tempfile.TemporaryDirectory() as folder:
            plain = Run(folder, BUILD / "tests" / program, preload=False)
            check(plain.status == 0 and plain.log.count("table ptx") == 2 and all("with 1 p" in line for line in plain.launches()),
                  f"{program}: without us", plain.text())
            run = Run(folder, BUILD / "tests" / program)
            check(run.status == 0 and "both have run" in run.out and run.log.count("table cubin") == 2, f"{program}: the modules are ours", run.text())
            check(len(run.launches()) == 2 and all("with 2 p" in line for line in run.launches()), f"{program}: launches are longer by one", run.text())
            check(run.log.count("forget") == 2, f"{program}: what is taken back is what was given", run.text())
            # Two modules have a kernel of this name: each has its own lines.
            races = {(rule, place, place) for rule in ("gpu-inter-block", "gpu-intra-warp") for place in ("first.cu:5", "second.cu:6")}
            check(run.places() == races, f"{program}: the races and their lines", run.text() + str(run.places()))
            refused = Run(folder + "/none", BUILD / "tests" / program, FAKE_DRIVER_REFUSES="1")
            check(refused.status == 0 and refused.log.count("table ptx") == 2 and "2 kernels were not checked" not in refused.said and
                  "collide: the driver's compiler" in refused.said, f"{program}: what cannot be rewritten is loaded as it is", refused.text())


finish(cuda_11, links, links_of_machine_code, relocatable)
