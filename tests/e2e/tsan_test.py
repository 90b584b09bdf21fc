"""Where ThreadSanitizer is used today: TSAN_OPTIONS, its interface, CTest's memory check, and projects that switch the compiler."""
import os
import re
import shutil
import subprocess
import sys

import tool
from tool import CLEAN, RACES, Case

RACY = r"""
#include <stdio.h>
#include <thread>
int counter;
static void work() { ++counter; }  // RACE
int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  puts("end");
  return 0;
}
"""
REPAIRED = RACY.replace("int counter", "#include <atomic>\nstd::atomic<int> counter")
# Defaults of the program's own, and what it is shown of its race.
OWN_WORDS = r"""
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <thread>
extern "C" {
int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**, unsigned long);
int __tsan_get_report_mop(void*, unsigned long, int*, void**, int*, int*, int*, void**, unsigned long);
int __tsan_get_report_loc(void*, unsigned long, const char**, void**, void**, unsigned long*, int*, int*, int*, void**, unsigned long);
int __tsan_get_report_thread(void*, unsigned long, int*, uint64_t*, int*, const char**, int*, void**, unsigned long);
const char* __tsan_locate_address(uintptr_t, char*, size_t, uintptr_t*, size_t*);
int __tsan_get_alloc_stack(uintptr_t, uintptr_t*, size_t, int*, uint64_t*);
const char* __tsan_default_options() { return OPTIONS; }
const char* __tsan_default_suppressions() { return SUPPRESSIONS; }
void __tsan_on_initialize() { write(1, "initialized\n", 12); }
int __tsan_on_finalize(int failed) { printf("failed %d\n", failed); return failed; }
long counter;
void __tsan_on_report(void* report) {
  const char *what, *type;
  int count, stacks, mops, locs, mutexes, threads, tids;
  void* trace[16];
  if (!__tsan_get_report_data(report, &what, &count, &stacks, &mops, &locs, &mutexes, &threads, &tids, trace, 16)) abort();
  printf("report %s count=%d mops=%d locs=%d threads=%d current=%d\n", what, count, mops, locs, threads,
         __tsan_get_current_report() == report);
  for (int i = 0; i < mops; i++) {
    int tid, size, write, atomic;
    void* addr;
    if (!__tsan_get_report_mop(report, i, &tid, &addr, &size, &write, &atomic, trace, 16)) abort();
    char where[256];
    __sanitizer_symbolize_pc(trace[0], "%f", where, sizeof where);
    printf("mop size=%d write=%d atomic=%d same=%d in %s\n", size, write, atomic, addr == &counter, where);
  }
  void *addr, *start;
  unsigned long size;
  int tid, fd, suppressable;
  if (locs && __tsan_get_report_loc(report, 0, &type, &addr, &start, &size, &tid, &fd, &suppressable, trace, 16))
    printf("location %s same=%d size=%lu\n", type, start == &counter, size);
  for (int i = 0; i < threads; i++) {
    uint64_t os;
    int running, parent;
    const char* name;
    if (!__tsan_get_report_thread(report, i, &tid, &os, &running, &name, &parent, trace, 16)) abort();
    printf("thread parent=%d has_os_id=%d\n", parent, os != 0);
  }
  if (__tsan_get_report_data(&size, &what, &count, &stacks, &mops, &locs, &mutexes, &threads, &tids, trace, 16)) abort();
}
}
static void work() { ++counter; }
__attribute__((noinline)) void deep() { __sanitizer_print_stack_trace(); }
int main(int argc, char** argv) {
  if (argc > 1) __sanitizer_set_report_path(argv[1]);
  void* block = malloc(24);
  char name[64];
  uintptr_t at, trace[16];
  size_t size;
  int tid;
  uint64_t os;
  const char* kind = __tsan_locate_address((uintptr_t)block + 3, name, sizeof name, &at, &size);
  printf("block %s %d %zu\n", kind, at == (uintptr_t)block, size);
  printf("allocated %d by %d\n", __tsan_get_alloc_stack((uintptr_t)block, trace, 16, &tid, &os) > 0, tid);
  kind = __tsan_locate_address((uintptr_t)&counter, name, sizeof name, &at, &size);
  printf("counter %s %s %d %zu\n", kind, name, at == (uintptr_t)&counter, size);
  kind = __tsan_locate_address((uintptr_t)&size, name, sizeof name, &at, &size);
  printf("local %s\n", kind);
  void* offset;
  char module[256];
  printf("module %d", __sanitizer_get_module_and_offset_for_pc((void*)&deep, module, sizeof module, &offset));
  printf(" %s\n", strrchr(module, '/') + 1);
  deep();
  std::thread a(work), b(work);
  a.join();
  b.join();
  if (__sanitizer_get_report_path()) printf("path %s\n", __sanitizer_get_report_path());
  printf("outside %d\n", __tsan_get_current_report() == 0);
  free(block);
}
"""
# A library without instrumentation copies for its callers, and locks.
PLAIN = r"""
#include <string.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int length = 64;
void copy_in(char* to, const char* from) { memcpy(to, from, length); }
void lock_it(void) { pthread_mutex_lock(&m); }
void unlock_it(void) { pthread_mutex_unlock(&m); }
"""
CALLER = r"""
#include <stdio.h>
#include <thread>
extern "C" void copy_in(char*, const char*);
extern "C" void lock_it();
extern "C" void unlock_it();
char shared[64], mine[64];
int guarded;
static void work() {
  if (COPIES) copy_in(shared, mine);
  if (LOCKS) { lock_it(); ++guarded; unlock_it(); }
}
int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
"""


