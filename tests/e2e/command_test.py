"""The command around the work: usage errors, help, completions, manual, doctor, trace commands, install."""
import os
import re
import shutil
import subprocess
import unittest

import tool
from tool import BAD_INPUT, CLEAN, Case

COMMANDS = ("run", "cc", "c++", "flags", "replay", "report", "confirm", "trace info", "trace convert", "trace generate", "trace check", "ptx", "detectors", "detectors compare", "sim parsnip",
            "sim scord", "doctor", "completion", "help")
HIDDEN_OPTIONS = {"fd", "markdown"}  # of commands that users do not call


def option_names():
    """From the table itself, so that a new row is tested without a change here."""
    with open(os.path.join(tool.ROOT, "cli", "options.h"), encoding="utf-8") as file:
        return [name for name in re.findall(r'^    \{"([a-z-]+)", k', file.read(), flags=re.M) if name not in HIDDEN_OPTIONS]


class Usage(Case):
    def test_mistakes(self):
        for words, said in ((["relpay", "x"], "did you mean 'replay'?"), ([], "expected a command"),
                            (["replay", "x", "--jbos=2"], "did you mean '--jobs'?"), (["replay"], "needs FILE"),
                            (["replay", "x", "--jobs=-1"], "expected a number"), (["trace"], "info"),
                            (["trace", "chekc", "x"], "did you mean 'check'?"), (["help", "relpay"], "did you mean"),
                            (["replay", "x", "--detector=fasttrac"], "did you mean 'fasttrack'?"),
                            (["completion", "tcsh"], "bash, zsh, fish")):
            done = self.run_tool(*words, expect=BAD_INPUT)
            self.assertIn(said, done.err)
            self.assertEqual(done.out, "")

    def test_help(self):
        overview = self.run_tool("help", expect=CLEAN).out
        names = set(option_names())
        self.assertGreater(len(names), 20)
        mentioned = set()
        for command in COMMANDS:
            self.assertIn(command, overview)
            text = self.run_tool(*command.split(), "--help", expect=CLEAN).out
            self.assertEqual(text, self.run_tool("help", *command.split(), expect=CLEAN).out)
            mentioned |= set(re.findall(r"^  --(?:\[no-\])?([a-z-]+)", text, flags=re.M))
        self.assertEqual(mentioned, names)
        self.assertEqual(self.run_tool("--help").out, overview)
        self.assertRegex(self.run_tool("--version", expect=CLEAN).out, r"^redflag \d+\.\d+\.\d+\n$")
        self.assertIn("slimfast", self.run_tool("detectors", expect=CLEAN).out)

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tool.REDFLAG, "help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"standard output", done.stderr)

    def test_doctor(self):
        done = self.run_tool("doctor", expect=CLEAN)
        self.assertRegex(done.out, r"ok +slimfast")
        bare = self.run_tool("doctor", env={"PATH": ""}, expect=CLEAN)
        self.assertIn("apt-get install g++", bare.out)


class Pages(Case):
    def test_bash(self):
        script = self.run_tool("completion", "bash", expect=CLEAN).out
        self.write("c.bash", script)
        subprocess.run(["bash", "-n", self.path("c.bash")], check=True)

        def complete(*words):
            line = "COMP_WORDS=(" + " ".join(f"'{w}'" for w in words) + f"); COMP_CWORD={len(words) - 1}"
            code = f"compopt() {{ :; }}; source c.bash; {line}; _redflag; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            done = subprocess.run(["bash", "-c", code], cwd=self.folder, capture_output=True, check=True)
            self.assertEqual(done.stderr, b"")
            return done.stdout.decode().split()

        self.assertEqual(complete("redflag", "rep"), ["replay", "report"])
        self.assertEqual(complete("redflag", "trace", "c"), ["convert", "check"])
        self.assertEqual(complete("redflag", "replay", "--det"), ["--detector="])
        self.assertEqual(complete("redflag", "replay", "--detector", "=", "fas"), ["fasttrack"])
        self.assertIn("never", complete("redflag", "replay", "--color", "="))
        self.assertIn("--seed=", complete("redflag", "trace", "generate", "--s"))
        self.assertEqual(complete("redflag", "completion", "z"), ["zsh"])
        self.assertEqual(complete("redflag", "replay", "ra"), ["racy.trace"])

    def test_zsh_and_fish(self):
        for shell in ("zsh", "fish"):
            script = self.run_tool("completion", shell, expect=CLEAN).out
            self.write("c." + shell, script)
            self.assertEqual(script.replace("\\'", "").count("'") % 2, 0)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.path("c." + shell)], check=True)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_manual(self):
        self.write("redflag.1", self.run_tool("--man", expect=CLEAN).out)
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", self.path("redflag.1")], capture_output=True, check=True)
        self.assertEqual(done.stderr.decode(), "")
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode())  # bold, in either of groff's ways
        for name in option_names():
            if name != "help":
                self.assertIn(name, text)


