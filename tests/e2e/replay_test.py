"""redflag replay as its users see it: exit status, outputs, suppressions, baseline, inputs, options."""
import json
import os
import pty
import signal
import subprocess
import time
import xml.etree.ElementTree

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case


class Results(Case):
    def test_exit_status_and_text(self):
        racy = self.run_tool("replay", "racy.trace", expect=RACES)
        self.assertIn("first_function", racy.out)
        self.assertIn("b.cpp:7", racy.out)
        self.assertIn("redflag replay --html=report.html racy.trace", racy.out)
        self.assertEqual(racy.err, "")
        clean = self.run_tool("replay", "clean.trace", expect=CLEAN)
        self.assertIn("no races", clean.out)

    def test_all_outputs(self):
        self.run_tool("replay", "racy.trace", "--json=r.json", "--sarif=r.sarif", "--junit", "r.xml", "--html=r.html",
                      "--stats", expect=RACES)
        report = json.loads(self.read("r.json"))
        self.assertEqual(len(report["findings"]), 1)
        self.assertIn("redflag replay racy.trace", report["command"])
        names = [row["name"] for row in report["stats"]]
        self.assertIn("slowdown over reading", names)
        self.assertIn("memory over the program's", names)
        self.assertEqual(json.loads(self.read("r.sarif"))["version"], "2.1.0")
        xml.etree.ElementTree.fromstring(self.read("r.xml"))
        self.assertIn("<html", self.read("r.html").lower())
        self.assertEqual(self.files(), ["clean.trace", "r.html", "r.json", "r.sarif", "r.xml", "racy.trace"])

    def test_report_on_standard_output(self):
        done = self.run_tool("replay", "racy.trace", "--json=-", expect=RACES)
        self.assertEqual(len(json.loads(done.out)["findings"]), 1)
        self.assertIn("1 race", done.err)

    def test_quiet_prints_nothing(self):
        done = self.run_tool("replay", "--quiet", "racy.trace", expect=RACES)
        self.assertEqual(done.out + done.err, "")

    def test_suppression_line_can_be_pasted(self):
        text = self.run_tool("replay", "racy.trace", expect=RACES).out
        line = [row.split("suppress", 1)[1].strip() for row in text.splitlines() if row.startswith("  suppress")][0]
        self.write("mine.supp", "# seen\n" + line + "\n")
        done = self.run_tool("replay", "racy.trace", "--suppressions=mine.supp", expect=CLEAN)
        self.assertIn("1 suppressed", done.out)
        self.write("other.supp", "race:no_such_function\n")
        done = self.run_tool("replay", "racy.trace", "--suppressions=other.supp", expect=RACES)
        self.assertIn("other.supp:1: race:no_such_function: matched nothing", done.err)
        both = self.run_tool("replay", "racy.trace", "--suppressions=other.supp", "--suppressions=mine.supp",
                             expect=CLEAN)
        self.assertIn("1 suppressed", both.out)

    def test_baseline(self):
        self.run_tool("replay", "racy.trace", "--json=old.json", expect=RACES)
        known = self.run_tool("replay", "racy.trace", "--baseline=old.json", expect=CLEAN)
        self.assertIn("(known)", known.out)
        self.write("more.trace", tool.RACY.replace("T0 join T1", "T0 write 0x2000 4 @1\nT1 write 0x2000 4 @3\n")
                   .replace("T0 fork", 'source 3 "c.cpp":9 "third_function"\nT0 fork'))
        more = self.run_tool("replay", "more.trace", "--baseline=old.json", expect=RACES)
        self.assertIn("(new)", more.out)

    def test_report_command(self):
        self.run_tool("replay", "racy.trace", "--json=r.json", expect=RACES)
        shown = self.run_tool("report", "r.json", "--html=r.html", expect=RACES)
        self.assertIn("first_function", shown.out)
        self.assertTrue(os.path.exists(self.path("r.html")))
        self.run_tool("report", "r.json", "--json=again.json", expect=RACES)
        self.assertEqual(self.read("r.json"), self.read("again.json"))
        self.run_tool("report", "r.json", "--baseline=r.json", expect=CLEAN)
        self.write("s.supp", "race:first_function\n")
        self.run_tool("report", "r.json", "--suppressions=s.supp", expect=CLEAN)
        piped = self.run_tool("report", "-", input=self.read("r.json").encode(), expect=RACES)
        self.assertIn("first_function", piped.out)
        self.assertIn("JSON report", self.run_tool("report", "racy.trace", expect=BAD_INPUT).err)

    def test_max_findings(self):
        lines = "".join(f'source {i} "f{i}.cpp":1 "f{i}"\n' for i in range(1, 9))
        events = "".join(f"T0 write {0x1000 + 64 * i} 4 @{i}\nT1 write {0x1000 + 64 * i} 4 @{i}\n" for i in range(1, 9))
        self.write("many.trace", "redflag-trace 1\n" + lines + "T0 fork T1\n" + events)
        done = self.run_tool("replay", "many.trace", "--max-findings=3", "--json=m.json", expect=RACES)
        self.assertEqual(done.out.count("error["), 3)
        self.assertIn("5 more findings", done.out)
        self.assertEqual(len(json.loads(self.read("m.json"))["findings"]), 8)
        self.assertEqual(self.run_tool("replay", "many.trace", "--max-findings=0").out.count("error["), 8)

    def test_volatile_and_roots(self):
        self.write("v.trace", "T0 fork T1\nT0 write 0x8 4\nT0 write 0x40 4 volatile\nT1 read 0x40 4 volatile\nT1 read 0x8 4\n")
        self.run_tool("replay", "v.trace", expect=RACES)
        self.run_tool("replay", "--volatile=sync", "v.trace", expect=CLEAN)
        self.write("t.std", "T0|w(x)|1\nT1|w(x)|2\n")
        self.run_tool("replay", "t.std", expect=RACES)
        self.run_tool("replay", "--check", "t.std", expect=RACES)
        self.run_tool("replay", "--check", "--roots=forked", "t.std", expect=BAD_INPUT)

    def test_broken_promise_names_the_remedy(self):
        # Enough history that it is swept and forgotten, and then a thread from nowhere.
        events = ["redflag-trace 1\nT0 fork T1"]
        for i in range(600000):
            events.append(f"T{i & 1} acquire 0x10\nT{i & 1} write {0x100000 + 8 * (i % 20000)} 8\nT{i & 1} release 0x10")
        self.write("late.trace", "\n".join(events) + "\nT7 write 0x100000 8\n")
        done = self.run_tool("replay", "late.trace", "--json=x.json", expect=BAD_INPUT)
        self.assertIn("--roots=any", done.err)
        self.assertNotIn("x.json", self.files())
        self.run_tool("replay", "--roots=any", "late.trace", expect=RACES)
        self.run_tool("replay", "--detector=fasttrack", "late.trace", expect=RACES)

    def test_looking_detectors(self):
        done = self.run_tool("replay", "--detector=print", "racy.trace", expect=CLEAN)
        self.assertIn("T1 write 0x1000 4 @2", done.out)
        self.assertIn("write", self.run_tool("replay", "--detector=count", "--jobs=4", "racy.trace", expect=CLEAN).out)
        self.assertIn("needs a detector", self.run_tool("replay", "--detector=count", "--json=x.json", "racy.trace",
                                                        expect=BAD_INPUT).err)

    def test_ill_formed_traces_never_crash(self):
        events = ["T0 join T9", "T3 release 0x10", "T0 fork T0", "T5 end", "T5 write 0x10 8", "T0 fork T5",
                  "T0 barrier-exit 0x20", "T0 join T0", "T16777215 write 0x10 8", "T0 release-shared 0x30",
                  "T0 free 0x1000 65536", "T1 alloc 0x1000 64", "T5 join T5", "T2 end", "T2 end"]
        self.write("bad.trace", "redflag-trace 1\n" + "\n".join(events * 2) + "\n")
        for detector in ("slimfast", "fasttrack", "lockset"):
            done = self.run_tool("replay", "--detector=" + detector, "bad.trace")
            self.assertIn(done.returncode, (CLEAN, BAD_INPUT, RACES), detector + done.err)
        done = self.run_tool("replay", "--check", "--json=x.json", "bad.trace", expect=BAD_INPUT)
        self.assertIn("redflag trace check bad.trace", done.err)
        self.assertNotIn("x.json", self.files())


