"""A fresh machine: how long ./try takes in a bare Debian 12 with no cache (tools/fresh --cold).

What is committed is what is measured. Nothing else may run meanwhile.
"""

import re
import subprocess
import sys
from pathlib import Path

PACKAGES = "check"
TARGETS = []
ROOT = Path(__file__).resolve().parent.parent.parent


def figures(tools):
    times = tools.folder / "try"
    times.touch()
    run = subprocess.run([str(ROOT / "tools" / "fresh"), "--cold", "--times", str(times)], stdout=sys.stderr)
    if run.returncode != 0:
        sys.exit("tools/fresh --cold failed")
    first, whole, again = re.search(r"first race after (\d+) s .*everything after (\d+) s .*second run ([0-9.]+) s", times.read_text()).groups()
    return [tools.Figure("./try: first race", int(first), "s", "<= 240", "from the command to the report"),
            tools.Figure("./try: everything", int(whole), "s", "<= 480", "packages, whole product, three races"),
            tools.Figure("./try: a second run", float(again), "s", "<= 5", "three races again")]
