"""--jobs: the same findings, byte for byte, however many threads share the addresses."""
import os
import shutil

import tool
from tool import BAD_INPUT, RACES, Case


class Shards(Case):
    def test_jobs(self):
        self.make_random()
        for detector in ("slimfast", "fasttrack"):
            for jobs in ("1", "2", "4"):
                self.run_tool("replay", "--quiet", "--detector=" + detector, "--jobs=" + jobs, f"--json=j{jobs}.json",
                              "r.rft", expect=RACES)
            self.assertEqual(self.without_command("j1.json"), self.without_command("j2.json"))
            self.assertEqual(self.without_command("j1.json"), self.without_command("j4.json"))
        self.run_tool("replay", "--jobs=0", "--quiet", "r.rft", expect=RACES)

    def test_jobs_with_the_others(self):
        self.make_random("3000")
        for detector in ("oracle", "lockset"):
            for jobs in ("1", "3"):
                self.run_tool("replay", "--quiet", "--detector=" + detector, "--jobs=" + jobs, f"--json=j{jobs}.json",
                              "r.rft", expect=RACES)
            self.assertEqual(self.without_command("j1.json"), self.without_command("j3.json"))

    def test_an_error_ends_all_jobs_with_one_message(self):
        self.make_random()
        with open(self.path("r.rft"), "rb") as file:
            self.write("cut.rft", file.read()[:-100])
        done = self.run_tool("replay", "--jobs=4", "cut.rft", expect=BAD_INPUT)
        self.assertEqual(done.err.count("error:"), 1)
        self.assertIn("cut.rft", done.err)

    def test_without_the_library_there_is_a_remedy(self):
        os.makedirs(self.path("alone/bin"))
        shutil.copy(tool.REDFLAG, self.path("alone/bin/redflag"))
        kept, tool.REDFLAG = tool.REDFLAG, self.path("alone/bin/redflag")
        try:
            done = self.run_tool("replay", "racy.trace", env={"PMI_SIZE": "4", "PMI_RANK": "0"}, expect=BAD_INPUT)
            self.assertIn("libopenmpi-dev", done.err)
            self.assertIn("--jobs=4", done.err)
            other = self.run_tool("replay", "racy.trace", env={"PMI_SIZE": "4", "PMI_RANK": "1"}, expect=BAD_INPUT)
            self.assertEqual(other.err, "")
        finally:
            tool.REDFLAG = kept


if __name__ == "__main__":
    tool.main()
