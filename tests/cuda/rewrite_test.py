#!/usr/bin/env python3
"""What the rewriter makes, assembles: ptxas on every PTX file here that ptxas accepts as it is, with hooks declared and with hooks merged in.

Usage: rewrite_test.py REDFLAG [FILE.ptx...]; without files, those of tests/cuda/ptx, tests/cuda/programs and bench/cuda. The merged runtime
has hooks that return at once. Skipped (77) where there is no ptxas: on PATH, or in bin/ below CUDA_HOME or CUDA_PATH.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("tests/cuda/ptx", "tests/cuda/programs", "bench/cuda")


def find_ptxas():
    folders = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return shutil.which("ptxas", path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


def quiet_runtime():
    text = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 8 .u64 redflag_state;\n"
    hooks = (ROOT / "frontends/cuda/device/hooks.inc").read_text()
    for name, letters in re.findall(r'HOOK\(\w+,\s*"(\w+)",\s*"(\w*)"', hooks):
        parameters = ", ".join(f".param .b{64 if letter == 'L' else 32} p{i}" for i, letter in enumerate(letters))
        text += f".visible .func {name}({parameters})\n{{\nret;\n}}\n"
    return text


def assemble(ptxas, text, cubin):
    target = re.search(r"^\s*\.target\s+(\w+)", text.read_text(), re.M).group(1)
    done = subprocess.run([ptxas, "-c", "-O1", "-arch", target, str(text), "-o", str(cubin)], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip() or f"ptxas ended with {done.returncode}"


def check(ptxas, redflag, file, runtime):
    with tempfile.TemporaryDirectory() as folder:
        made, cubin = Path(folder) / "made.ptx", Path(folder) / "made.cubin"
        for options in ([], [f"--runtime={runtime}"]):
            done = subprocess.run([redflag, "ptx", "--rewrite", *options, str(file)], capture_output=True, text=True)
            if done.returncode != 0:
                return done.stderr
            made.write_text(done.stdout)
            fault = assemble(ptxas, made, cubin)
            if fault and assemble(ptxas, file, cubin) is None:
                return f"{'merged' if options else 'declared'}: {fault}"
    return None


def check_link(ptxas, redflag):
    """Rewritten modules are linked to each other: the runtime, which each of them has, is there once."""
    nvlink = Path(ptxas).parent / "nvlink"
    if not nvlink.exists():
        return []
    runtimes = [Path(redflag).parent.parent / "frontends/cuda/device" / f"{name}_90.ptx" for name in ("compact", "stream")]
    faults = []
    for runtime in runtimes:
        with tempfile.TemporaryDirectory() as folder:
            cubins = []
            for name in ("linked_main", "linked_part"):
                made, cubin = Path(folder) / f"{name}.ptx", Path(folder) / f"{name}.cubin"
                source = ROOT / f"tests/cuda/inject/{name}.ptx"
                done = subprocess.run([redflag, "ptx", "--rewrite", f"--runtime={runtime}", str(source)], capture_output=True, text=True)
                made.write_text(done.stdout)
                fault = assemble(ptxas, made, cubin) if done.returncode == 0 else done.stderr
                if fault:
                    faults.append(f"{name} with {runtime.name}: {fault}")
                cubins.append(str(cubin))
            done = subprocess.run([str(nvlink), "-arch=sm_90", *cubins, "-o", f"{folder}/all.cubin"], capture_output=True, text=True)
            if done.returncode != 0 or done.stderr:
                faults.append(f"linked with {runtime.name}: {done.stdout + done.stderr}")
    return faults


def main():
    ptxas = find_ptxas()
    if ptxas is None:
        print("skipped: no ptxas on PATH or below CUDA_HOME or CUDA_PATH (it comes with the CUDA toolkit)")
        sys.exit(77)
    files = [Path(f) for f in sys.argv[2:]] or sorted(f for folder in FOLDERS for f in (ROOT / folder).glob("*.ptx"))
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as runtime, concurrent.futures.ThreadPoolExecutor(2) as pool:
        runtime.write(quiet_runtime())
        runtime.flush()
        found = pool.map(lambda file: check(ptxas, sys.argv[1], file, runtime.name), files)
        faults = [f"{file.name}: {fault}" for file, fault in zip(files, found) if fault]
    if not sys.argv[2:]:
        faults += check_link(ptxas, sys.argv[1])
    print("\n".join(faults))
    print(f"{len(files)} files, {len(faults)} not assembled")
    sys.exit(1 if faults or not files else 0)


main()
