#!/usr/bin/env python3
"""Whole programs, programs/*: built with the passes at several levels, those that end in _ok are quiet, those in _race are not.

    programs_test.py REDFLAG

The IR is verified after each pass.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED, CLEAN, RACES = 77, 0, 66


def check(redflag, name, level, folder):
    """None, or what is wrong."""
    binary = os.path.join(folder, name + level)
    command = [redflag, "c++", "--compiler=clang++-19", "--", level, "-std=c++20", "-Xclang", "-llvm-verify-each", "-w",
               os.path.join(HERE, "programs", name), "-o", binary, "-lpthread"]
    built = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if built.returncode != 0:
        return f"{name} {level}: does not build:\n{built.stderr[-2000:]}"
    done = subprocess.run([redflag, "run", "--", binary], capture_output=True, text=True, timeout=60, check=False)
    expected = RACES if name.rsplit(".", 1)[0].endswith("_race") else CLEAN
    if done.returncode != expected:
        return f"{name} {level}: ended with {done.returncode}, not {expected}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return None


def main():
    redflag = sys.argv[1]
    if shutil.which("clang++-19") is None:
        print("clang++-19 is not here: skipped")
        return SKIPPED
    names = sorted(os.listdir(os.path.join(HERE, "programs")))
    tasks = [(name, level) for name in names for level in ("-O0", "-O1", "-O2", "-O3")]
    with tempfile.TemporaryDirectory(prefix="redflag-programs-") as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [each for each in pool.map(lambda task: check(redflag, *task, folder), tasks) if each]
    for each in wrong:
        print("FAILED " + each)
    print(f"{len(tasks)} programs built and run, {len(wrong)} failures")
    return 1 if wrong or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