class Traces(Case):
    def test_round_trip(self):
        for profile in ("high-redundancy", "low-redundancy", "random"):
            self.run_tool("trace", "generate", "a.rft", "--profile=" + profile, "--events=5000", "--threads=3",
                          "--seed=9", "--working-set=64K", expect=CLEAN)
            self.run_tool("trace", "convert", "a.rft", "a.txt", expect=CLEAN)
            self.run_tool("trace", "convert", "a.txt", "b.rft", "--quiet", expect=CLEAN)
            self.run_tool("trace", "convert", "b.rft", "-", "--format=text", expect=CLEAN)
            self.run_tool("trace", "convert", "b.rft", "b.txt", expect=CLEAN)
            self.assertEqual(self.read("a.txt"), self.read("b.txt"))
            self.run_tool("trace", "check", "a.rft", expect=CLEAN)
            info = self.run_tool("trace", "info", "a.rft", expect=CLEAN).out
            self.assertRegex(info, r"format +rft")
            events = int(re.search(r"^events +([\d,]+)$", info, flags=re.M).group(1).replace(",", ""))
            self.assertGreaterEqual(events, 5000)
            self.assertEqual(info.splitlines()[3:], self.run_tool("trace", "info", "a.txt").out.splitlines()[3:])
            again = self.run_tool("trace", "generate", "-", "--format=text", "--profile=" + profile, "--events=5000",
                                  "--threads=3", "--seed=9", "--working-set=64K", expect=CLEAN)
            self.assertEqual(again.out, self.read("a.txt"))
            if profile != "random":
                self.run_tool("replay", "a.rft", expect=CLEAN)

    def test_formats(self):
        self.write("t.std", "T0|w(x)|1\nT0|fork(T1)|2\nT1|r(x)|3\n")
        self.run_tool("trace", "convert", "t.std", "t.rft", expect=CLEAN)
        self.assertRegex(self.run_tool("trace", "info", "t.std", expect=CLEAN).out, r"format +std")
        self.assertIn("--format=rft", self.run_tool("trace", "convert", "t.std", "t.what", expect=BAD_INPUT).err)
        self.run_tool("trace", "convert", "t.std", "t.what", "--format=rft", expect=CLEAN)
        piped = self.run_tool("trace", "convert", "-", "-", "--format=text", input=b"T0|w(x)|1\n", expect=CLEAN)
        self.assertIn("T0 write", piped.out)
        self.assertNotIn("redflag:", piped.out)

    def test_check(self):
        self.write("bad.trace", "T0 acquire 0x10\nT1 write 0x20 4\nT0 release 0x11\n")
        done = self.run_tool("trace", "check", "bad.trace", expect=BAD_INPUT)
        self.assertIn("error[thread-not-started]: event 1:", done.out)
        self.assertIn("error[release-not-held]: event 2:", done.out)
        self.assertIn("2 errors", done.out)
        self.assertIn("1 error", self.run_tool("trace", "check", "--roots=any", "bad.trace", expect=BAD_INPUT).out)
        self.assertEqual(self.run_tool("trace", "check", "--quiet", "clean.trace", expect=CLEAN).out, "")


if __name__ == "__main__":
    tool.main()
