"""redflag sim: figures from traces, results that are kept, sweeps in processes and ranks, and what users get wrong."""
import csv
import os
import shutil
import subprocess
import sys
import unittest
import xml.dom.minidom

import tool
from tool import BAD_INPUT, CLEAN, Case

MPIRUN = shutil.which("mpirun")
LAUNCH = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "-n", "3"]
RUNNER = os.path.join(os.path.dirname(sys.argv[1]) if len(sys.argv) > 1 else "", "cuda_runner")

NEEDS_MPI = unittest.skipUnless(MPIRUN, "mpirun is not installed")

PARSNIP = ["figure-3", "figure-7", "figure-8", "figure-9", "figure-10", "figure-11", "table-3"]
SCORD = ["figure-8", "figure-9", "figure-10", "figure-11", "table-6", "table-7"]


class Sim(Case):
    def make(self, name, *options):
        self.run_tool("trace", "generate", name, "--events=40000", "--working-set=256K", *options, expect=CLEAN)
        return name

    def both(self):
        return [self.make("sweep.4.rft", "--threads=4"), self.make("table.rft", "--threads=8", "--profile=low-redundancy")]

    def kernels(self, *names):
        """Traces of CUDA programs of the suite."""
        traces = []
        for name in names:
            source = os.path.join(tool.ROOT, "tests", "cuda", "programs", name + ".cu")
            subprocess.run([RUNNER, "--level=none", f"--record={self.path(name + '.rft')}", source], check=True, capture_output=True)
            traces.append(name + ".rft")
        return traces

    def figures(self, text):
        """Of what was printed: id → rows → columns → value as text."""
        found = {}
        for part in text.strip().split("\n\n"):
            lines = part.splitlines()
            rows = {}
            for line in lines[2:]:
                words = [w for w in line.strip().split("  ") if w]
                rows[words[0].strip()] = [w.strip() for w in words[1:]]
            found[lines[0].split(":")[0]] = rows
        return found

    def test_every_figure_of_parsnip_has_every_value(self):
        done = self.run_tool("sim", "parsnip", *self.both(), "--html=page.html", "--svg=pictures", "--csv=all.csv", expect=CLEAN)
        found = self.figures(done.out)
        self.assertEqual(list(found), PARSNIP)
        for name, rows in found.items():
            if name != "figure-8":  # of the numbers of threads there is one each
                self.assertNotIn("-", [v for row in rows.values() for v in row], name)
        self.assertEqual([v for v in found["figure-8"]["sweep"] if v != "-"], [found["figure-7"]["sweep"][0]])
        # Hardware makes nothing faster; per-byte metadata costs more than shared.
        for row in ("sweep", "table"):
            parsnip, radish, _ = (float(v.rstrip("x")) for v in found["figure-7"][row])
            self.assertGreaterEqual(parsnip, 1)
            self.assertGreater(radish, parsnip)
            self.assertAlmostEqual(sum(float(v.rstrip("%")) for v in found["figure-10"][row]), 100, delta=0.6)
        pictures = sorted(os.listdir(self.path("pictures")))
        self.assertEqual(pictures, sorted(f"{name}.svg" for name in PARSNIP if name.startswith("figure")))
        for picture in pictures:
            xml.dom.minidom.parse(os.path.join(self.path("pictures"), picture))
        self.assertEqual(self.read("page.html").count("<svg"), len(pictures))
        with open(self.path("all.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 7)
        self.assertEqual({row["races"] for row in rows}, {"0"})

    def test_the_model_is_a_detector(self):
        self.run_tool("sim", "parsnip", "racy.trace", "clean.trace", "--figures=7", "--csv=all.csv", "--quiet", expect=CLEAN)
        with open(self.path("all.csv"), newline="", encoding="utf-8") as file:
            races = {row["workload"]: row["races"] for row in csv.DictReader(file) if row["variant"] == "standard"}
        self.assertEqual(races, {"racy": "1", "clean": "0"})

    def test_every_figure_of_scord_has_every_value(self):
        traces = self.kernels("scope_counter_race", "scope_counter_ok")
        done = self.run_tool("sim", "scord", *traces, expect=CLEAN)
        found = self.figures(done.out)
        self.assertEqual(list(found), SCORD)
        for name in ("figure-8", "figure-11"):
            self.assertNotIn("-", [v for row in found[name].values() for v in row], name)
        self.assertGreater(int(found["table-6"]["scope_counter_race"][0]), 0)
        self.assertEqual(found["table-6"]["scope_counter_ok"][0], "0")

    def test_a_sweep_is_kept_and_goes_on(self):
        trace = self.make("t.rft", "--threads=2")
        sweep = ["sim", "parsnip", "--sweep=l1_ways=1,2,4,8", "--sweep=cores=1,2", "--results=kept", trace]
        first = self.run_tool(*sweep, expect=CLEAN)
        self.assertEqual(first.out.count("l1_ways=4 cores=2"), 3)  # a table for each unit
        kept = sorted(os.listdir(self.path("kept")))
        self.assertEqual(len(kept), 8)
        # What is there is taken, not simulated again: a number changed by hand comes back.
        victim = os.path.join(self.path("kept"), kept[3])
        with open(victim, encoding="utf-8") as file:
            text = file.read()
        lines = [("slowdown = 77" if line.startswith("slowdown") else line) for line in text.splitlines()]
        with open(victim, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.remove(os.path.join(self.path("kept"), kept[5]))
        second = self.run_tool(*sweep, "--jobs=3", expect=CLEAN)
        self.assertEqual(second.out.count("77.00x"), 1)
        self.assertEqual(sorted(os.listdir(self.path("kept"))), kept)
        differing = [(a, b) for a, b in zip(first.out.splitlines(), second.out.splitlines()) if a.split() != b.split()]
        self.assertEqual(len(differing), 1, differing)

    @NEEDS_MPI
    def test_ranks_share_a_sweep(self):
        trace = self.make("t.rft", "--threads=2")
        words = ["sim", "parsnip", "--sweep=l1_ways=1,2,4,8", trace]
        one = self.run_tool(*words, expect=CLEAN)
        three = self.run_tool(*words, "--results=kept", prefix=LAUNCH, expect=CLEAN)
        self.assertEqual(one.out, three.out)
        self.assertEqual(len(os.listdir(self.path("kept"))), 4)
        done = self.run_tool(*words, prefix=LAUNCH, expect=BAD_INPUT)
        self.assertIn("add --results=DIR", done.err)

    def test_parameters_are_a_configuration_file(self):
        for model, name in (("parsnip", "l1_ways"), ("scord", "sms")):
            done = self.run_tool("sim", model, "--parameters", f"--set={name}=2", expect=CLEAN)
            self.assertIn(f"{name} = 2  #", done.out)
            self.write("machine.cfg", done.out)
            again = self.run_tool("sim", model, "--parameters", "--config=machine.cfg", expect=CLEAN)
            self.assertEqual(again.out, done.out)

    def test_what_users_get_wrong(self):
        trace = self.make("t.rft", "--threads=2")
        kernels = self.kernels("scope_counter_ok")[0]
        self.write("wrong.cfg", "cores = 4\nl1_way = 2\n")
        self.write("text.txt", "no trace\n")
        for model, words, says in (
                ("parsnip", ["--config=wrong.cfg", trace], "wrong.cfg:2: there is no parameter 'l1_way'; did you mean 'l1_ways'"),
                ("parsnip", ["--set=cores=many", trace], "found 'many'"),
                ("parsnip", ["--set=l1_bytes=100", trace], "l1"),
                ("parsnip", ["--figures=12", trace], "there are: figure-3"),
                ("parsnip", ["--sweep=cores=1,x", trace], "found 'x'"),
                ("parsnip", [kernels], "redflag sim scord"),
                ("scord", [trace], "redflag sim parsnip"),
                ("parsnip", ["no-such.rft"], "no-such.rft"),
                ("parsnip", ["text.txt"], "text.txt"),
                ("scord", [], "traces, or a program behind --"),
                ("parsnip", ["--html=nowhere/x.html", trace], "nowhere")):
            done = self.run_tool("sim", model, *words, expect=BAD_INPUT)
            self.assertIn(says, done.err, words)
            self.assertEqual(done.out, "", words)
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_a_trace_that_breaks_off_is_said_and_costs_no_other(self):
        good = self.make("good.rft", "--threads=2")
        with open(self.path(good), "rb") as file:
            whole = file.read()
        self.write("cut.rft", whole[:len(whole) // 2])
        done = self.run_tool("sim", "parsnip", "cut.rft", good, "--figures=10", expect=BAD_INPUT)
        self.assertIn("cut", done.err)
        self.assertIn("good", done.out)
        # However many simulations a figure needs, it is said once.
        all_figures = self.run_tool("sim", "parsnip", "cut.rft", good, expect=BAD_INPUT)
        self.assertEqual(all_figures.err.count("error: "), 1, all_figures.err)


if __name__ == "__main__":
    tool.main()
