"""How long ./check takes in a clone of its own with no cache at all, and once more there when nothing has changed.

What is committed is what is measured. Takes an hour; nothing else may run meanwhile.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = "check"
TARGETS = []
ROOT = Path(__file__).resolve().parent.parent.parent


def figures(tools):
    environment = dict(os.environ, XDG_CACHE_HOME=str(tools.folder / "cache"), CCACHE_DIR=str(tools.folder / "ccache"))
    environment.pop("CCACHE_DISABLE", None)
    rows = []
    clone = tools.folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    for what, limit, peer in (("cold", "<= 35", "a new clone, no cache at all"), ("warm", "<= 10", "the same clone again")):
        times = tools.folder / "times"
        times.write_text("")
        began = time.monotonic()
        said = ""
        with subprocess.Popen([str(clone / "check"), "--times", str(times)], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace") as run:
            for line in run.stdout:
                said += line
                if re.match(r"== |.*: \d+ s$|.*\*\*\*", line):
                    tools.progress(f"{what}: {line.rstrip()}")
        minutes = (time.monotonic() - began) / 60
        passed = re.search(r"\d+% tests passed, (\d+) tests failed out of (\d+)", said)
        if run.returncode != 0:
            print(said, file=sys.stderr)
            if not passed:
                sys.exit(f"./check did not come to its tests ({what})")
        tools.note(f"./check, {what}: {passed[0]}\n" + "".join(f"  {line}\n" for line in times.read_text().splitlines()))
        rows.append(tools.Figure(f"./check: {what}", minutes, "min", limit, peer))
        rows.append(tools.Figure(f"./check: {what}, tests that fail", int(passed[1]), "", "<= 0", f"of {passed[2]}"))
    return rows
