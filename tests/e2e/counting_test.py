"""`redflag cc --count-instructions`, then `redflag run --record`: that instructions and accesses of each thread are all there.

What is right is found a second time, from the optimised IR as text: each block calls a function with its number of instructions,
loads and stores, and the program that comes of it, without Redflag, prints the sums of each thread.
"""
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import tool
from tool import BAD_INPUT, CLEAN, Case

CLANG = "clang-19"
# The instrumentation of LLVM's own pass is left out, as the plugin does; all else that -fsanitize=thread changes stays.
QUIET = [word for name in ("memory-accesses", "func-entry-exit", "atomics", "memintrinsics")
         for word in ("-mllvm", f"-tsan-instrument-{name}=0")]

# One count for each thread, by order of creation; threads are joined before the next begins.
TICKS = r"""
#include <stdio.h>
static unsigned long ticks[64][3];
static unsigned last;
static _Thread_local unsigned self;
void tick(unsigned long instructions, unsigned long loads, unsigned long stores) {
  if (self == 0) self = ++last;
  ticks[self - 1][0] += instructions;
  ticks[self - 1][1] += loads;
  ticks[self - 1][2] += stores;
}
__attribute__((destructor)) static void print(void) {
  for (unsigned i = 0; i < last; ++i) printf("T%u %lu %lu %lu\n", i, ticks[i][0], ticks[i][1], ticks[i][2]);
}
"""

# Nothing is optimised: what each line is can be counted by hand.
BY_HAND = r"""
int sum;
int main(void) {
  for (int i = 0; i < 1000; ++i) sum += i;
  return 0;
}
"""

PREFIX = r"""
#include <pthread.h>
#include <stdlib.h>
int data[64];
long total;
double reals[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
"""
MAIN = r"""
static void* work(void* p) {
  long mine = f0((int)(long)p);
  pthread_mutex_lock(&lock);
  total += mine;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  total = f0(3);
  for (long k = 1; k <= 3; ++k) {
    pthread_t t;
    pthread_create(&t, 0, work, (void*)(k * 7));
    pthread_join(t, 0);
  }
  return total == 12345;
}
"""


def random_functions(chance):
    """f2, f1 and f0, each calling those before it: loops, branches, accesses."""
    def statement(depth, level):
        kind = chance.randrange(9 if depth < 3 else 5)
        at = f"data[(x + {chance.randrange(64)}) & 63]"
        if kind == 0:
            return f"x += {at};"
        if kind == 1:
            return f"{at} = x ^ {chance.randrange(99)};"
        if kind == 2:
            return f"reals[x & 15] = reals[x & 7] * 0.5 + {chance.randrange(9)};"
        if kind == 3 and level < 2:
            return f"x += (int)f{level + 1}(x + {chance.randrange(5)});"
        if kind in (3, 4):
            return f"x = x * {chance.randrange(3, 99)} + (x >> {chance.randrange(1, 9)});"
        if kind == 5:
            return f"if (x & {1 << chance.randrange(5)}) {{ {block(depth + 1, level)} }} else {{ {block(depth + 1, level)} }}"
        if kind == 6:
            i = f"i{depth}"
            return f"for (int {i} = 0; {i} < {chance.randrange(2, 7)}; ++{i}) {{ {block(depth + 1, level)} }}"
        if kind == 7:
            return f"for (unsigned n = (unsigned)x & 15; n != 0; --n) {{ x ^= (int)(x * n); }}"
        return f"switch (x & 3) {{ case 0: {block(depth + 1, level)} break; case 1: ++x; break; default: {block(depth + 1, level)} }}"

    def block(depth, level):
        return " ".join(statement(depth, level) for _ in range(chance.randrange(1, 4) if depth > 0 else 6))

    return "".join(f"__attribute__((noinline)) static long f{level}(int x) {{ {block(0, level)} return x; }}\n" for level in (2, 1, 0))


