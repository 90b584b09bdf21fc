#!/usr/bin/env python3
"""Two workloads, small, built and run as bench/run cpu does: smoke.py BUILD-FOLDER

The bench itself is too long for a check; this keeps it from rotting. The race-free one must be clean and compute what
it computes natively, its racy twin must be found at the planted line.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from workloads import RACES_FOUND, WORKLOADS, Builder, checksum, found_exactly, must, planted, redflag_places, run


def main():
    builder = Builder(sys.argv[1])
    for name in ("radix", "table"):  # one in C, one in C++
        arguments = [4, WORKLOADS[name][1]]
        native, checked = ([make(name), *arguments] for make in (builder.native, builder.redflag))
        expected, got = checksum(must(run(native), native)), checksum(must(run(checked), checked))
        assert expected == got is not None, f"{name}: {got} under redflag, {expected} natively"
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            twin = builder.redflag(name, racy=True)
            ran = run([builder.command, "run", "--quiet", f"--json={report}", "--", twin, *arguments])
            assert ran.status == RACES_FOUND, f"{name} racy: status {ran.status}, expected {RACES_FOUND}\n{ran.err}"
            places = redflag_places(json.loads(report.read_text()))
            assert found_exactly(places, planted(ran)), f"{name} racy: planted {planted(ran)}, reported {places}"
        print(f"{name}: clean, and its racy twin found at {planted(ran)}")


main()