class Programs(Case):
    def build(self, name, text, *words):
        self.write(name + ".cpp", text)
        done = self.run_tool("c++", "-O1", *words, name + ".cpp", "-o", name, expect=CLEAN)
        self.assertEqual(done.err, "")

    def alone(self, *words, expect=None, tsan=None, options=None, env=None):
        """The program itself, without `redflag run`."""
        environment = {k: v for k, v in os.environ.items() if k not in ("REDFLAG_OPTIONS", "TSAN_OPTIONS")}
        environment.update(env or {})
        environment["REDFLAG_PROGRAM"] = tool.REDFLAG
        if tsan is not None:
            environment["TSAN_OPTIONS"] = tsan
        if options is not None:
            environment["REDFLAG_OPTIONS"] = options
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)
        said = f"{words} TSAN_OPTIONS={tsan}\n{done.stdout}\n{done.stderr}"
        if expect is not None:
            self.assertEqual(done.returncode, expect, said)
        done.said = said
        return done

    def both(self, program, tsan, expect, options=None):
        """Alone and under `redflag run`: the standard error of each."""
        done = self.alone("./" + program, tsan=tsan, expect=expect, options=options)
        run = self.run_tool("run", "--", "./" + program, env={"TSAN_OPTIONS": tsan}, options=options, expect=expect)
        return done.stderr, run.err


