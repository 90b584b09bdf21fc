#!/usr/bin/env python3
"""What Redflag prints assembles to the same machine code as what it read: ptxas on both, section by section.

Usage: ptxas_test.py REDFLAG [FILE.ptx...]; without files, those of tests/cuda/ptx. Skipped (77) where there is no ptxas: on PATH, or
in bin/ below CUDA_HOME or CUDA_PATH.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "ptx"
# Code, constants, initial values and what the loader must know; debug sections name lines of the PTX text.
COMPARED = (".text", ".nv.constant", ".nv.global", ".nv.shared", ".nv.info", ".rel.text", ".rela.text")


def find_ptxas():
    folders = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return shutil.which("ptxas", path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


def sections(cubin):
    """Name to bytes, of the sections that matter."""
    data = cubin.read_bytes()
    start = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
    found = {}
    for name_at, kind, _, _, offset, length, *_ in headers:
        name = data[headers[names][4] + name_at:].split(b"\0", 1)[0].decode()
        if name.startswith(COMPARED):
            # Shared memory has a size and no bytes.
            found[name] = (kind, b"" if name.startswith(".nv.shared") else data[offset:offset + length], length)
    return found


def assemble(ptxas, text, cubin):
    target = re.search(r"^\s*\.target\s+(\w+)", text.read_text(), re.M).group(1)
    done = subprocess.run([ptxas, "-c", "-arch", target, str(text), "-o", str(cubin)], capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip() or f"ptxas ended with {done.returncode}"
    return None


def check(ptxas, redflag, file, folder):
    printed = folder / "printed.ptx"
    done = subprocess.run([redflag, "ptx", "--dump", str(file)], capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr
    printed.write_text(done.stdout)
    fault = assemble(ptxas, file, folder / "a.cubin")
    if fault:
        return f"the file itself: {fault}"
    fault = assemble(ptxas, printed, folder / "b.cubin")
    if fault:
        return f"what was printed: {fault}"
    a, b = sections(folder / "a.cubin"), sections(folder / "b.cubin")
    other = sorted(name for name in {*a, *b} if a.get(name) != b.get(name))
    if not any(name.startswith(".text") for name in a):
        return "there is no machine code to compare"
    return f"sections differ: {', '.join(other)}" if other else None


def main():
    ptxas = find_ptxas()
    if ptxas is None:
        print("skipped: no ptxas on PATH or below CUDA_HOME or CUDA_PATH (it comes with the CUDA toolkit)")
        sys.exit(77)
    files = [Path(f) for f in sys.argv[2:]] or sorted(FOLDER.glob("*.ptx"))
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            fault = check(ptxas, sys.argv[1], file, Path(folder))
            faults += fault is not None
            print(f"{file.name}: {fault or 'same machine code'}")
    sys.exit(1 if faults or not files else 0)


main()
