#!/usr/bin/env python3
"""The passes over real source files: every C and C++ file of Debian's source packages is compiled, with the IR verified after each pass.

    sources.py REDFLAG FOLDER [--packages=zstd,tcc,...] [--seconds=N] [--again]

Run by hand: it fetches the packages with apt-get into FOLDER, by a list made from the system's own. Nothing is configured or linked: a file
is taken if clang compiles it by itself, with all folders of headers in its path, and is then compiled by `redflag cc` or `redflag c++` at
a level and with a plugin of its own. What does not compile then is a fault, and its command is printed. FOLDER/done names the files that are
done, and the next run goes on behind them; --again starts over.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import time
import zlib

PACKAGES = ["zstd", "tcc", "lua5.4", "bzip2", "zlib", "lz4", "xxhash", "libdeflate", "cppcheck", "tinyxml2", "pugixml", "leveldb",
            "snappy", "re2", "double-conversion", "libuv1", "jimtcl", "fmtlib", "mimalloc"]
SUFFIXES = {".c": "cc", ".cc": "c++", ".cpp": "c++", ".cxx": "c++"}
WAYS = [[], [], ["--sampling"]]


def fetch(folder, packages):
    """The packages' unpacked sources, by name."""
    lists = os.path.join(folder, "lists")
    os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
    listed = os.path.join(folder, "sources.sources")
    texts = []
    for each in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(each, encoding="utf-8") as file:
            texts.append(re.sub(r"^Types:.*", "Types: deb-src", file.read(), flags=re.M))
    with open(listed, "w", encoding="utf-8") as file:
        file.write("\n".join(texts))
    apt = ["apt-get", "-q", "-o", "Dir::Etc::sourcelist=" + listed, "-o", "Dir::Etc::sourceparts=/dev/null", "-o", "Dir::State::lists=" + lists]
    found = {}
    if not all(glob.glob(os.path.join(folder, each, "*/")) for each in packages):
        subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    for each in packages:
        own = os.path.join(folder, each)
        os.makedirs(own, exist_ok=True)
        if not glob.glob(own + "/*/"):
            subprocess.run([*apt, "source", each], cwd=own, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        unpacked = glob.glob(own + "/*/")
        if unpacked:
            found[each] = unpacked[0]
        else:
            print(f"{each}: not there")
    return found


def headers_of(folder):
    folders = {root for root, _, files in os.walk(folder) if any(each.endswith((".h", ".hpp", ".hh")) for each in files)}
    parents = {os.path.dirname(each.rstrip("/")) for each in folders}
    return ["-I" + each for each in sorted(folders | parents, key=lambda each: (each.count("/"), each))[:80]]


def check(redflag, path, includes):
    """None: not by itself; "": right; or what is wrong."""
    language = SUFFIXES[os.path.splitext(path)[1]]
    compiler = "clang-19" if language == "cc" else "clang++-19"
    rng = random.Random(zlib.crc32(os.path.basename(path).encode()))
    flags = ["-w", "-D_GNU_SOURCE", "-std=gnu11" if language == "cc" else "-std=gnu++17", "-I" + os.path.dirname(path), *includes, "-c", path,
             "-o", "/dev/null"]
    try:
        alone = subprocess.run([compiler, *flags, "-fsyntax-only"], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    if alone.returncode != 0:
        return None
    command = [redflag, language, "--compiler=" + compiler, *rng.choice(WAYS), "--", rng.choice(["-O1", "-O2", "-O2", "-O3"]), *flags,
               "-Xclang", "-llvm-verify-each"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    except subprocess.TimeoutExpired:
        return f"does not end: {' '.join(command)}"
    return "" if done.returncode == 0 else f"{done.stderr[-2500:]}\n  built by: {' '.join(command)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("redflag")
    parser.add_argument("folder")
    parser.add_argument("--packages", default=",".join(PACKAGES))
    parser.add_argument("--seconds", type=float, default=500, help="no new file after that")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.folder)
    os.makedirs(folder, exist_ok=True)
    done_file = os.path.join(folder, "done")
    if arguments.again and os.path.exists(done_file):
        os.remove(done_file)
    done = set()
    if os.path.exists(done_file):
        with open(done_file, encoding="utf-8") as file:
            done = set(file.read().splitlines())
    sources = fetch(folder, sorted(set(arguments.packages.split(","))))
    tasks = []
    for name, root in sources.items():
        includes = headers_of(root)
        paths = [os.path.join(at, each) for at, _, files in os.walk(root) for each in sorted(files) if os.path.splitext(each)[1] in SUFFIXES]
        tasks += [(name, each, includes) for each in paths if each not in done]
    tasks.sort(key=lambda task: zlib.crc32(task[1].encode()))  # of all packages, however soon the time is over
    end = time.monotonic() + arguments.seconds
    counts = {name: [0, 0, 0] for name in sources}  # compiled, not by themselves, failed

    def work(task):
        name, path, includes = task
        return None if time.monotonic() > end else (name, path, check(arguments.redflag, path, includes))

    left = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(done_file, "a", encoding="utf-8", buffering=1) as log:
        for result in pool.map(work, tasks):
            if result is None:
                left += 1
                continue
            name, path, wrong = result
            counts[name][1 if wrong is None else 2 if wrong else 0] += 1
            if wrong:
                print(f"FAILED {path}: {wrong}", flush=True)
            else:
                log.write(path + "\n")
    for name, (compiled, alone, failed) in counts.items():
        print(f"{name}: {compiled} compiled, {alone} not by themselves, {failed} failed")
    print(f"{sum(each[0] for each in counts.values())} files compiled, {sum(each[2] for each in counts.values())} failures, {left} left for the next run")
    return 1 if any(each[2] for each in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