class Inputs(Case):
    def test_standard_input_and_pipes(self):
        done = self.run_tool("replay", "-", "--json=r.json", input=tool.RACY.encode(), expect=RACES)
        self.assertEqual(json.loads(self.read("r.json"))["input"], "standard input")
        self.assertIn("first_function", done.out)
        os.mkfifo(self.path("pipe"))
        writer = subprocess.Popen(["cp", "racy.trace", "pipe"], cwd=self.folder)
        self.run_tool("replay", "pipe", expect=RACES)
        writer.wait()
        bad = self.run_tool("replay", "-", input=b"nonsense", expect=BAD_INPUT)
        self.assertIn("standard input", bad.err)
        self.assertNotIn("/proc", bad.err)
        full = self.run_tool("replay", "-", input=tool.RACY.encode(), env={"TMPDIR": self.path("none")}, expect=BAD_INPUT)
        self.assertIn("TMPDIR", full.err)

    def test_bad_files(self):
        self.run_tool("trace", "generate", "good.rft", "--events=20000", expect=CLEAN)
        with open(self.path("good.rft"), "rb") as file:
            good = file.read()
        middle = len(good) // 2
        self.write("cut.rft", good[:middle])
        self.write("head.rft", good[:5])
        self.write("flipped.rft", good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:])
        self.write("version.rft", good[:8] + bytes([99]) + good[9:])
        self.write("empty.rft", "")
        self.write("nonsense.txt", "\x1b[31mhello\n")
        os.mkdir(self.path("folder"))
        for name in ("cut.rft", "head.rft", "flipped.rft", "version.rft", "empty.rft", "nonsense.txt", "folder", "missing.rft"):
            for words in (["replay"], ["trace", "info"], ["trace", "check"]):
                done = self.run_tool(*words, name, expect=BAD_INPUT)
                self.assertIn(name, done.err)
                self.assertNotIn("\x1b", done.err)
                self.assertEqual(done.out, "")
            self.run_tool("replay", name, "--json=x.json", expect=BAD_INPUT)
            self.run_tool("trace", "convert", name, "out.rft", expect=BAD_INPUT)
            self.assertNotIn("out.rft", self.files())
            self.assertFalse([file for file in self.files() if "x.json" in file or ".tmp" in file])

    def test_outputs_are_opened_before_the_work(self):
        for path in ("nowhere/x.json", "."):
            done = self.run_tool("replay", "missing.rft", "--html=first.html", "--json=" + path, expect=BAD_INPUT)
            self.assertNotIn("missing.rft", done.err)
        same = self.run_tool("replay", "racy.trace", "--html=x", "--json=x", expect=BAD_INPUT)
        self.assertIn("x", same.err)
        self.assertEqual(self.files(), ["clean.trace", "racy.trace"])
        self.write("kept.json", "kept")
        self.run_tool("replay", "missing.rft", "--json=kept.json", expect=BAD_INPUT)
        self.assertEqual(self.read("kept.json"), "kept")
        self.run_tool("replay", "racy.trace", "--json=/dev/full", expect=BAD_INPUT)

    def test_bad_suppressions_and_baseline(self):
        self.write("bad.supp", "nonsense\n")
        self.assertIn("bad.supp:1", self.run_tool("replay", "racy.trace", "--suppressions=bad.supp", expect=BAD_INPUT).err)
        self.assertIn("none.supp", self.run_tool("replay", "racy.trace", "--suppressions=none.supp", expect=BAD_INPUT).err)
        self.assertIn("JSON report", self.run_tool("replay", "racy.trace", "--baseline=racy.trace", expect=BAD_INPUT).err)


