"""`redflag confirm` as its users call it: verdicts, files, exit status, and what it says when it cannot work. How well it
confirms is measured in tests/e2e/confirm/run.py."""
import json
import os
import shutil
import unittest

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case

RACY = """#include <pthread.h>
int shared;
static void* first(void* unused) {
  shared = 1;
  return unused;
}
static void* second(void* unused) {
  shared = 2;
  return unused;
}
int main(int argc, char** argv) {
  pthread_t a, b;
  if (argc > 2) return 3;  /* keeps out of the way */
  pthread_create(&a, 0, first, argv);
  pthread_create(&b, 0, second, argv);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 7;
}
"""
ORDERED = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
int shared;
atomic_int flag;
static void* first(void* unused) {
  shared = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}
static void* second(void* unused) {
  while (!atomic_load_explicit(&flag, memory_order_acquire)) sched_yield();
  shared = 2;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


@unittest.skipUnless(shutil.which("clang-19") or shutil.which("gcc"), "no compiler")
class Confirm(Case):
    def build(self, name, text, *flags):
        self.write(name + ".c", text)
        self.run_tool("cc", "-O1", "-g", "-pthread", *flags, name + ".c", "-o", name, expect=CLEAN)

    def report_on(self, name, text):
        self.build(name, text)
        self.run_tool("run", "--quiet", "--json=report.json", "--", "./" + name, expect=RACES)

    def verdict(self, file="verdicts.json"):
        return json.loads(self.read(file))["findings"][0]["confirmation"]

    def test_a_race_is_confirmed_with_both_stacks(self):
        self.report_on("racy", RACY)
        done = self.run_tool("confirm", "report.json", "--json=verdicts.json", "--html=verdicts.html", "--", "./racy", expect=RACES)
        self.assertRegex(done.out, r"verdict +confirmed in run \d+ of 20: two threads were about to")
        self.assertEqual(done.out.count("\n  met "), 2, done.out)
        verdict = self.verdict()
        self.assertEqual(verdict["verdict"], "confirmed")
        lines = sorted(verdict[side]["stack"][0]["line"] for side in ("first", "second"))
        self.assertEqual(lines, [4, 8])
        self.assertIn("confirmed in run", self.read("verdicts.html"))
        # What was written is a report again: it can be shown, and confirmed again.
        self.assertIn("confirmed in run", self.run_tool("report", "verdicts.json", expect=RACES).out)
        self.run_tool("confirm", "--quiet", "verdicts.json", "--", "./racy", expect=RACES)

    def test_the_run_that_confirmed_it_can_be_made_again(self):
        self.report_on("racy", RACY)
        self.run_tool("confirm", "report.json", "--quiet", "--schedule=schedule.txt", "--json=verdicts.json", "--", "./racy", expect=RACES)
        self.assertRegex(self.verdict()["schedule"], r"thread \d+, time 1 at the first statement")
        self.run_tool("confirm", "report.json", "--quiet", "--replay=schedule.txt", "--json=again.json", "--", "./racy", expect=RACES)
        self.assertEqual(self.verdict("again.json")["runs"], 1)
        # Of another race, or no schedule at all.
        self.write("other.txt", self.read("schedule.txt").replace("finding ", "finding 0"))
        done = self.run_tool("confirm", "report.json", "--replay=other.txt", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("needed: the report that the schedule was made with", done.err)
        self.write("other.txt", "{}")
        done = self.run_tool("confirm", "report.json", "--replay=other.txt", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("needed: a schedule", done.err)

    def test_operations_need_a_job(self):
        self.report_on("racy", RACY)
        report = json.loads(self.read("report.json"))
        report["findings"][0]["second"]["rma"] = {"rank": 0, "operation": "put"}
        self.write("report.json", json.dumps(report))
        done = self.run_tool("confirm", "report.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("to mend it: redflag confirm report.json -- mpirun -n 4 redflag run -- ./app", done.err)

    def test_without_debug_information_the_addresses_will_do(self):
        self.report_on("racy", RACY)
        self.run_tool("cc", "-O1", "-g0", "-pthread", "racy.c", "-o", "bare", "-s", expect=CLEAN)
        self.run_tool("run", "--quiet", "--json=bare.json", "--", "./bare", expect=RACES)
        self.run_tool("confirm", "--quiet", "bare.json", "--", "./bare", expect=RACES)

    def test_a_prediction_that_cannot_happen_is_not_confirmed(self):
        self.build("ordered", ORDERED)
        self.run_tool("run", "--quiet", "--record=run.rft", "--", "./ordered", expect=CLEAN)
        self.run_tool("replay", "--quiet", "--detector=lockset", "--json=report.json", "run.rft", expect=RACES)
        done = self.run_tool("confirm", "--runs=3", "--json=verdicts.json", "report.json", "--", "./ordered", expect=CLEAN)
        self.assertRegex(done.out, "verdict +not reproduced in 3 runs")
        self.assertEqual(self.verdict()["verdict"], "not-reproduced")
        self.assertNotIn("why", self.verdict())

    def test_statements_that_are_not_reached_are_told(self):
        self.report_on("racy", RACY)
        done = self.run_tool("confirm", "--runs=2", "--json=verdicts.json", "report.json", "--", "./racy", "not", "this", expect=CLEAN)
        self.assertIn("not reproduced", done.out)
        self.assertEqual(self.verdict()["why"], "no thread came to either statement")

    def test_another_build_is_refused(self):
        self.report_on("racy", RACY)
        self.run_tool("cc", "-O1", "-g", "-pthread", "-DOTHER=1", "-Wl,--build-id=0x1234", "racy.c", "-o", "racy", expect=CLEAN)
        done = self.run_tool("confirm", "report.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("is not the build that the report speaks of", done.err)
        self.assertIn("redflag run --json=", done.err)

    def test_the_same_build_may_have_moved(self):
        self.report_on("racy", RACY)
        os.rename(self.path("racy"), self.path("moved"))
        self.run_tool("confirm", "--quiet", "report.json", "--", "./moved", expect=RACES)

    def test_what_cannot_be_confirmed(self):
        self.build("racy", RACY)
        self.write("nonsense.json", "{}")
        done = self.run_tool("confirm", "nonsense.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("needed: a JSON report", done.err)
        done = self.run_tool("confirm", "no.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("no.json", done.err)
        self.run_tool("replay", "--quiet", "racy.trace", "--json=trace.json", expect=RACES)
        done = self.run_tool("confirm", "trace.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("has no code of a.cpp:3", done.err)
        done = self.run_tool("confirm", "trace.json", "--", "./nothing", expect=BAD_INPUT)
        self.assertIn("no program './nothing'", done.err)
        done = self.run_tool("confirm", "trace.json", "--", "/bin/true", expect=BAD_INPUT)
        self.assertIn("has no instrumentation", done.err)
        done = self.run_tool("confirm", "trace.json", expect=BAD_INPUT)
        self.assertIn("REPORT.json -- PROGRAM", done.err)

    def test_findings_of_a_gpu_are_not_for_this(self):
        self.report_on("racy", RACY)
        report = json.loads(self.read("report.json"))
        place = {"kernel": "k", "launch": 1, "block": [0, 0, 0], "thread": [0, 0, 0], "scope": "device"}
        for finding in report["findings"]:
            finding["first"]["gpu"] = finding["second"]["gpu"] = place
        self.write("gpu.json", json.dumps(report))
        done = self.run_tool("confirm", "gpu.json", "--", "./racy", expect=BAD_INPUT)
        self.assertIn("GPU", done.err)


if __name__ == "__main__":
    tool.main()
