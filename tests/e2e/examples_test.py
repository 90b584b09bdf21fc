"""Every example: the racy trace names the lines marked in its source, the repaired twin is clean."""
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

import tool
from tool import CLEAN, RACES, Case

PRECISE = ("slimfast", "fasttrack", "oracle")


def marked_lines(source):
    marks = {}
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.search(r"// RACE: (first|second)", line)
            if found:
                marks[found.group(1)] = number
    return marks


class Examples(Case):
    def names(self, end):
        found = sorted(glob.glob(os.path.join(tool.ROOT, "examples", f"*_{end}.trace")))
        self.assertGreaterEqual(len(found), 4)
        return [os.path.relpath(path, tool.ROOT) for path in found]

    def test_racy_ones(self):
        for trace in self.names("race"):
            marks = marked_lines(os.path.join(tool.ROOT, trace.replace(".trace", ".cpp")))
            self.assertEqual(sorted(marks), ["first", "second"], trace)
            for detector in PRECISE:
                out = self.path("out.json")
                done = self.run_tool("replay", "--check", "--detector=" + detector, "--json=" + out, trace,
                                     cwd=tool.ROOT, expect=RACES)
                with open(out, encoding="utf-8") as file:
                    findings = json.load(file)["findings"]
                self.assertEqual(len(findings), 1, trace)
                for side in ("first", "second"):
                    frame = findings[0][side]["stack"][0]
                    self.assertEqual(frame["file"], trace.replace(".trace", ".cpp"))
                    self.assertEqual(frame["line"], marks[side], f"{trace}, {detector}, {side}")
            # Excerpts show the marked lines, from here and, with a root, from elsewhere.
            text = self.run_tool("replay", trace, cwd=tool.ROOT, expect=RACES).out
            self.assertIn("// RACE: first", text)
            far = self.run_tool("replay", os.path.join(tool.ROOT, trace), "--source-root=" + tool.ROOT, expect=RACES).out
            self.assertIn("// RACE: second", far)
            none = self.run_tool("replay", "--no-excerpts", trace, cwd=tool.ROOT, expect=RACES).out
            self.assertNotIn("RACE", none)

    def test_repaired_ones(self):
        for trace in self.names("ok"):
            self.assertEqual(marked_lines(os.path.join(tool.ROOT, trace.replace(".trace", ".cpp"))), {})
            for detector in PRECISE:
                self.run_tool("replay", "--check", "--detector=" + detector, trace, cwd=tool.ROOT, expect=CLEAN)

    def test_twins(self):
        racy = [name.replace("_race.trace", "") for name in self.names("race")]
        self.assertEqual(racy, [name.replace("_ok.trace", "") for name in self.names("ok")])

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_sources_compile(self):
        sources = glob.glob(os.path.join(tool.ROOT, "examples", "*.cpp"))
        for source in sources:
            subprocess.run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source], check=True)


if __name__ == "__main__":
    tool.main()
