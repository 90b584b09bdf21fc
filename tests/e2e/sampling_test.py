"""`redflag c++ --sampling`, then `redflag run --sample` and `--budget`: what is found, counted and refused."""
import json
import shutil
import sys

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case

# Two threads do the same work; the race is behind loops, in a loop, after an exception, in a function called once.
PROGRAM = r"""
#include <pthread.h>
#include <cstdio>
#include <stdexcept>
#include <vector>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
long counter, sums[2];
__attribute__((noinline)) long step(std::vector<long>& mine, long k) {
  for (long& each : mine) each = each * 3 + k;
  if (mine[k % 16] % 7 == 0) throw std::runtime_error("seven");
  return mine[0];
}
void* work(void* p) {
  const long self = reinterpret_cast<long>(p);
  std::vector<long> mine(1000, 1);
  long sum = 0;
  for (long k = 0; k < 2000; ++k) {
    try {
      sum += step(mine, k);
    } catch (const std::runtime_error&) {
      ++sum;
    }
  }
  pthread_barrier_wait(&barrier);
#ifdef RACY
  counter += sum;  // RACE
#else
  pthread_mutex_lock(&lock);
  counter += sum;
  pthread_mutex_unlock(&lock);
#endif
  sums[self] = sum;
  return nullptr;
}
int main() {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, nullptr, 2);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i));
  for (pthread_t each : threads) pthread_join(each, nullptr);
  std::printf("%ld %ld\n", sums[0], sums[1]);
}
"""
MODES = ["none", "I", "F", "H", "IA", "FA", "HA"]


class Sampling(Case):
    def setUp(self):
        super().setUp()
        self.write("p.cpp", PROGRAM)

    def build(self, name, *words):
        self.run_tool("c++", "--compiler=clang++-19", *words, "-O2", "p.cpp", "-o", name, expect=CLEAN)

    def stats(self, *options):
        self.run_tool("run", "--quiet", "--stats", "--json=r.json", *options, "--", "./ok", expect=CLEAN)
        return {each["name"]: each["value"] for each in json.loads(self.read("r.json"))["stats"]}

    def test_every_mode_finds_the_race_and_nothing_else(self):
        self.build("racy", "--sampling", "-DRACY")
        self.build("ok", "--sampling")
        self.build("plain")
        expected = self.run_tool("run", "--", "./plain", expect=CLEAN).out
        for options in [*([f"--sample={mode}"] for mode in MODES), ["--budget=1.2x"], ["--sample=H", "--function-backoff=0"]]:
            found = self.run_tool("run", *options, "--", "./racy", expect=RACES)
            self.assertIn("p.cpp:" + str(1 + PROGRAM[:PROGRAM.index("// RACE")].count("\n")), found.err)
            self.assertEqual(self.run_tool("run", *options, "--", "./ok", expect=CLEAN).out, expected)

    def test_definitions_of_the_paper(self):
        self.build("ok", "--sampling")
        accesses, calls = "sampled accesses", "sampled calls and iterations"
        by_instruction = self.stats("--sample=I")
        whole = self.stats("--sample=H", "--function-backoff=1")
        self.assertEqual(whole[accesses], by_instruction[accesses])  # H1 = I
        self.assertNotIn(calls, whole)  # all are
        # H0: main by one thread, work and step by two each.
        self.assertEqual(self.stats("--sample=H", "--function-backoff=0")[calls], 5)
        half = self.stats("--sample=H", "--function-backoff=0.5")
        self.assertEqual(self.stats("--sample=H.5")[calls], half[calls])
        self.assertEqual(self.stats("--sample=H0")[calls], 5)
        self.assertGreater(half[calls], 5)
        self.assertLess(half[accesses], by_instruction[accesses])

    def test_what_is_refused(self):
        self.build("plain")
        for option in ("--sample=H", "--budget=1.2x"):
            done = self.run_tool("run", option, "--", "./plain", expect=BAD_INPUT)
            self.assertIn("redflag c++ --sampling", done.err)
        self.assertIn("needed: a program of MPI", self.run_tool("run", "--sample=NL", "--", "./plain", expect=BAD_INPUT).err)
        both = self.run_tool("run", "--sample=H.5", "--function-backoff=0.5", "--", "./plain", expect=BAD_INPUT)
        self.assertIn("one factor for functions", both.err)
        for option in ("--sample=X", "--sample=I.9", "--sample=HA2", "--function-backoff=1.5", "--instruction-backoff=-1", "--budget=1.0x", "--budget=fast"):
            self.assertIn("expected", self.run_tool("run", option, "--", "./plain", expect=BAD_INPUT).err)
        done = self.run_tool("c++", "--sampling", "--no-own-pass", "--compiler=clang++-19", "p.cpp", "-o", "p", expect=BAD_INPUT)
        self.assertIn("own pass", done.err)


if __name__ == "__main__":
    if shutil.which("clang++-19") is None:
        print("skipped: clang++-19 is not here")
        sys.exit(77)
    sys.argv.pop(3)  # the build folder
    tool.main()
