#!/usr/bin/env python3
"""Programs that synchronise everywhere: with all passes and with none of them they have the races that they must have.

    sync_differential.py REDFLAG [--seed=N] [--count=N] [--seconds=N] [--keep=FOLDER]

Random C++ programs (sync_program.py, whose seed is printed) are built with all passes on, where the IR is verified after each, with all
off, and with one left out, or alone, or for sampling. No byte may have a race that the generator does not know, and what is found with
all passes off must be found in every way, unless only some executions are checked. (LLVM may have left out an access itself, and what
the runtime takes as an order is more than the language says: bytes that are lost without the passes are counted only.) On a failure the program and the commands that build it are kept, and --seed=N --count=1 makes the same again.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import time

import sync_program
from differential import PASSES, SKIPPED, difference, races_of

VERIFY = ["-Xclang", "-llvm-verify-each"]


class Variant:
    """One way to build a program and to run it."""

    def __init__(self, name, off=(), words=(), flags=(), options=""):
        self.name, self.off, self.words, self.flags, self.options = name, off, list(words), list(flags), options


def variants(rng):
    one = rng.choice(PASSES)
    others = [each for each in PASSES if each != one]
    return [Variant("all off", PASSES), Variant("all on", flags=VERIFY),
            rng.choice([Variant(f"without {one}", [one]), Variant(f"only {one}", others),
                        Variant("for sampling", words=["--sampling"], flags=VERIFY),
                        Variant("sampled", words=["--sampling"], options="sample=H")])]


def check_seed(redflag, seed, folder, keep):
    """Builds and runs the program of a seed in every way; (runs, racy bytes, of these lost without the passes, failures)."""
    made = sync_program.make(seed)
    rng = random.Random(~seed)
    base = os.path.join(folder, f"sync{seed}")
    source = base + ".cpp"
    with open(source, "w", encoding="utf-8") as file:
        file.write(made.text())
    flags = ["-w", rng.choice(["-O0", "-O1", "-O1", "-O2", "-O2", "-O3", "-Os"])]
    flags += rng.choice([[], ["-g"]]) + rng.choice([[], ["-mavx2"], ["-fno-vectorize"]])
    failures, required = [], None
    chosen = variants(rng)
    for i, how in enumerate(chosen):
        binary = f"{base}.{i}"
        command = ["env", "REDFLAG_PASS_OFF=" + ",".join(how.off), redflag, "c++", "--compiler=clang++-19", *how.words, "--", *flags,
                   *how.flags, source, "-o", binary, "-lpthread"]
        wrong, found, silenced = races_of([command], binary, made.sizes, how.options)
        if required is None:
            required = found
        wrong = wrong or difference(found, made.racy, set() if silenced or how.options else required)
        if wrong:
            failures.append(f"seed {seed}, {how.name}: {wrong}\n  built by: {' '.join(command)}")
        if os.path.exists(binary) and not keep:
            os.remove(binary)
    if not failures and not keep:
        os.remove(source)
    return len(chosen), len(made.racy), len(made.racy - required), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("redflag")
    parser.add_argument("--seed", type=int, help="of the first program; otherwise a new one")
    parser.add_argument("--count", type=int, default=1000000, help="programs")
    parser.add_argument("--seconds", type=float, default=50, help="no new program after that")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="the folder for programs; without it only those that fail are kept")
    arguments = parser.parse_args()
    if shutil.which("clang++-19") is None:
        print("clang++-19 is not here: skipped")
        return SKIPPED
    first = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    folder = arguments.keep or tempfile.mkdtemp(prefix="redflag-sync-")
    os.makedirs(folder, exist_ok=True)
    print(f"seed {first}: programs of seeds {first}, {first + 1}, ... in {folder}", flush=True)
    end = time.monotonic() + arguments.seconds
    programs = runs = free = racy = lost = failed = 0

    def work(seed):
        if time.monotonic() > end or failed > 10:
            return None
        return check_seed(arguments.redflag, seed, folder, arguments.keep)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done in pool.map(work, range(first, first + min(arguments.count, 20000))):
            if done is None:
                continue
            programs += 1
            runs += done[0]
            free += done[1] == 0
            racy += done[1]
            lost += done[2]
            failed += len(done[3])
            for each in done[3]:
                print("FAILED " + each, flush=True)
    print(f"{programs} programs ({free} without races), {runs} builds and runs, {racy} bytes with races, "
          f"{lost} of them lost without the passes as well, {failed} failures")
    if programs > 20 and (not racy or not free or 10 * lost > racy):
        print("there were none with races, or none without, or too many are lost: the generator is at fault")
        return 1
    if not failed and not arguments.keep:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
