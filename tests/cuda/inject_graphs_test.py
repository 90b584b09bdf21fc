#!/usr/bin/env python3
"""Graphs: each launch of a kernel node has a number of its own, what a graph does not order races, what it orders does not.

  inject_graphs_test.py BUILD SOURCE REDFLAG
"""

import tempfile

from inject_run import BUILD, SOURCE, Run, check, finish

KERNELS = SOURCE / "tests/cuda/runtime/kernels.ptx"


def graph(folder, what, kind, **more):
    return Run(folder, BUILD / "tests/inject_graphs", KERNELS, what, kind, **more)


def branches():
    with tempfile.TemporaryDirectory() as folder:
        for what in ("kernel", "captured", "child", "captured-child", "fill", "copy"):
            for options in ("", "detector=ptx_model"):
                race = graph(folder, what, "race", REDFLAG_OPTIONS=options)
                check(race.status in (0, 66) and "all numbers are right" in race.out, f"{what} {options}: the program's results", race.text())
                check(len(race.rules()) > 0, f"{what} {options}: the race", race.text())
                fine = graph(folder, what, "ok", REDFLAG_OPTIONS=options)
                check("all numbers are right" in fine.out and not fine.rules(), f"{what} {options}: what is ordered", fine.text())


def numbers():
    with tempfile.TemporaryDirectory() as folder:
        plain = graph(folder, "numbers", "ok", preload=False)
        check(plain.status == 0 and len([line for line in plain.log if line.startswith("run scale")]) == 24, "without us", plain.text())
        run = graph(folder, "numbers", "ok")
        ran = [line for line in run.log if line.startswith("run scale")]
        check("all numbers are right" in run.out and not run.rules() and "of an earlier launch" not in run.said, "children: the program's results", run.text())
        check(len(ran) == 24 and len(set(ran)) == 24, "children: each launch has its number", run.text())
        check("K 24" in run.report, "children: launches are counted", run.text())


finish(branches, numbers)
