"""action.yml: it is a composite action as GitHub describes them, and its shell steps do what they say.

The steps are run one after the other as a runner would: inputs are filled in, `env` and `working-directory` are observed,
GITHUB_OUTPUT, GITHUB_PATH and GITHUB_STEP_SUMMARY are files, a condition decides on the upload, which is only noted. No
runner of GitHub has been here: which runners have the packages, and what code scanning makes of the file, is not tried.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tool  # noqa: E402
from tool import Case  # noqa: E402

try:
    import yaml
except ImportError:
    print("skipped: needed: Python's yaml; found: none; to mend it: apt-get install python3-yaml")
    sys.exit(77)

DEFAULT = "bash", "--noprofile", "--norc", "-eo", "pipefail"  # what GitHub calls 'shell: bash'


class Runner:
    """As much of a runner as a composite action sees."""

    def __init__(self, case, action, inputs, environment=None):
        self.case, self.action, self.outputs, self.uploaded, self.said = case, action, {}, None, ""
        self.inputs = {name: str(given.get("default", "")) for name, given in action["inputs"].items()}
        case.assertLessEqual(set(inputs), set(self.inputs))
        self.inputs.update(inputs)
        self.path = [os.path.dirname(tool.REDFLAG), "/usr/bin", "/bin"]
        self.environment = {**os.environ, "GITHUB_ACTION_PATH": tool.ROOT, **(environment or {})}

    def fill(self, text):
        def value(match):
            words = match[1].strip().split(".")
            if words[0] == "inputs":
                return self.inputs[words[1]]
            self.case.assertEqual((words[0], words[2]), ("steps", "outputs"), match[0])
            return self.outputs.get(words[1], {}).get(words[3], "")
        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def holds(self, condition):
        """Comparisons joined by &&, which is all that the action uses."""
        for part in condition.split("&&"):
            left, comparison, right = re.fullmatch(r"\s*(\S+) (==|!=) '([^']*)'\s*", part).groups()
            if (self.fill("${{" + left + "}}") == right) != (comparison == "=="):
                return False
        return True

    def file(self, name):
        path = self.case.path(name)
        with open(path, "a", encoding="utf-8"):
            pass
        return path

    def run(self):
        """The status of the first step that fails, or 0."""
        for number, step in enumerate(self.action["runs"]["steps"]):
            if "if" in step and not self.holds(step["if"]):
                continue
            if "uses" in step:
                self.uploaded = self.fill(step["with"]["sarif_file"])
                continue
            files = {name: self.file(f"{name}.{number}") for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
            script = self.case.path(f"step{number}.sh")
            with open(script, "w", encoding="utf-8") as file:
                file.write(step["run"])
            done = subprocess.run([*DEFAULT, script], cwd=os.path.join(self.case.folder, self.fill(step.get("working-directory", "."))),
                                  env={**self.environment, "PATH": ":".join(self.path), **files,
                                       **{name: self.fill(text) for name, text in step.get("env", {}).items()}},
                                  capture_output=True, text=True, timeout=120)
            self.said += done.stdout + done.stderr
            with open(files["GITHUB_OUTPUT"], encoding="utf-8") as file:
                self.outputs[step.get("id", number)] = dict(line.rstrip("\n").split("=", 1) for line in file)
            with open(files["GITHUB_PATH"], encoding="utf-8") as file:
                self.path = [line.strip() for line in file] + self.path
            with open(files["GITHUB_STEP_SUMMARY"], encoding="utf-8") as file:
                self.summary = file.read() or getattr(self, "summary", "")
            if done.returncode != 0:
                return done.returncode
        return 0


class Action(Case):
    def setUp(self):
        super().setUp()
        with open(os.path.join(tool.ROOT, "action.yml"), encoding="utf-8") as file:
            self.action = yaml.safe_load(file)
        for name in ("bank_race.cpp", "bank_ok.cpp"):
            shutil.copy(os.path.join(tool.ROOT, "examples", name), self.folder)

    def test_form(self):
        action = self.action
        self.assertEqual(set(action), {"name", "description", "author", "branding", "inputs", "outputs", "runs"})
        self.assertEqual(action["runs"]["using"], "composite")
        for name, given in action["inputs"].items():
            self.assertTrue(given["description"], name)
            self.assertTrue(("default" in given) != given.get("required", False), name)
            # GitHub knows only strings here.
            self.assertIsInstance(given.get("default", ""), str, name)
        identifiers = {step["id"] for step in action["runs"]["steps"] if "id" in step}
        used = set()
        for step in action["runs"]["steps"]:
            self.assertTrue(("run" in step) != ("uses" in step), step["name"])
            self.assertLessEqual(set(step), {"name", "id", "if", "shell", "working-directory", "env", "run", "uses", "with"}, step["name"])
            if "run" in step:
                self.assertEqual(step["shell"], "bash", step["name"])
                # What a user gives must not be read as shell.
                self.assertNotIn("${{", step["run"], step["name"])
            else:
                self.assertRegex(step["uses"], r"^github/codeql-action/upload-sarif@v\d+$")
        for text in re.findall(r"\$\{\{(.*?)\}\}", json.dumps(action)) + [step.get("if", "") for step in action["runs"]["steps"]]:
            used |= set(re.findall(r"inputs\.([\w-]+)", text))
            for name in re.findall(r"steps\.(\w+)\.", text):
                self.assertIn(name, identifiers)
        self.assertEqual(used, set(action["inputs"]), "inputs that are used, and that are described")
        with open(os.path.join(tool.ROOT, "docs", "user", "ci.md"), encoding="utf-8") as file:
            rows = set(re.findall(r"^\| `([\w-]+)` \|", file.read(), flags=re.M))
        self.assertLessEqual(set(action["inputs"]), rows, "inputs in the table of docs/user/ci.md")

    def test_races(self):
        runner = Runner(self, self.action, {"build": '"$CXX" -g -O1 bank_race.cpp -o bank\n', "run": "./bank >out.txt\n./bank"})
        self.assertEqual(runner.run(), 66, runner.said)
        self.assertEqual(runner.outputs["check"], {"status": "66", "races": "true", "sarif": self.path("redflag.sarif")})
        self.assertEqual(runner.uploaded, self.path("redflag.sarif"))
        self.assertIn("::error title=Redflag::data races were found", runner.said)
        self.assertIn("found data races", runner.summary)
        results = json.loads(self.read("redflag.sarif"))["runs"][0]["results"]
        self.assertTrue(results)
        self.assertIn("bank_race.cpp", json.dumps(results))

    def test_races_allowed(self):
        runner = Runner(self, self.action, {"build": "redflag c++ -g -O1 bank_race.cpp -o bank", "run": "./bank", "fail-on-races": "false",
                                            "upload": "false", "sarif": "found.sarif", "options": "--format=tsan --history=16"})
        self.assertEqual(runner.run(), 0, runner.said)
        self.assertEqual(runner.outputs["check"]["races"], "true")
        self.assertEqual(runner.uploaded, None)
        self.assertIn("WARNING: ThreadSanitizer: data race", runner.said)

    def test_clean(self):
        os.mkdir(self.path("inner"))
        runner = Runner(self, self.action, {"build": '$CXX -O1 "../bank ok.cpp" -o ok', "run": "./ok", "working-directory": "inner"})
        os.rename(self.path("bank_ok.cpp"), self.path("bank ok.cpp"))
        self.assertEqual(runner.run(), 0, runner.said)
        self.assertEqual(runner.outputs["check"], {"status": "0", "races": "false", "sarif": self.path("inner/redflag.sarif")})
        self.assertEqual(runner.uploaded, self.path("inner/redflag.sarif"))
        self.assertIn("no data races", runner.summary)

    def test_mistakes(self):
        for inputs, status, said in (({"build": "exit 3", "run": "true"}, 3, ""),
                                     ({"run": "true"}, 2, "needed: a program built with CC and CXX"),
                                     ({"build": "$CXX bank_ok.cpp -o ok", "run": "./ok; exit 7"}, 7, "found: 7"),
                                     ({"run": "true", "package": "none.deb"}, 2, "no file none.deb"),
                                     ({"run": "true", "options": "--nothing"}, 2, "--nothing")):
            with self.subTest(str(inputs)):
                runner = Runner(self, self.action, inputs)
                self.assertEqual(runner.run(), status, runner.said)
                self.assertIn(said, runner.said)

    def test_from_source(self):
        """Without the command on PATH the action builds itself; here its tools are stand-ins that note what they are told."""
        source, tools = self.path("action"), self.path("tools")
        os.makedirs(os.path.join(source, "tools"))
        os.mkdir(tools)
        note = '#!/bin/bash\necho "$(basename "$0") $*" >>"$NOTES"\n'
        for path, more in ((os.path.join(source, "tools/packages"), ""), (os.path.join(tools, "cmake"), ""),
                           (os.path.join(tools, "ninja"), f"mkdir -p build/bin && ln -sf '{tool.REDFLAG}' build/bin/redflag\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(note + more)
            os.chmod(path, 0o755)
        runner = Runner(self, self.action, {"run": "true"}, {"GITHUB_ACTION_PATH": source, "NOTES": self.path("notes")})
        runner.path[0] = tools
        self.assertEqual(runner.run(), 2, runner.said)  # the run starts nothing that is checked
        self.assertEqual(self.read("notes"), "packages build\ncmake -S . -B build -G Ninja\nninja -C build product\n")
        self.assertEqual(runner.path[0], os.path.join(source, "build/bin"))
        self.assertEqual(runner.outputs["check"]["status"], "2")


if __name__ == "__main__":
    tool.main()
