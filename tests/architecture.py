#!/usr/bin/env python3
"""Fails when an include goes the wrong way: the allowed directions of docs/dev/architecture.md, as a table; and when
a source names a page of docs/ that does not exist.

Each folder names the folders it may include from (itself always). Tests beside the sources may also use what
the table says for tests. A folder that is not in the table is a fault too: give new code a room first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MAY_USE = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/clock": ["core/base", "core/model"],
    "core/shadow": ["core/base", "core/model", "core/clock"],
    "core/detect": ["core/base", "core/model", "core/clock", "core/shadow"],
    "core/explain": ["core/base", "core/model", "core/clock"],
    "core/trace": ["core/base", "core/model"],
    "core/report": ["core/base", "core/model"],
    "core/generate": ["core/base", "core/model"],
    "core/live": ["core/base", "core/model", "core/clock"],
    "core/symbolize": ["core/base", "core/model"],
    "confirm": ["core/base", "core/model"],
    "frontends/cpu/wire": ["core/base", "core/model"],
    # What compiled code and the runtime agree on, and the plugin for clang that compiles it so.
    "frontends/cpu/abi": [],
    "frontends/cpu/pass": ["frontends/cpu/abi"],
    # Inside the program under test: interceptors and OpenMP know the runtime only by its interface.
    "frontends/cpu/rt": ["core/base", "core/model", "core/live", "frontends/cpu/wire", "frontends/cpu/abi"],
    "frontends/cpu/linkage": ["frontends/cpu/rt"],
    "frontends/cpu/interpose": ["frontends/cpu/rt", "frontends/cpu/linkage"],
    "frontends/cpu/openmp": ["frontends/cpu/rt", "frontends/cpu/linkage", "frontends/cpu/interpose"],
    # The reporter's end.
    "frontends/cpu/collect": ["core/base", "core/model", "core/clock", "core/shadow", "core/detect", "core/explain", "core/report", "core/symbolize", "core/trace",
                              "frontends/cpu/wire"],
    # CUDA: the text of kernels and the files they are in, each by itself.
    "frontends/cuda/ptx": ["core/base"],
    "frontends/cuda/fatbin": ["core/base"],
    # Which texels textures and surfaces access: for host and device, in words of its own.
    "frontends/cuda/texture": ["core/detect"],
    # Instructions in the words of the model, for whoever runs them and whoever rewrites them.
    "frontends/cuda/meaning": ["core/base", "core/model", "frontends/cuda/ptx", "frontends/cuda/texture"],
    # The emulated GPU: what instructions compute, then the machine; then CUDA's runtime library on it.
    "frontends/cuda/values": ["core/base", "frontends/cuda/ptx"],
    "frontends/cuda/emulate": ["core/base", "core/model", "frontends/cuda/ptx", "frontends/cuda/meaning", "frontends/cuda/texture", "frontends/cuda/values"],
    # From inside a CUDA program to the user, for both kinds of GPU.
    "frontends/cuda/report": ["core/base", "core/model", "core/detect", "core/report", "core/symbolize"],
    # The host's accesses to memory of a GPU's kernels, also for both.
    "frontends/cuda/watch": [],
    "frontends/cuda/cudart": ["core/base", "core/model", "core/detect", "core/explain", "core/report", "core/symbolize", "core/trace",
                              "frontends/cuda/ptx", "frontends/cuda/fatbin", "frontends/cuda/emulate", "frontends/cuda/report", "frontends/cuda/watch"],
    # On a GPU: what runs in kernels, how it gets there, and the library in the program that does it.
    "frontends/cuda/device": ["core/base", "core/model", "core/detect", "frontends/cuda/texture"],
    "frontends/cuda/prove": ["core/base", "frontends/cuda/ptx"],
    "frontends/cuda/rewrite": ["core/base", "core/model", "core/detect", "frontends/cuda/ptx", "frontends/cuda/meaning", "frontends/cuda/texture", "frontends/cuda/device", "frontends/cuda/prove"],
    "frontends/cuda/inject": ["core/base", "core/model", "core/detect", "core/explain", "core/report", "core/symbolize", "core/trace",
                              "frontends/cuda/ptx", "frontends/cuda/fatbin", "frontends/cuda/texture", "frontends/cuda/device", "frontends/cuda/prove", "frontends/cuda/rewrite", "frontends/cuda/report", "frontends/cuda/watch"],
    # Headers and a math library for kernels, in the place of a toolkit's.
    "frontends/cuda/toolkit": [],
    "frontends/cuda/lines": [],
    # One-sided programs: what is told of a race, what follows a rank, MPI's calls; and the reporter's end.
    "frontends/pgas/wire": [],
    "frontends/pgas/track": ["core/base", "core/model", "core/detect", "frontends/cpu/abi", "frontends/pgas/wire"],
    "frontends/pgas/hold": ["core/base", "core/model", "core/detect", "frontends/cpu/abi", "frontends/cpu/wire", "frontends/pgas/track"],
    "frontends/pgas/exchange": ["core/base", "core/detect", "frontends/pgas/track", "frontends/pgas/hold"],
    "frontends/pgas/mpi": ["core/base", "core/model", "core/detect", "frontends/cpu/abi", "frontends/pgas/track", "frontends/pgas/hold", "frontends/pgas/exchange", "frontends/pgas/wire"],
    "frontends/pgas/shmem": ["core/base", "core/model", "core/detect", "frontends/cpu/abi", "frontends/pgas/track", "frontends/pgas/hold", "frontends/pgas/exchange"],
    "frontends/pgas/collect": ["core/base", "core/model", "core/detect", "core/symbolize", "frontends/pgas/wire"],
    # The hardware models, consumers of events beside the detectors. Parameters, results and figures know no model;
    # studies know all of them.
    "sim/config": ["core/base"],
    "sim/experiment": ["core/base", "sim/config"],
    "sim/plot": ["core/base"],
    "sim/mem": ["core/base"],
    "sim/mem/gpu": ["core/base", "core/model", "sim/mem"],
    "sim/models/scord": ["core/base", "core/model", "core/detect", "sim/mem", "sim/mem/gpu"],
    "sim/models/parsnip": ["core/base", "core/model", "core/clock", "core/shadow", "core/detect", "sim/mem"],
    "sim/study": ["core/base", "core/model", "core/detect", "core/trace", "sim/config", "sim/experiment", "sim/plot", "sim/mem",
                  "sim/mem/gpu", "sim/models/parsnip", "sim/models/scord"],
    "cli": ["core/base", "core/model", "core/clock", "core/shadow", "core/detect", "core/explain", "core/trace", "core/report",
            "core/generate", "core/symbolize", "confirm", "frontends/cpu/wire", "frontends/cpu/collect", "frontends/cuda/ptx",
            "frontends/cuda/fatbin", "frontends/cuda/rewrite", "frontends/pgas/wire", "frontends/pgas/collect",
            "sim/config", "sim/experiment", "sim/plot", "sim/study"],
    "bench": ["core/base", "core/model", "core/clock", "core/shadow", "core/detect", "core/explain", "core/trace", "core/report",
              "core/generate", "core/live", "core/symbolize", "cli", "frontends/cuda/ptx", "frontends/cuda/emulate", "sim/mem", "sim/mem/gpu",
              "sim/models/parsnip", "sim/models/scord",
              "tests"],  # workloads for the GPU have their host side as the programs of tests/cuda have
}
EVERYTHING = [*MAY_USE, "tests"]
# What tests may use besides, to make their inputs and look at results.
TESTS_MAY_USE = {
    "frontends/cuda/prove": ["core/model", "core/detect", "frontends/cuda/rewrite", "frontends/cuda/emulate"],
    "frontends/cuda/rewrite": ["frontends/cuda/emulate", "tests"],
    "frontends/cpu/rt": ["core/report"],
    "core/clock": ["core/generate"],
    "core/detect": ["core/generate"],
    "core/explain": ["core/detect"],
    "core/generate": ["core/detect"],
    "sim/models/parsnip": ["core/generate"],
    "frontends/cuda/device": ["frontends/cuda/ptx", "frontends/cuda/emulate", "frontends/cuda/rewrite"],
}
# A page as messages and comments name it; a message may go on in the next line's literal.
PAGE = re.compile(r"\bdocs/(?:user|how|dev|schema)/[\w.-]*\w")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def folder_of(path):
    """The row of the table that a file belongs to: the longest that is a prefix of its path."""
    rows = [f for f in EVERYTHING if path.startswith(f + "/")]
    return max(rows, key=len) if rows else None


def main():
    faults = []
    files = [p for p in ROOT.rglob("*") if p.suffix in (".h", ".cpp", ".inc", ".cu", ".cuh")]
    files = [p for p in files if not str(p.relative_to(ROOT)).startswith(("build", ".git/"))]
    # Examples are programs to find races in, not part of the product: they include nothing of it.
    count = 0
    for path in sorted(files):
        name = str(path.relative_to(ROOT))
        here = folder_of(name)
        if here is None and not name.startswith("examples/") and not name.startswith("tests/web/"):
            faults.append(f"{name}: its folder is not in tests/architecture.py; say there what it may use")
            continue
        is_test = path.stem.endswith("_test") or path.stem == "testing" or path.stem == "sample_report"
        text = path.read_text()
        for page in PAGE.findall(re.sub(r'"\s*\n\s*"', "", text)):
            if not (ROOT / page).exists():
                faults.append(f"{name}: names the page {page}, which does not exist")
        for include in INCLUDE.findall(text):
            count += 1
            there = folder_of(include)
            if name.startswith("examples/"):
                allowed = []
            elif here == "tests":
                allowed = EVERYTHING
            else:
                allowed = [here, *MAY_USE[here], *(TESTS_MAY_USE.get(here, []) if is_test else [])]
            if there is None and not (path.parent / include).exists() and not (ROOT / include).exists():
                faults.append(f'{name}: includes "{include}", which is not in this repository; write paths from its root')
            elif there is not None and there not in allowed:
                faults.append(f'{name}: includes "{include}"; {here or "examples"} may use only: {", ".join(allowed) or "nothing"}')
    # The same for the build: a target's DEPS may not name a library of a forbidden folder.
    for folder, allowed in MAY_USE.items():
        cmake = ROOT / folder / "CMakeLists.txt"
        if not cmake.exists():
            continue
        for block in re.findall(r"redflag_library\(([^)]*)\)", cmake.read_text()):
            for dep in re.findall(r"\bredflag_(\w+)", block.partition("DEPS")[2]):
                there = f"core/{dep}"
                if there in MAY_USE and there not in [folder, *allowed]:
                    faults.append(f"{folder}/CMakeLists.txt: links redflag_{dep}, which {folder} may not use")
    for fault in faults:
        print(fault)
    print(f"{count} includes in {len(files)} files, {len(faults)} faults")
    sys.exit(1 if faults or count < 100 else 0)


main()
