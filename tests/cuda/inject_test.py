#!/usr/bin/env python3
"""libredflag-cuda.so before a driver that is none: what reaches the driver, and what the program sees.

  inject_test.py BUILD SOURCE REDFLAG

The driver (tests/cuda/inject/fake_driver.cpp) writes down its calls; kernels run in the emulator. Whatever way the program finds the
driver's functions, its modules must be replaced, its launches must have one parameter more, and its results must be the same.
"""

import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import inject_run
from inject_run import BUILD, REDFLAG, SOURCE, check, finish

PROGRAM = BUILD / "tests/inject_program"
KERNELS = SOURCE / "tests/cuda/runtime/kernels.ptx"
WAYS = ["direct", "dlsym", "address", "per-thread"]


def Run(folder, way, what="", **more):
    return inject_run.Run(folder, PROGRAM, way, KERNELS, *([what] if what else []), **more)


def is_checked(run, name):
    check(run.status == 0 and "all numbers are right" in run.out, f"{name}: the program's results", run.text())
    check("scale has 2 parameters" in run.out, f"{name}: the parameter that was added is not seen", run.text())
    launches = run.launches()
    check(len(launches) == 9, f"{name}: 9 launches reach the driver", run.text())
    # What cannot race may run as the program has it (inject_versions_test.py).
    launches = [line for line in launches if not re.match(r"launch redflag_plain_(scale of cubin with 2|count of cubin with 0) parameters", line)]
    check(all("scale of cubin with 3 parameters" in line or "count of cubin with 1 parameters" in line for line in launches),
          f"{name}: launches are longer by one", run.text())
    numbers = [int(re.search(r"last (\d+)", line)[1]) for line in launches]
    check(numbers == sorted(set(numbers)) and numbers[:1] == [1], f"{name}: each launch has its number, a graph's too", run.text())


def ways():
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            plain = Run(folder, way, preload=False)
            check(plain.status == 0 and all("with 2 p" in line or "count of ptx with 0 p" in line for line in plain.launches()), f"{way}: without us", plain.text())
            is_checked(Run(folder, way), way)


def cache():
    with tempfile.TemporaryDirectory() as folder:
        first, second = Run(folder, "direct"), Run(folder, "dlsym")
        # The module and the library have the same PTX.
        check(first.log.count("compile") == 1, "the first run compiles once", first.text())
        check("compile" not in second.log, "the second run compiles nothing", second.text())
        is_checked(second, "second run")
        files = list(Path(folder).rglob("*"))
        check(len([file for file in files if file.suffix == ".rfc"]) == 2, "two files are kept", "\n".join(map(str, files)))
        for file in files:
            if file.suffix == ".rfc":
                file.write_bytes(file.read_bytes()[:-5])
        is_checked(Run(folder, "direct"), "damaged cache")


def together():
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        for run in pool.map(lambda way: Run(folder, way), WAYS * 2):
            is_checked(run, "processes together")
        left = [file for file in Path(folder).rglob("*") if file.suffix == ".part"]
        check(not left, "nothing unfinished is left", "\n".join(map(str, left)))


def falls_back():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "direct", FAKE_DRIVER_REFUSES="1")
        # The fat binary is more than the fake driver understands.
        check(run.status == 0 and "all numbers are right" in run.out, "refused: the program's results", run.text())
        check(all("of ptx with 2 p" in line or "of ptx with 0 p" in line for line in run.launches()), "refused: the original is launched", run.text())
        check("2 kernels were not checked:\n  count, scale: the driver's compiler: CUDA_ERROR_INVALID_PTX" in run.said, "refused: the list", run.text())
        run = Run(folder, "direct", "cubin")
        check(run.status == 0 and "count, scale: machine code only, no PTX; nvcc adds PTX with" in run.said, "machine code: the list", run.text())


def reports():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "address")
        check("K 9" in run.report, "launches are counted, a graph's each time", run.text())
        check(not [line for line in run.report if line[0] in "EF"], "a program without races has no findings", run.text())


def races():
    for options in ("", "detector=ptx_model", "detector=barracuda"):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, "dlsym", "collide", REDFLAG_OPTIONS=options)
            found = run.findings()
            check(run.rules() == ["gpu-inter-block", "gpu-intra-warp"], f"{options}: the races", run.text())
            for finding in found:
                for side in ("first", "second"):
                    frame = finding[side]["stack"][0]
                    check((frame["file"], frame["line"]) == ("kernels.cu", 20), f"{options}: the line", run.text())
                check("Numbers" in finding["memory_stack"][0]["function"] and finding["memory"]["size"] == 400,
                      f"{options}: the memory and who allocated it", run.text())
                launched = [finding[side]["gpu"]["launched"] for side in ("first", "second")]
                check(launched[0] == launched[1] and launched[0][0]["function"] == "main", f"{options}: where it was launched", run.text())