NO_INSTRUCTION = re.compile(r"(phi|freeze|extractvalue|insertvalue|bitcast|inttoptr|ptrtoint|landingpad)\b|unreachable|br label"
                            r"|(tail )?call void @llvm\.(lifetime|assume|dbg|experimental\.noalias)")


TABLE = Path(__file__).resolve().parents[2] / "frontends" / "cpu" / "pass" / "library_work.inc"
LIBRARY = {name: int(count) for name, count in re.findall(r'^LIBRARY_WORK\("(\w+)", (\d+)\)', TABLE.read_text(), re.M)}


def weight(line, function):
    """Of a line of IR: how many instructions, loads, stores."""
    what = re.sub(r"^%[\w.]+ = ", "", line)
    called = re.match(r"(?:tail )?call .*?@(\w+)\(", what)
    if called and called[1] in LIBRARY:
        return 1 + LIBRARY[called[1]], 0, 0
    if what.startswith("load "):
        return 1, 1, 0
    if what.startswith("store "):
        return 1, 0, 1
    if what.startswith("alloca") or NO_INSTRUCTION.match(what):
        return 0, 0, 0
    if what.startswith("getelementptr"):
        name = re.escape(line.split(" = ")[0])
        uses = [each for each in function if re.search(name + r"(?![\w.])", each) and each != line]
        pointer = re.compile(r"(?:.* = load [^,]*|store (?!ptr " + name + r"\b)[^,]*(?:\([^)]*\))?), ptr " + name + r"(?![\w.])")
        return (0 if all(pointer.match(each) for each in uses) else 1), 0, 0
    return 1, 0, 0


def with_ticks(text):
    """The IR in which each block tells of its instructions when it is entered."""
    out, lines = [], text.splitlines()
    at = 0
    while at < len(lines):
        out.append(lines[at])
        at += 1
        if not lines[at - 1].startswith("define "):
            continue
        end = lines.index("}", at)
        function = [re.sub(r", ![\w.]+ !?\d+|, #dbg.*", "", each.strip()) for each in lines[at:end]]
        block, place = [0, 0, 0], None

        def close():
            if place is not None:
                out[place] = f"  call void @tick(i64 {block[0]}, i64 {block[1]}, i64 {block[2]})"
        depth = 0
        for raw, line in zip(lines[at:end], function):
            if re.match(r'[\w.\-"]+:', line):
                close()
                block, place = [0, 0, 0], None
                out.append(raw)
                continue
            continues = depth > 0  # the cases of a switch
            depth += raw.count("[") - raw.count("]") if "switch " in raw or continues else 0
            if not line or line.startswith((";", "#")) or continues:
                out.append(raw)
                continue
            is_first = re.match(r"%[\w.]+ = (phi|landingpad)\b", line)
            if place is None and not is_first:
                out.append("")
                place = len(out) - 1
            out.append(raw)
            block = [a + b for a, b in zip(block, weight(line, function))]
        close()
        at = end
    return "\n".join(out) + "\ndeclare void @tick(i64, i64, i64)\n"


def without_constructor(text):
    """The IR without what starts the runtime; and nothing is said of functions that calls of tick() would make untrue."""
    text = re.sub(r"^@llvm\.(used|global_ctors) = .*\n", "", text, flags=re.M)
    text = re.sub(r"^define internal void @tsan\.module_ctor.*?^}\n", "", text, flags=re.M | re.S)
    return re.sub(r"^attributes #(\d+) = .*", r"attributes #\1 = { nounwind }", text, flags=re.M)


