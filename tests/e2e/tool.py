"""What every end-to-end test needs: the command, a folder of its own, and how to look at results.

A test file is a unittest module run as `python3 x_test.py REDFLAG SOURCE_ROOT`. Standard library only.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

REDFLAG = ""
ROOT = ""

CLEAN, BAD_INPUT, RACES, FAULT = 0, 2, 66, 70

RACY = """redflag-trace 1
source 1 "a.cpp":3 "first_function"
source 2 "b.cpp":7 "second_function"
T0 fork T1
T0 write 0x1000 4 @1
T1 write 0x1000 4 @2
T0 join T1
"""
CLEAN_TRACE = "redflag-trace 1\nT0 fork T1\nT1 write 0x1000 4\nT0 join T1\nT0 write 0x1000 4\n"


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="redflag-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("racy.trace", RACY)
        self.write("clean.trace", CLEAN_TRACE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_tool(self, *words, expect=None, options=None, input=None, cwd=None, prefix=(), env=None):
        """Runs redflag; checks the exit status, and that nothing looks like a fault of the tool."""
        environment = {k: v for k, v in os.environ.items() if k not in ("REDFLAG_OPTIONS", "TSAN_OPTIONS", "NO_COLOR")}
        environment.update(env or {})
        if options is not None:
            environment["REDFLAG_OPTIONS"] = options
        done = subprocess.run([*prefix, REDFLAG, *words], cwd=cwd or self.folder, env=environment,
                              input=input, capture_output=True, timeout=60)
        done.out = done.stdout.decode("utf-8", "replace")
        done.err = done.stderr.decode("utf-8", "replace")
        said = f"redflag {' '.join(words)}\n{done.out}\n{done.err}"
        if expect is not None:
            self.assertEqual(done.returncode, expect, said)
        self.assertGreaterEqual(done.returncode, 0, "ended by a signal: " + said)
        return done

    def make_random(self, events="40000"):
        """r.rft: small random programs one after the other, with races."""
        self.run_tool("trace", "generate", "r.rft", "--profile=random", "--events=" + events, "--seed=5", expect=CLEAN)

    def without_command(self, name):
        """A JSON report but for the command that made it."""
        text = re.sub(r'^  "command": .*\n', "", self.read(name), flags=re.M)
        json.loads(text)
        return text

    def files(self):
        return sorted(os.listdir(self.folder))


def main():
    global REDFLAG, ROOT
    REDFLAG, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
