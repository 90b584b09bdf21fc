"""CMakePresets.json: CMake reads it, ./check's trees are those of its presets, and a machine with little can configure."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cmake(*words):
    return subprocess.run(["cmake", *words], cwd=ROOT, capture_output=True, text=True, timeout=120)


def preset(name):
    """The configure preset with what it inherits: ({variable: value}, binaryDir below the checkout)."""
    with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)["configurePresets"]}
    row = rows[name]
    variables, folder = preset(row["inherits"]) if "inherits" in row else ({}, None)
    return {**variables, **row.get("cacheVariables", {})}, row.get("binaryDir", folder)


class Presets(unittest.TestCase):
    def test_list(self):
        done = cmake("--list-presets=all")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("product", "check", "check-clang", "minimal", "deb"):
            self.assertIn(f'"{name}"', done.stdout)

    def test_as_check(self):
        with open(os.path.join(ROOT, "check"), encoding="utf-8") as file:
            text = file.read().replace("\\\n", " ")
        launcher = re.search(r"^launcher=-D(\S+)$", text, flags=re.M)[1]
        found = {}
        for folder, words in re.findall(r"cmake -S \. -B (\S+) -G Ninja (.*)$", text, flags=re.M):
            found[folder] = dict(word.removeprefix("-D").split("=") for word in words.replace("$launcher", "-D" + launcher).split())
        for name in ("check", "check-clang"):
            variables, folder = preset(name)
            self.assertEqual(found.pop(folder.removeprefix("${sourceDir}/")), variables, name)
        self.assertEqual(found, {}, "trees of ./check without a preset")

    def test_minimal(self):
        """What would be missing is said, and nothing else."""
        folder = tempfile.mkdtemp(prefix="redflag-presets-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        done = cmake("--preset", "minimal", "-B", folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("not used by the project", done.stderr)
        with open(os.path.join(folder, "not_built.txt"), encoding="utf-8") as file:
            missing = [line.partition(":")[0] for line in file]
        self.assertEqual(missing, ["the compiler pass, which leaves out most checks", "programs of Open MPI", "programs of MPICH", "OpenSHMEM programs",
                                   "mpirun redflag replay"])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
