#!/usr/bin/env python3
"""Textures and surfaces through the interposer: arrays have addresses to be told of by, races through objects are found, and kernels
that only read textures run as the program has them where nothing they write lies under one.

  inject_images_test.py BUILD SOURCE REDFLAG
"""

import tempfile

import inject_run
from inject_run import BUILD, SOURCE, check, finish

PROGRAM, KERNELS = BUILD / "tests/inject_images", SOURCE / "tests/cuda/inject/images.ptx"
STORE, FETCH, BLURRED, LOOKED = "images.cu:5", "images.cu:10", "images.cu:11", "images.cu:15"
OVERLAP = {("gpu-inter-block", STORE, STORE)}
IN_PLACE = {("gpu-inter-block", FETCH, BLURRED)}


def Run(folder, *what, **more):
    return inject_run.Run(folder, PROGRAM, KERNELS, *what, **more)


def launched(run):
    return [line.split()[1] for line in run.launches()]


def one(what, launches, places, **more):
    """The same run twice: the second time from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        native = Run(folder, *what, preload=False)
        for run, which in ((Run(folder, *what, **more), "first"), (Run(folder, *what, **more), "cached")):
            name = f"{' '.join(what)}, {which}"
            check(run.status == 0 and run.out == native.out and "all numbers are right" in run.out, f"{name}: what the program sees", native.text() + run.text())
            check(launched(run) == launches, f"{name}: the versions", run.text())
            check(run.places() == places, f"{name}: the races and their lines", run.text() + str(run.places()))
            check("not told" not in run.said, f"{name}: all is told", run.text())


def surfaces():
    one(["draw"], ["draw"], set())
    one(["overlap"], ["draw"], OVERLAP)
    one(["draw", "overlap", "again"], ["draw"] * 5, OVERLAP)


def textures():
    # Nothing that the kernel writes lies under a texture: it runs as the program has it.
    one(["look"], ["redflag_plain_look"], set())
    one(["blur", "look"], ["redflag_plain_blur", "redflag_plain_look"], set())
    one(["inplace"], ["blur"], IN_PLACE)
    one(["blur", "inplace", "blur"], ["redflag_plain_blur", "blur", "redflag_plain_blur"], IN_PLACE)
    one(["draw", "look"], ["draw", "redflag_plain_look"], set())


def copies():
    """Copies to an array are told at its addresses."""
    one(["uploaded"], ["look"], set())
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "upload")
        places = [place for place in run.places() if LOOKED in place]
        check(run.rules() == ["gpu-host-device"] and places and any("images.cpp" in side for side in places[0]), "a copy beside a kernel that fetches", run.text() + str(run.places()))


def detectors():
    """Detectors on the host hear the same, of all launches."""
    one(["draw", "look", "blur"], ["draw", "look", "blur"], set(), REDFLAG_OPTIONS="detector=ptx_model")
    one(["overlap"], ["draw"], OVERLAP, REDFLAG_OPTIONS="detector=ptx_model")
    one(["inplace"], ["blur"], IN_PLACE, REDFLAG_OPTIONS="detector=ptx_model")


def addresses():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "again")
        check(sum(line.startswith("reserve") for line in run.log) == 1, "small arrays share a reservation", run.text())


finish(surfaces, textures, copies, detectors, addresses)
