"""replay under mpirun: the same report as one process, one message for an error, one status for all."""
import shutil
import subprocess
import sys

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case

MPIRUN = shutil.which("mpirun")
# What Open MPI needs in a container: root, more ranks than processors, and no network.
LAUNCH = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "-n", "4"]


class Ranks(Case):
    def mpi(self, *words, expect):
        return self.run_tool(*words, prefix=LAUNCH, expect=expect)

    def test_same_report(self):
        self.make_random()
        self.run_tool("replay", "--json=one.json", "r.rft", expect=RACES)
        done = self.mpi("replay", "--json=four.json", "r.rft", expect=RACES)
        self.assertEqual(self.without_command("one.json"), self.without_command("four.json"))
        self.assertEqual(done.out.count("redflag: "), 1)
        self.assertNotIn("\x1b", done.out)

    def test_ranks_with_jobs(self):
        self.make_random("5000")
        self.run_tool("replay", "--json=one.json", "r.rft", expect=RACES)
        done = self.mpi("replay", "--jobs=2", "--json=eight.json", "--quiet", "r.rft", expect=RACES)
        self.assertEqual(self.without_command("one.json"), self.without_command("eight.json"))
        self.assertEqual(done.out, "")

    def test_clean(self):
        done = self.mpi("replay", "clean.trace", expect=CLEAN)
        self.assertEqual(done.out.count("no races"), 1)

    def test_errors(self):
        for words in (["missing.rft"], ["-"], ["racy.trace", "--json=nowhere/x.json"], ["--nonsense"]):
            done = self.mpi("replay", *words, expect=BAD_INPUT)
            self.assertEqual(done.err.count("redflag: error:"), 1, done.err)


if __name__ == "__main__":
    # A machine without MPI has nothing to test here, nor has one where mpirun cannot start anything.
    if MPIRUN is None or subprocess.run([*LAUNCH, "true"], capture_output=True).returncode != 0:
        sys.exit(77)
    tool.main()
