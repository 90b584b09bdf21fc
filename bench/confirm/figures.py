"""How many of the true races of tests/e2e/cpu `redflag confirm` confirms within 20 runs each, and how many of those that
cannot happen (tests/e2e/confirm). About 20 minutes with two processors. What was not confirmed is shown as it happens.
"""

import importlib.util
import sys
from pathlib import Path

sys.dont_write_bytecode = True
RUNNER = Path(__file__).resolve().parents[2] / "tests" / "e2e" / "confirm" / "run.py"
spec = importlib.util.spec_from_file_location("confirm_run", RUNNER)
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)

TARGETS = ["redflag", "redflag_static", "redflag_shared", "redflag_pass", "lib/libredflag.syms"]
PACKAGES = "check"


def figures(tools):
    found = runner.measure(runner.parse([f"--redflag={tools.redflag}"]), show=tools.progress)
    if found.problems:
        raise RuntimeError("; ".join(found.problems))
    return [tools.Figure("true races confirmed", 100 * found.confirmed / found.total, "%", ">= 95", f"of {found.total}, within 20 runs each"),
            tools.Figure("of these by the weak order of atomics", found.weak, "races", "", "no schedule brings those together"),
            tools.Figure("infeasible predictions confirmed", found.infeasible_confirmed, "races", "<= 0", f"of {found.predictions}")]
