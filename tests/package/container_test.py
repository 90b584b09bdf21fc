"""Containerfile, as far as it can be tried without a container engine: its grammar, and what it speaks of.

A small parser reads the instructions with the rules of the Containerfile reference: comments, continued lines, stages,
options, the exec form in JSON. Then every file that is copied must be in the checkout and not in .containerignore, every
stage must exist before it is copied from, every package that apt installs must be in packages.txt or be named by our own
package, and the shell must accept each RUN. What an engine makes of it is not tried here.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = {"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL",
         "USER", "VOLUME", "WORKDIR"}


def parse(text):
    """[(line, INSTRUCTION, {option: value}, words)] of a Containerfile; ValueError says what is wrong, and where."""
    found, pending, begun = [], "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*#", line) or (not line.strip() and not pending):
            continue
        if not pending:
            begun = number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        whole, pending = (pending + line).strip(), ""
        name, _, rest = whole.partition(" ")
        if name.upper() not in KNOWN:
            raise ValueError(f"line {begun}: needed: an instruction; found: {name}")
        options, words = {}, rest.strip()
        while match := re.match(r"--([a-z]+)=(\S+)\s+", words):
            options[match[1]] = match[2]
            words = words[match.end():]
        if not words:
            raise ValueError(f"line {begun}: needed: words after {name}; found: none")
        if name.upper() in ("CMD", "ENTRYPOINT", "SHELL") and words.startswith("["):
            if not all(isinstance(word, str) for word in json.loads(words)):
                raise ValueError(f"line {begun}: needed: a list of strings; found: {words}")
        found.append((begun, name.upper(), options, words))
    if pending:
        raise ValueError(f"line {begun}: needed: an end; found: a backslash in the last line")
    if not found or next(name for _, name, _, _ in found if name != "ARG") != "FROM":
        raise ValueError("needed: FROM first")
    return found


def ignored(path):
    """Whether .containerignore keeps this path from the engine."""
    with open(os.path.join(ROOT, ".containerignore"), encoding="utf-8") as file:
        patterns = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    parts = path.split("/")
    for pattern in patterns:
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            if fnmatch.fnmatch(parts[end - 1], pattern[3:]) if pattern.startswith("**/") else (fnmatch.fnmatch(part, pattern) and "/" not in part):
                return True
    return False


class Containerfile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "Containerfile"), encoding="utf-8") as file:
            cls.found = parse(file.read())

    def test_parser(self):
        """It refuses what engines refuse."""
        for text, said in (("FORM debian", "FORM"), ("RUN true", "FROM first"), ("FROM debian\nRUN a \\", "backslash"),
                           ("FROM debian\nCOPY", "words after COPY"), ("FROM debian\nCMD [1]", "strings"), ("FROM debian\nCMD ['a']", "")):
            with self.assertRaises(ValueError) as caught:
                parse(text)
            self.assertIn(said, str(caught.exception))
        self.assertEqual(parse("# x\nFROM a AS b\nRUN one \\\n# between\n && two\nCOPY --from=b x y")[1:],
                         [(3, "RUN", {}, "one   && two"), (6, "COPY", {"from": "b"}, "x y")])

    def test_stages(self):
        stages, images = [], []
        for line, name, options, words in self.found:
            if name == "FROM":
                match = re.fullmatch(r"(\S+)(?: AS ([a-z][a-z0-9_-]*))?", words)
                self.assertTrue(match, f"line {line}: {words}")
                images.append(match[1])
                stages.append(match[2])
            if "from" in options:
                self.assertIn(options["from"], stages[:-1], f"line {line}: no earlier stage of that name")
        self.assertEqual(images, ["docker.io/library/debian:12"] * 2)

    def test_sources(self):
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True).stdout.split("\n")
        copied = 0
        for line, name, options, words in self.found:
            if name != "COPY" or "from" in options:
                continue
            *sources, _ = words.split()
            for source in sources:
                copied += 1
                self.assertTrue(os.path.exists(os.path.join(ROOT, source)), f"line {line}: no {source} in the checkout")
                self.assertFalse(ignored(source), f"line {line}: {source} is in .containerignore")
        self.assertGreaterEqual(copied, 3)
        # Nothing that is built from is kept out, and no build of this machine gets in.
        self.assertEqual([path for path in tracked if path and ignored(path)], [])
        for path in ("build/bin/redflag", "build", "build-x/a", ".git/config", "tests/e2e/__pycache__/tool.pyc"):
            self.assertTrue(ignored(path), path)

    def test_commands(self):
        with open(os.path.join(ROOT, "packages.txt"), encoding="utf-8") as file:
            listed = {line.split()[1] for line in file if re.match(r"(build|check) ", line)}
        with open(os.path.join(ROOT, "packaging", "deb.cmake"), encoding="utf-8") as file:
            listed |= set(re.findall(r"[\w+.-]+", " ".join(re.findall(r'_(?:RECOMMENDS|SUGGESTS) "([^"]*)"', file.read()))))
        installs = 0
        for line, name, _, words in self.found:
            if name != "RUN":
                continue
            checked = subprocess.run(["sh", "-n", "-c", words], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, f"line {line}: {checked.stderr}")
            for packages in re.findall(r"apt-get install([^&]*)", words):
                installs += 1
                for package in packages.split():
                    if not package.startswith(("-", "/package/")):
                        self.assertIn(package, listed | {"make"}, f"line {line}")
            for program in re.findall(r"(?:^|&& )(tools/\S+)", words):
                self.assertTrue(os.access(os.path.join(ROOT, program), os.X_OK), f"line {line}: {program}")
        self.assertEqual(installs, 2)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
