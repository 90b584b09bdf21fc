#!/usr/bin/env python3
"""A small part of bench/run real, as `ctest -L real`: smoke.py BUILD-FOLDER

zstd and leveldb are fetched and built with Redflag's pass, and natively to compare with. Each runs
its small load: the result must be native's, there must be no finding that is not on the list, and
the recorded run must have the same racy bytes by the oracle. Skipped, with the reason, where the
sources are not kept already and cannot be fetched.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from build import VARIANTS, Build, Redflag
from fetch import NoSources, fetch
from findings import read_accepted
from measure import Runner
from programs import PROGRAMS, RECIPES, SMALL_PART
from replay import replayed
from run import Work

SKIPPED = 77
RUNS = 3


def main():
    folder = Path(sys.argv[1]).resolve()
    redflag = Redflag(folder)
    for name in SMALL_PART:
        recipe = RECIPES[PROGRAMS[name].recipe]
        try:
            for package in recipe.sources:
                fetch(package)
            built = {kind: Build(PROGRAMS[name].recipe, recipe, VARIANTS[kind], redflag).ready() for kind in ("native", "redflag")}
        except NoSources as why:
            print(f"skipped: {name}\n{why}")
            sys.exit(SKIPPED)
        load = PROGRAMS[name].load
        runner = Runner(name, PROGRAMS[name], built, [], read_accepted())
        runner.hunt(load.sizes.quick, RUNS, ["redflag"])
        measured = runner.measured
        assert not measured.wrong, "\n".join(measured.wrong)
        unknown = measured.unknown.get("redflag", {})
        assert not unknown, f"{name}: not on the list of true races: {unknown}\n" + "\n".join(measured.texts.values())
        with Work() as work:
            again = replayed(folder, load, built["redflag"], work)
        assert again.events > 0, f"{name}: nothing was recorded"
        assert again.agrees, f"{name}: the recorded run has other racy bytes by the oracle: {again.difference()}"
        print(f"{name}: right in {measured.runs} runs, {again.events} events replayed with {len(again.live)} racy bytes")


main()
