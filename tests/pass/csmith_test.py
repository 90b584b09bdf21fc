#!/usr/bin/env python3
"""Programs of csmith: with the passes they compile, the IR holds after each pass, and they say what they say without.

    csmith_test.py REDFLAG [--seed=N] [--count=N] [--seconds=N]

Each program, of one thread, is compiled at a level of its own, natively and with one of the plugins; both must print the same. A program
that takes long is left out. Where csmith is not installed (package csmith), the test is skipped.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
VERIFY = ["-Xclang", "-llvm-verify-each"]
WAYS = [[], [], [], ["--sampling"], ["--count-instructions"]]
LONG = 3  # seconds


def run(binary):
    """What it prints; None: it takes long."""
    try:
        done = subprocess.run([binary], capture_output=True, text=True, timeout=LONG, check=False)
    except subprocess.TimeoutExpired:
        return None
    return f"{done.stdout}ended with {done.returncode}"


def check_seed(redflag, headers, seed, folder):
    """None: left out; "": right; or what is wrong."""
    rng = random.Random(seed)
    base = os.path.join(folder, f"csmith{seed}")
    source = base + ".c"
    options = [rng.choice(["--packed-struct", "--no-packed-struct"]), rng.choice(["--volatiles", "--no-volatiles"]),
               rng.choice(["--float", "--no-float"]),
               rng.choice(["--inline-function", "--no-inline-function"])]
    subprocess.run(["csmith", "--seed", str(seed), "--concise", "--max-funcs", "6", "--max-array-dim", "2", *options, "-o", source], capture_output=True,
                   timeout=30, check=True)
    flags = ["-w", "-I" + headers, rng.choice(["-O1", "-O2", "-O3"]), *rng.choice([[], ["-g"], ["-mavx2"]]), source, "-lm"]
    native = ["clang-19", *flags, "-o", base + ".native"]
    way = rng.choice(WAYS)
    ours = [redflag, "cc", "--compiler=clang-19", *way, "--", *flags, *VERIFY, "-o", base + ".ours"]
    wrong = ""
    subprocess.run(native, capture_output=True, timeout=120, check=True)
    expected = run(base + ".native")
    if expected is not None:
        built = subprocess.run(ours, capture_output=True, text=True, timeout=300, check=False)
        if built.returncode != 0:
            wrong = "does not build:\n" + built.stderr[-3000:]
        elif (found := run(base + ".ours")) is not None and found != expected:
            wrong = f"prints {found}, natively {expected}"
        if wrong:
            wrong = f"seed {seed}: {wrong}\n  built by: {' '.join(ours)}"
    for path in glob.glob(base + "*"):
        if not (wrong and path == source):
            os.remove(path)
    return wrong if expected is not None else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("redflag")
    parser.add_argument("--seed", type=int, help="of the first program; otherwise a new one")
    parser.add_argument("--count", type=int, default=1000000, help="programs")
    parser.add_argument("--seconds", type=float, default=50, help="no new program after that")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    headers = [os.path.dirname(each) for each in glob.glob("/usr/include/**/csmith.h", recursive=True)]
    if shutil.which("clang-19") is None or shutil.which("csmith") is None or not headers:
        print("clang-19 or csmith is not here: skipped")
        return SKIPPED
    first = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    folder = tempfile.mkdtemp(prefix="redflag-csmith-")
    print(f"seed {first}: programs of seeds {first}, {first + 1}, ... in {folder}", flush=True)
    end = time.monotonic() + arguments.seconds
    programs = left_out = failed = 0

    def work(seed):
        if time.monotonic() > end or failed > 10:
            return False
        return check_seed(arguments.redflag, headers[0], seed, folder)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done in pool.map(work, range(first, first + min(arguments.count, 20000))):
            if done is False:
                continue
            programs += done is not None
            left_out += done is None
            if done:
                failed += 1
                print("FAILED " + done, flush=True)
    print(f"{programs} programs, {left_out} left out, {failed} failures")
    if not failed:
        shutil.rmtree(folder)
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