class Options(Programs):
    def test_flags(self):
        self.build("racy", RACY)
        for said in self.both("racy", "", RACES):
            self.assertIn("race-write-write", said)
        for said in self.both("racy", "exitcode=3", 3):
            self.assertIn("race-write-write", said)
        self.both("racy", "exitcode=0", CLEAN)
        self.both("racy", "exitcode=3", 4, options="exit-status=4")
        for said in self.both("racy", "report_bugs=0", CLEAN):
            self.assertNotIn("race-write-write", said)
        for said in self.both("racy", "halt_on_erorr=1 exitcode=5", 5):
            self.assertEqual(said.count("halt_on_erorr"), 1, said)
        for said in self.both("racy", "verbosity=1:symbolize=0:external_symbolizer_path=/x:exitcode=5", 5):
            self.assertIn("libredflag checks process", said)
        self.assertIn("no effect", self.alone("./racy", tsan="verbosity=1:symbolize=0").stderr)
        # Ends at the race, before "end"; by a signal when that is asked for.
        self.assertNotIn("end", self.alone("./racy", tsan="halt_on_error=1", expect=RACES).stdout)
        self.alone("./racy", tsan="halt_on_error=1 abort_on_error=1", expect=-6)
        self.assertIn("end", self.alone("./racy", tsan="halt_on_error=0", expect=RACES).stdout)
        self.assertIn("suppressions", self.alone("./racy", tsan="help=1", expect=RACES).stderr)

    def test_suppressions(self):
        os.mkdir(self.path("there"))
        self.write("there/racy.cpp", RACY)
        self.run_tool("c++", "there/racy.cpp", "-o", "there/racy", expect=CLEAN)
        self.write("there/known.txt", "race:^work()$\n")
        for said in self.both("there/racy", "suppressions='known.txt'", CLEAN):
            self.assertNotIn("race-write-write", said)
        for said in self.both("there/racy", f"suppressions={self.path('there/known.txt')} print_suppressions=1", CLEAN, "format=tsan"):
            self.assertRegex(said, r"ThreadSanitizer: Matched \d+ suppressions:\n\d+ race:\^work\(\)\$")
        for said in self.both("there/racy", "suppressions=known.txt", CLEAN, "format=tsan"):
            self.assertNotIn("Matched", said)

    def test_logs(self):
        self.build("racy", RACY)
        done = self.alone("./racy", tsan="log_path='logs/a b':exitcode=9", expect=9)
        self.assertEqual(done.stderr, "")
        name, = os.listdir(self.path("logs"))
        self.assertRegex(name, r"^a b\.\d+$")
        pid = name.rsplit(".", 1)[1]
        text = self.read("logs/" + name)
        self.assertIn(f"WARNING: ThreadSanitizer: data race (pid={pid})", text)
        self.assertIn("SUMMARY: ThreadSanitizer: data race " + self.path("racy.cpp") + ":5", text)
        self.assertIn("ThreadSanitizer: reported 1 warnings", text)
        self.run_tool("run", "./racy", expect=RACES, env={"TSAN_OPTIONS":
                      f"log_path=more:log_exe_name=1:log_suffix=.txt:strip_path_prefix={self.folder}/"})
        name, = [one for one in self.files() if one.startswith("more")]
        self.assertRegex(name, r"^more\.racy\.\d+\.txt$")
        self.assertIn(" racy.cpp:5", self.read(name))
        # In our words, by our own option; stdout is that; a program without races leaves no log.
        self.run_tool("run", "--log-path=own", "./racy", expect=RACES)
        name, = [one for one in self.files() if one.startswith("own.")]
        self.assertIn("error[race-write-write]", self.read(name))
        self.assertIn("WARNING: ThreadSanitizer", self.alone("./racy", tsan="log_path=stdout", options="format=tsan").stdout)
        self.build("repaired", REPAIRED)
        self.alone("./repaired", tsan="log_path=none", expect=CLEAN)
        self.assertFalse([one for one in self.files() if one.startswith("none")])

    def test_start_and_end(self):
        self.build("racy", RACY)
        environment = {**os.environ, "TSAN_OPTIONS": "stop_on_start=1", "REDFLAG_PROGRAM": tool.REDFLAG}
        with subprocess.Popen(["./racy"], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            self.assertIn(b"__tsan_resume()", program.stderr.readline())
            with self.assertRaises(subprocess.TimeoutExpired):
                program.wait(0.3)
            # What a debugger's call of the function does.
            symbols = subprocess.run(["nm", self.path("racy")], capture_output=True, text=True, check=True).stdout
            offset = int(re.search(r"^(\w+) \w __tsan_resumed$", symbols, re.M)[1], 16)
            maps = open(f"/proc/{program.pid}/maps", encoding="utf-8").read()
            base = int(re.search(r"^(\w+)-.* 00000000 .*/racy$", maps, re.M)[1], 16)
            with open(f"/proc/{program.pid}/mem", "r+b", buffering=0) as memory:
                memory.seek(base + offset)
                memory.write(b"\1\0\0\0")
            out, _ = program.communicate(timeout=30)
        self.assertIn(b"end", out)
        self.assertEqual(program.returncode, RACES)

    def test_page(self):
        page = self.run_tool("help", "tsan-options", expect=CLEAN).out
        with open(os.path.join(tool.ROOT, "docs/user/tsan-options.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), page, "make it again: redflag help tsan-options > docs/user/tsan-options.md")
        if not shutil.which("clang++-19"):
            return
        # ThreadSanitizer itself says what its flags are.
        self.write("none.cpp", "int main() {}\n")
        made = subprocess.run(["clang++-19", "-fsanitize=thread", "none.cpp", "-o", "none"], cwd=self.folder, capture_output=True)
        if made.returncode != 0:
            return  # its runtime is not installed
        shown = subprocess.run(["setarch", "-R", "./none"], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "TSAN_OPTIONS": "help=1"}).stderr
        theirs = dict(re.findall(r"^\t(\w+)$\n(.*(?:\n \(Current.*)?)$", shown, re.M))
        ours = dict((name, value.strip("`")) for name, value in re.findall(r"^\| `(\w+)` \| (`\S+`)?", page, re.M))
        self.assertGreater(len(theirs), 50, shown)
        self.assertEqual(sorted(theirs), sorted(ours))
        for name, text in theirs.items():
            value = re.search(r"\(Current Value[^:]*: (.*)\)", text)
            # help is asked for here; the others have their default elsewhere.
            if value is None or name in ("help", "log_path", "stack_trace_format"):
                continue
            said = value[1].replace("<null>", "")
            self.assertEqual(ours[name], str(int(said, 16)) if said.startswith("0x") else said, name)


class Interface(Programs):
    def test_own_words(self):
        defines = ['-DOPTIONS="exitcode=7"', '-DSUPPRESSIONS=""']
        self.build("own", OWN_WORDS, *defines)
        for done in (self.alone("./own", expect=7), self.run_tool("run", "./own", expect=7)):
            out = done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
            err = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
            self.assertTrue(out.startswith("initialized\n") or "initialized\n" in out, out)
            for line in ("block heap 1 24", "allocated 1 by 0", "counter global counter 1 8", "local stack", "module 1 own",
                         "report data-race count=0 mops=2 locs=1 threads=2 current=1", "location global same=1 size=8",
                         "outside 1", "failed 1"):
                self.assertIn(line + "\n", out)
            self.assertEqual(out.count("thread parent=0 has_os_id=1"), 2, out)
            self.assertEqual(len(re.findall(r"mop size=8 write=[01] atomic=0 same=1 in work", out)), 2, out)
            self.assertRegex(err, r"#0 __sanitizer_print_stack_trace.*\n\s+#1 deep\(\) .*own.cpp:\d+.*\n\s+#2 main ")
        # The environment wins.
        self.alone("./own", tsan="exitcode=8", expect=8)
        # The shared library finds the program's functions, too.
        self.run_tool("c++", "--shared-runtime", "-O1", *defines, "own.cpp", "-o", "shared", expect=CLEAN)
        self.assertIn("failed 1", self.alone("./shared", expect=7).stdout)
        done = self.alone("./own", "chosen", expect=7)
        path = re.search(r"path (chosen\.\d+)", done.stdout)[1]
        self.assertIn("race-write-write", self.read(path))
        self.assertNotIn("race-write-write", done.stderr)
        self.build("quiet", OWN_WORDS, '-DOPTIONS="exitcode=7"', '-DSUPPRESSIONS="race:^work()$\\n"')
        for done in (self.alone("./quiet", expect=CLEAN), self.run_tool("run", "./quiet", expect=CLEAN)):
            out = done.stdout if isinstance(done.stdout, str) else done.stdout.decode()
            self.assertNotIn("report", out)
            self.assertIn("failed 0", out)


class Libraries(Programs):
    def test_calls(self):
        self.write("plain.c", PLAIN)
        subprocess.run(["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "plain.c", "-o", "libplain.so"], cwd=self.folder, check=True)
        library = ["-L.", "-lplain", "-Wl,-rpath," + self.folder]
        self.build("copies", CALLER, "-DCOPIES=1", "-DLOCKS=0", *library)
        self.build("locks", CALLER, "-DCOPIES=0", "-DLOCKS=1", *library)
        self.write("called.txt", "called_from_lib:libplain.so\n")
        named = "suppressions=" + self.path("called.txt")
        for said in self.both("copies", "", RACES):
            self.assertIn("memcpy", said)
        self.both("copies", named, CLEAN)
        self.both("copies", "ignore_noninstrumented_modules=1", CLEAN)
        self.both("copies", "ignore_interceptors_accesses=1", CLEAN)
        # What the library orders counts, but not from a library that is named.
        self.both("locks", "", CLEAN)
        self.both("locks", "ignore_noninstrumented_modules=1", CLEAN)
        self.both("locks", named, RACES)
        self.run_tool("run", "--suppressions=called.txt", "./copies", expect=CLEAN)
        self.write("other.txt", "called_from_lib:libother.so\n")
        done = self.run_tool("run", "--suppressions=other.txt", "./copies", expect=RACES)
        self.assertNotIn("called_from_lib", done.err)
        # By a suppression in the program itself.
        own = 'extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libplain.so\\n"; }\n'
        self.build("own", own + CALLER, "-DCOPIES=1", "-DLOCKS=0", *library)
        self.alone("./own", expect=CLEAN)


class Projects(Programs):
    """A project that uses ThreadSanitizer: nothing but the compiler changes."""

    def setUp(self):
        super().setUp()
        self.write("main.cpp", RACY)
        self.compiler = f"{tool.REDFLAG} c++"

    def sh(self, *words, env=None):
        environment = {k: v for k, v in os.environ.items() if k not in ("REDFLAG_OPTIONS", "TSAN_OPTIONS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "DESTDIR")}
        environment.update(env or {})
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def is_checked(self, program):
        done = self.alone(program, expect=RACES, options="format=tsan")
        self.assertEqual(done.stderr.count("WARNING: ThreadSanitizer: data race"), 1, done.said)
        self.assertRegex(done.stderr, r"SUMMARY: ThreadSanitizer: data race \S*main.cpp:5")
        self.assertEqual(done.stdout, "end\n")
        done = self.run_tool("run", "--", program, expect=RACES)
        self.assertIn("main.cpp:5", done.err)

    def test_make(self):
        if not shutil.which("make"):
            self.skipTest("make is not installed")
        self.write("Makefile", "CXXFLAGS += -O1 -g -fsanitize=thread\nLDFLAGS += -fsanitize=thread\nLDLIBS = -lpthread\n"
                   "main: main.o\n\t$(CXX) $(LDFLAGS) $^ $(LDLIBS) -o $@\n")
        self.sh("make", "CXX=" + self.compiler)
        self.is_checked("./main")

    def test_cmake(self):
        self.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.20)
project(own CXX)
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -O1 -g -fsanitize=thread")
find_package(Threads REQUIRED)
add_library(part STATIC part.cpp)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE part Threads::Threads)
""")
        self.write("part.cpp", "int part() { return 1; }\n")
        self.sh("cmake", "-S", ".", "-B", "build", env={"CXX": self.compiler})
        self.sh("cmake", "--build", "build")
        self.is_checked("build/main")

    def test_meson(self):
        if not shutil.which("meson") or not shutil.which("ninja"):
            self.skipTest("meson is not installed")
        self.write("meson.build", "project('own', 'cpp', default_options: ['b_sanitize=thread', 'b_lundef=false'])\n"
                   "executable('main', 'main.cpp', dependencies: dependency('threads'))\n")
        self.sh("meson", "setup", "build", env={"CXX": self.compiler})
        self.sh("ninja", "-C", "build")
        self.is_checked("build/main")

    def test_ctest_memcheck(self):
        self.write("repaired.cpp", REPAIRED)
        self.write("CMakeLists.txt", """cmake_minimum_required(VERSION 3.20)
project(own CXX)
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -O1 -g -fsanitize=thread")
find_package(Threads REQUIRED)
set(MEMORYCHECK_TYPE ThreadSanitizer)
include(CTest)
foreach(NAME main repaired)
  add_executable(${NAME} ${NAME}.cpp)
  target_link_libraries(${NAME} PRIVATE Threads::Threads)
  add_test(NAME ${NAME} COMMAND ${NAME})
endforeach()
""")
        self.sh("cmake", "-S", ".", "-B", "build", env={"CXX": self.compiler})
        self.sh("cmake", "--build", "build")
        done = subprocess.run(["ctest", "-T", "memcheck"], cwd=self.path("build"), capture_output=True, text=True, timeout=120,
                              env={**{k: v for k, v in os.environ.items() if k != "TSAN_OPTIONS"}, "REDFLAG_PROGRAM": tool.REDFLAG})
        said = done.stdout + done.stderr
        self.assertRegex(said, r"1/2 MemCheck: #1: main \.+\s+Defects: 1", said)
        self.assertRegex(said, r"data race - 1", said)
        self.assertRegex(said, r"2/2 MemCheck #2: repaired \.+\s+Passed", said)
        # What the programs left in files of their own, CTest put together.
        self.assertIn("WARNING: ThreadSanitizer: data race (pid=", self.read("build/Testing/Temporary/MemoryChecker.1.log"))
        self.assertFalse(os.path.exists(self.path("build/Testing/Temporary/MemoryChecker.2.log")))


if __name__ == "__main__":
    del sys.argv[3]
    tool.main()
