"""Runs of a program with libredflag-cuda.so before the fake driver (tests/cuda/inject), for the tests of the interposer.

A test file is called with BUILD SOURCE REDFLAG; it calls check() for all that must hold, and ends with finish().
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, SOURCE, REDFLAG = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
LIBRARY = BUILD / "lib/redflag/cuda/libredflag-cuda.so"
faults = []


def check(truth, what, detail=""):
    if not truth:
        faults.append(what)
        print(f"wrong: {what}\n{detail}")


def finish(*tests):
    for test in tests:
        test()
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


class Run:
    """One run of a program: its output, the driver's calls, the lines for 'redflag run'."""

    def __init__(self, cache, *words, preload=True, **more):
        with tempfile.TemporaryDirectory() as own:
            environment = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "tests/fake"), "FAKE_DRIVER_LOG": f"{own}/log",
                           "REDFLAG_CUDA_REPORT": f"{own}/report", "XDG_CACHE_HOME": str(cache), **more}
            if preload:
                environment["LD_PRELOAD"] = str(LIBRARY)
            done = subprocess.run(list(words), env=environment, text=True, capture_output=True, timeout=120)
            self.status, self.out, self.said = done.returncode, done.stdout, done.stderr
            self.log = Path(f"{own}/log").read_text().splitlines() if os.path.exists(f"{own}/log") else []
            self.report = Path(f"{own}/report").read_text().splitlines() if os.path.exists(f"{own}/report") else []

    def launches(self):
        return [line for line in self.log if line.startswith("launch")]

    def findings(self):
        return [json.loads(line[2:])["findings"][0] for line in self.report if line.startswith("F ")]

    def rules(self):
        return sorted(finding["rule"] for finding in self.findings())

    def places(self):
        """Of each finding: its rule, and file:line of both sides."""
        def line(side):
            frame = side["stack"][0]
            return f"{frame['file']}:{frame['line']}"
        return {(finding["rule"], *sorted(line(finding[side]) for side in ("first", "second"))) for finding in self.findings()}

    def text(self):
        return "\n".join([f"exit status {self.status}", self.out, self.said, *self.log, *self.report])