class Counting(Case):
    def expected(self, level):
        """Of p.c, by thread: instructions, loads, stores."""
        def call(*words):
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 1), " ".join(words) + "\n" + done.stderr)
            return done
        call(CLANG, level, "-fsanitize=thread", *QUIET, "-S", "-emit-llvm", "p.c", "-o", "p.ll")
        self.write("ticks.ll", with_ticks(without_constructor(self.read("p.ll"))))
        self.write("ticks.c", TICKS)
        self.assertEqual(call(CLANG, "-O0", "-Wno-override-module", "ticks.ll", "ticks.c", "-pthread", "-o", "ticks").returncode, 0)
        rows = [line.split() for line in call("./ticks").stdout.splitlines()]
        return {name: tuple(map(int, rest)) for name, *rest in rows}

    def recorded(self, level):
        """The same from a trace."""
        self.run_tool("cc", "--count-instructions", "--compiler=" + CLANG, level, "p.c", "-o", "p", expect=CLEAN)
        self.run_tool("run", "--record=p.rft", "--", "./p")
        self.run_tool("trace", "check", "p.rft", expect=CLEAN)
        self.run_tool("trace", "convert", "p.rft", "p.txt", expect=CLEAN)
        found = {}
        for thread, kind, operand in re.findall(r"^(T\d+) (work|read|write) (\S+)", self.read("p.txt"), re.M):
            sums = found.setdefault(thread, [0, 0, 0])
            sums[("work", "read", "write").index(kind)] += int(operand) if kind == "work" else 1
        return {name: tuple(sums) for name, sums in found.items()}

    def test_each_thread_of_random_programs(self):
        for seed in range(6):
            chance = random.Random(seed)
            self.write("p.c", PREFIX + random_functions(chance) + MAIN)
            for level in ("-O0", "-O2"):
                with self.subTest(seed=seed, level=level):
                    self.assertEqual(self.recorded(level), self.expected(level))

    def test_by_hand(self):
        self.write("p.c", BY_HAND)
        # Before the loop: stores of 0 to the result and to i. Each time: load i, compare, branch; load i, load and store sum, add;
        # load and store i, add. Then load i, compare, branch; return.
        self.assertEqual(self.recorded("-O0"), {"T0": (2 + 1000 * 10 + 3 + 1, 4 * 1000 + 1, 2 + 2 * 1000)})

    def test_info_has_the_sums(self):
        self.write("p.c", PREFIX + random_functions(random.Random(99)) + MAIN)
        found = self.recorded("-O1")
        info = self.run_tool("trace", "info", "p.rft", expect=CLEAN).out
        rows = {name: int(count.replace(",", "").replace(" ", "")) for name, count in
                re.findall(r"^ *(instructions|T\d+) +([\d, ]+)$", info, re.M)}
        self.assertEqual(rows.pop("instructions"), sum(rows.values()), info)
        self.assertEqual(rows, {name: sums[0] for name, sums in found.items()})

    def test_detectors_find_the_same_without_counts(self):
        self.write("p.c", PREFIX + random_functions(random.Random(5)) + MAIN)
        self.recorded("-O1")
        lines = [line for line in self.read("p.txt").splitlines() if not re.match(r"T\d+ work ", line)]
        self.write("less.txt", "\n".join(lines) + "\n")
        for detector in ("fasttrack", "slimfast"):
            for name in ("p.rft", "less.txt"):
                self.run_tool("replay", "--detector=" + detector, name, expect=CLEAN)

    def test_others_count_nothing(self):
        self.write("p.c", BY_HAND)
        self.run_tool("cc", "--compiler=" + CLANG, "-O0", "p.c", "-o", "p", expect=CLEAN)
        self.run_tool("run", "--record=p.rft", "--", "./p", expect=CLEAN)
        self.assertNotIn("instructions", self.run_tool("trace", "info", "p.rft", expect=CLEAN).out)

    def test_refused(self):
        self.write("p.c", BY_HAND)
        both = self.run_tool("cc", "--count-instructions", "--sampling", "p.c", "-o", "p", expect=BAD_INPUT)
        self.assertIn("--sampling and --count-instructions", both.err)
        gcc = self.run_tool("cc", "--count-instructions", "--compiler=gcc-12", "p.c", "-o", "p", expect=BAD_INPUT)
        self.assertIn("leave out --count-instructions", gcc.err)


if __name__ == "__main__":
    if shutil.which(CLANG) is None:
        print("skipped: needs clang-19")
        sys.exit(77)
    if len(sys.argv) > 3:
        sys.argv.pop(3)  # the build folder
    tool.main()
