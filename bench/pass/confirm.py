#!/usr/bin/env python3
"""How many of the true races of tests/e2e/cpu `redflag confirm` confirms within 20 runs, and how many of those that cannot happen
(tests/e2e/confirm): the limits are at least 95% of the first and none of the second.

    confirm.py [--redflag build/bin/redflag] [--compiler clang|gcc] [--jobs N]

figures() gives the same numbers to other scripts. Takes about ten minutes with two processors.
"""
import importlib.util
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _runner():
    spec = importlib.util.spec_from_file_location("confirm_run", os.path.join(ROOT, "tests", "e2e", "confirm", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures(redflag=None, *words):
    """(confirmed, true races, infeasible ones that were confirmed); `words`: options of tests/e2e/confirm/run.py."""
    runner = _runner()
    given = ([f"--redflag={redflag}"] if redflag else []) + list(words)
    found = runner.measure(runner.parse(given), show=lambda line: print(line, file=sys.stderr))
    if found.problems:
        raise RuntimeError("; ".join(found.problems))
    return found.confirmed, found.total, found.infeasible_confirmed


def main():
    runner = _runner()
    sys.argv[0] = runner.__file__
    return runner.main()


if __name__ == "__main__":
    sys.exit(main())
