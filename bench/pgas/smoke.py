#!/usr/bin/env python3
"""Two jobs, small, built and run as bench/run pgas does: smoke.py BUILD-FOLDER

The bench itself is too long for a check; this keeps it from rotting. Without PLANT a job must be clean and compute what
it computes natively, with it the race must be found between the marked lines.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from jobs import JOBS, RACES_FOUND, Builder, checksum, launch, marked, must, places

SKIPPED = 77
LONGEST = 50


def main():
    missing = [tool for tool in ("mpicc", "mpirun", "oshcc", "oshrun", "clang-19") if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not on PATH")
        sys.exit(SKIPPED)
    builder = Builder(sys.argv[1])
    for name in ("ft", "shmem_halo"):
        native = [builder.native(name), JOBS[name]]
        expected = checksum(must(launch(name, native, LONGEST), native))
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            checked = [builder.command, "run", "--quiet", f"--json={report}", "--", builder.tracking(name), JOBS[name]]
            got = checksum(must(launch(name, checked, LONGEST), checked))
            assert expected == got is not None, f"{name}: {got} under redflag, {expected} natively"
            report.unlink(missing_ok=True)
            ran = launch(name, checked, LONGEST, planted=True)
            assert ran.status == RACES_FOUND, f"{name} planted: status {ran.status}, expected {RACES_FOUND}\n{ran.err}"
            pairs, lines = places(json.loads(report.read_text()), name), marked(name)
            assert pairs and all(a in lines and b in lines for a, b in pairs), f"{name} planted: lines {lines}, reported {pairs}"
        print(f"{name}: clean, and its planted race found between {pairs}")


main()