def attributes():
    """What is asked about a kernel is about the program's own; occupancy counts the shared memory that launches get."""
    with tempfile.TemporaryDirectory() as folder:
        plain, run = (inject_run.Run(folder, BUILD / "tests/inject_attributes", preload=preload) for preload in (False, True))
        asked = [[[int(number) for number in re.findall(r"\d+", line)] for line in each.out.splitlines() if "static" in line] for each in (plain, run)]
        check(asked[0] == [[256, 48896], [256, 48896], [256, 51200]], "attributes without us", plain.text())
        # The compiler rounds static shared memory up to 16 bytes where there is dynamic shared memory too, as there is with us.
        near = [abs(own - with_us) < 16 for line, other in zip(*asked) for own, with_us in zip(line, other)]
        check(len(near) == 6 and all(near) and asked[1][2][1] == 51200, "attributes", run.text())
        check(plain.status == 0 and "10 blocks; 160 of 128\n1 block\n" in plain.out, "occupancy without us", plain.text())
        check(run.status == 0 and "all numbers are right" in run.out and not run.rules(), "attributes: the program's results", run.text())
        blocks = int(re.search(r"(\d+) blocks", run.out)[1])
        check(1 <= blocks < 10 and f"{blocks * 16} of 128" in run.out, "occupancy: with the shared memory that launches get", run.text())
        check("1 block\n" in run.out, "occupancy: without it where it does not fit", run.text())
        launches = [line for line in run.launches() if "words" in line]
        check(len(launches) == 4, "a launch with all the shared memory that there is", run.text())


def last_words():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, "direct", "reset")
        check("gpu-intra-warp" in run.rules(), "a context that was reset is set up again", run.text())
        run = Run(folder, "direct", "stuck", REDFLAG_OPTIONS="timeout=1 exit-status=67")
        check(run.status == 67 and run.rules() == ["gpu-inter-block", "gpu-intra-warp", "gpu-stuck"], "a kernel that does not end", run.text())
        check("K 10" in run.report, "and the last words", run.text())


def command():
    """'redflag run' takes the GPU that there is, the emulated one when it is told to, and says so."""
    with tempfile.TemporaryDirectory() as folder:
        def redflag(*words, **more):
            environment = {**os.environ, "XDG_CACHE_HOME": folder, "LD_LIBRARY_PATH": str(BUILD / "tests/fake"), **more}
            return subprocess.run([REDFLAG, *words], env=environment, text=True, capture_output=True, timeout=120)

        program = [str(PROGRAM), "address", str(KERNELS)]
        racy = redflag("run", "--json=" + folder + "/report.json", "--", *program, "collide")
        check(racy.returncode == 66 and "all numbers are right" in racy.stdout, "run: races are the exit status", racy.stdout + racy.stderr)
        report = json.loads(Path(folder + "/report.json").read_text())
        check(report["detector"] == "compact" and len(report["findings"]) == 2, "run: the report", json.dumps(report)[:2000])
        clean = redflag("run", "--", *program)
        check(clean.returncode == 0 and "all numbers are right" in clean.stdout, "run: no races", clean.stderr)
        unchecked = redflag("run", "--json=" + folder + "/report.json", "--html=" + folder + "/report.html", "--", *program, "cubin")
        check("machine code only" in unchecked.stderr and unchecked.returncode == 0, "run: what is not checked", unchecked.stderr)
        line = "not looked at: 2 kernels without PTX (scale, count)"
        check("redflag: " + line in unchecked.stderr, "run: the line at the end", unchecked.stderr)
        kernels = [(one["kind"], one["name"]) for one in json.loads(Path(folder + "/report.json").read_text())["unchecked"]]
        check(sorted(kernels) == [("kernel", "count"), ("kernel", "scale")], "run: unchecked kernels in JSON", str(kernels))
        check(line in Path(folder + "/report.html").read_text(), "run: unchecked kernels in HTML", unchecked.stderr)
        refused = redflag("run", "--", *program, FAKE_DRIVER_REFUSES="1", XDG_CACHE_HOME=folder + "/none")
        check("not looked at: 2 kernels that could not be checked (" in refused.stderr, "run: kernels that the compiler refuses", refused.stderr)
        shell = redflag("run", "--", "sh", "-c", " ".join([*program, "collide"]))
        check(shell.returncode == 66, "run: a program that another one starts", shell.stdout + shell.stderr)
        library = redflag("run", "--", str(BUILD / "tests/inject_library_main"))
        check(library.returncode == 66 and "the library has returned" in library.stdout, "run: a program whose library has the kernels", library.stdout + library.stderr)
        emulated = redflag("run", "--emulate", "--", *program)
        check(emulated.returncode != 0 and "all numbers" not in emulated.stdout and "needed:" in emulated.stderr,
              "run --emulate: a program without CUDA's runtime library is refused", emulated.stderr)
        check("ok       NVIDIA GPU" in redflag("doctor").stdout, "doctor finds the GPU", redflag("doctor").stdout)
        none = redflag("doctor", LD_LIBRARY_PATH="").stdout
        check("NVIDIA GPU" in none, "doctor without a GPU", none)


finish(command, ways, cache, together, falls_back, reports, races, attributes, last_words)