class Environment(Case):
    def test_options_variable(self):
        done = self.run_tool("replay", "racy.trace", options="detector=fasttrack json=e.json", expect=RACES)
        self.assertIn("fasttrack", done.out)
        self.assertIn("REDFLAG_OPTIONS=", json.loads(self.read("e.json"))["command"])
        over = self.run_tool("replay", "racy.trace", "--detector=oracle", options="detector=fasttrack", expect=RACES)
        self.assertIn("oracle", over.out)
        wrong = self.run_tool("replay", "racy.trace", options="detecter=x", expect=BAD_INPUT)
        self.assertIn("did you mean 'detector'?", wrong.err)

    def test_colour(self):
        self.assertNotIn("\x1b", self.run_tool("replay", "racy.trace").out)
        self.assertIn("\x1b", self.run_tool("replay", "racy.trace", "--color=always").out)

    def on_terminal(self, *words, env=None):
        """Output of a run whose standard output and error are a terminal."""
        try:
            main, other = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        process = subprocess.Popen([tool.REDFLAG, *words], cwd=self.folder, stdout=other, stderr=other,
                                   env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(other)
        seen = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        os.close(main)
        process.wait()
        return seen.decode()

    def test_terminal_has_colour_and_progress(self):
        self.assertIn("\x1b[1m", self.on_terminal("replay", "racy.trace", env={"NO_COLOR": ""}))
        self.assertNotIn("\x1b", self.on_terminal("replay", "racy.trace", env={"NO_COLOR": "1"}))
        self.run_tool("trace", "generate", "big.txt", "--events=5000000", "--profile=low-redundancy", expect=CLEAN)
        seen = self.on_terminal("replay", "big.txt", env={"NO_COLOR": "1"})
        self.assertIn("replaying  ", seen)
        self.assertIn("% ", seen)
        self.assertTrue(seen.rstrip().splitlines()[-1].split("\x1b[K")[-1].startswith("redflag: no races"))
        self.assertNotIn("replaying", self.on_terminal("replay", "--quiet", "big.txt"))

    def test_interrupt_leaves_nothing(self):
        for words in (["replay", "-", "--json=x.json"], ["trace", "convert", "-", "x.rft"]):
            process = subprocess.Popen([tool.REDFLAG, *words], cwd=self.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.time() + 10
            while not any(".tmp." in name for name in self.files()) and time.time() < deadline:
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=10)
            self.assertEqual(process.returncode, -signal.SIGINT)
            self.assertEqual(self.files(), ["clean.trace", "racy.trace"])


if __name__ == "__main__":
    tool.main()
