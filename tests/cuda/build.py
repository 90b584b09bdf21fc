#!/usr/bin/env python3
"""Makes the PTX beside the programs of tests/cuda/programs, bench/cuda and bench/gpu-accuracy/scor again, with nvcc of CUDA 13.

    build.py [--only GLOB]         all of them, or some
    build.py --check [--only GLOB] compares instead: 1 when what is checked in is not what the sources give; 77 without nvcc
    build.py --gpu FOLDER          makes executables for a real GPU: main() runs the script of its source

Lines of a source that build.py reads: "// ARCH: 90" (80 without), "// FLAGS: ..." for nvcc, "// VARIANTS: name=-DX ..." makes
NAME.name.ptx as well. Paths of the machine are taken out; sources are named as they are called in this folder.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = [ROOT / "tests" / "cuda" / "programs", ROOT / "bench" / "cuda", ROOT / "bench" / "gpu-accuracy" / "scor"]


def find_nvcc():
    folders = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return shutil.which("nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


class Job:
    """One source with one set of flags."""

    def __init__(self, source, variant="", extra=()):
        text = source.read_text()
        option = lambda key, default: (re.findall(rf"^// {key}: (.*)$", text, re.M) or [default])[0].strip()
        self.source = source
        self.arch = option("ARCH", "80")
        self.flags = [*shlex.split(option("FLAGS", "")), *extra]
        self.ptx = source.with_suffix(f".{variant}.ptx" if variant else ".ptx")
        self.variants = [v.partition("=") for v in option("VARIANTS", "").split()]


def jobs_of(only):
    jobs = []
    for folder in FOLDERS:
        for source in sorted(folder.glob("*.cu")):
            if not fnmatch.fnmatch(source.stem, only):
                continue
            job = Job(source)
            jobs.append(job)
            jobs += [Job(source, name, [flag]) for name, _, flag in job.variants]
    return jobs


def make_ptx(nvcc, job, to):
    done = subprocess.run([nvcc, "-std=c++17", f"-arch=compute_{job.arch}", "-ptx", "-lineinfo", f"-I{ROOT}", *job.flags, job.source.name,
                           "-o", str(to)], cwd=job.source.parent, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip() or f"nvcc ended with {done.returncode}"
    # Only the last part of paths stays; without the comments that name the compiler's build.
    text = re.sub(r'(\.file[^"]*")[^"]*/', r"\1", to.read_text())
    text = "\n".join(line for line in text.split("\n") if not line.startswith("//"))
    to.write_text(text.strip("\n") + "\n")
    return None


def check(nvcc, job, folder):
    """What is wrong, or None."""
    made = folder / f"{job.ptx.parent.parent.name}-{job.ptx.name}"
    fault = make_ptx(nvcc, job, made)
    if fault:
        return fault
    if not job.ptx.exists():
        return "is not checked in: run tests/cuda/build.py"
    # What depends on the toolkit's place and on this one: times and sizes of files, and a number in the names of what has internal
    # linkage, which the debugger's strings spell as bytes.
    plain = lambda path: re.sub(r"_INTERNAL_[0-9a-f]{8}_|, \d+, \d+$|^\.b8 [\d,]+$", "", path.read_text(), flags=re.M)
    return None if plain(made) == plain(job.ptx) else "differs from what nvcc makes now: run tests/cuda/build.py"


def make_program(nvcc, job, folder):
    host = ROOT / "tests" / "cuda" / "host"
    sources = [job.source, host / "cuda.cu", host / "script.cpp", host / "types.cpp"]
    done = subprocess.run([nvcc, "-std=c++20", f"-arch=compute_{job.arch}", "-lineinfo", f"-I{ROOT}", *job.flags, *map(str, sources), "-o",
                           str(folder / job.ptx.stem)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--gpu", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    nvcc = find_nvcc()
    if nvcc is None:
        print("skipped: no nvcc on PATH or below CUDA_HOME or CUDA_PATH (it comes with the CUDA toolkit)")
        return 77
    version = re.search(r"release (\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)
    if arguments.check and (not version or version[1] != "13"):
        print(f"skipped: the PTX was made by nvcc 13, and this is {version[1] if version else 'another'}")
        return 77
    jobs = jobs_of(arguments.only)
    with tempfile.TemporaryDirectory() as folder:
        work = {True: lambda job: check(nvcc, job, Path(folder)), False: lambda job: make_ptx(nvcc, job, job.ptx)}[arguments.check]
        if arguments.gpu:
            os.makedirs(arguments.gpu, exist_ok=True)
            work = lambda job: make_program(nvcc, job, Path(arguments.gpu))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            faults = [(job, fault) for job, fault in zip(jobs, pool.map(work, jobs)) if fault]
    for job, fault in faults:
        print(f"{job.ptx.name}: {fault}")
    print(f"{len(jobs)} programs, {len(faults)} faults")
    return 1 if faults or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
