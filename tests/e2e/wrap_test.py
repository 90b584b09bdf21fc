"""`redflag cc`, `redflag c++`, `redflag flags`, the CMake package: real programs built each way, and checked."""
import json
import os
import re
import shutil
import subprocess
import sys

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case

BUILD = ""

RACY_C = r"""
#include <pthread.h>
#include <stdio.h>
int counter;
void* work(void* p) { ++counter; return p; }  // RACE
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("counter %d\n", counter);
  return 0;
}
"""
RACY_CXX = r"""
#include <iostream>
#include <thread>
int counter;
void work() { ++counter; }  // RACE
int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::cout << "counter " << counter << "\n";
}
"""
OK_CXX = RACY_CXX.replace("#include <thread>", "#include <mutex>\n#include <thread>\nstd::mutex m;").replace(
    "++counter; }", "std::lock_guard hold(m); ++counter; }")
# The race is in a library: plain, or loaded while the program runs.
LIBRARY = "extern \"C\" void touch(int* p) { ++*p; }  // RACE\n"
USER = r"""
#include <dlfcn.h>
#include <cstdio>
#include <thread>
#ifdef LOAD
using Touch = void (*)(int*);
Touch touch;
#else
extern "C" void touch(int* p);
#endif
int shared;
int main() {
#ifdef LOAD
  void* library = dlopen("./libtouch.so", RTLD_NOW);
  if (!library) return std::puts(dlerror()), 1;
  touch = (Touch)dlsym(library, "touch");
#endif
  std::thread a([] { touch(&shared); }), b([] { touch(&shared); });
  a.join();
  b.join();
}
"""

POOL = r"""
#include <thread>
int counter;
void work() { ++counter; }  // RACE
struct Pool {
  void start() {
    for (std::thread& a : all) a = std::thread(work);
  }
  ~Pool() {
    for (std::thread& a : all) a.join();
  }
  std::thread all[2];
};
int main() {
  Pool p;
  p.start();
}
"""
# The C library starts a thread for a timer's function, by its own means. That function and the library are not checked.
TIMER = r"""
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <atomic>
extern "C" void touch(int* p);
std::atomic<int> rung;
static void ring(sigval) {
  free(malloc(10));
  int mine = 0;
  touch(&mine);
  rung = 1;
}
int main() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = ring;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  itimerspec soon{};
  soon.it_value.tv_nsec = 1000000;
  timer_settime(timer, 0, &soon, nullptr);
  for (int i = 0; i < 5000 && !rung; ++i) usleep(1000);
  return rung ? 0 : 1;
}
"""

# Every process adds to the same value once both are there: a child and its parent, or two that map the same file.
SHARED_C = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct Shared { atomic_int there; int value; };
static void add(struct Shared* s) {
  atomic_fetch_add_explicit(&s->there, 1, memory_order_relaxed);
  while (atomic_load_explicit(&s->there, memory_order_relaxed) < 2) usleep(100);
  s->value++;  // RACE
}
int main(int argc, char** argv) {
  if (argc > 2) {
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (ftruncate(fd, 4096) != 0) return 1;
    add(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    return 0;
  }
  struct Shared* s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  add(s);
  if (child == 0 && argc > 1) {
    usleep(1);  // what it did is recorded when it waits, not when it is killed
    raise(SIGKILL);
  }
  if (child != 0) waitpid(child, 0, 0);
  return 0;
}
"""


def compilers(names):
    return [name for name in names if shutil.which(name)]


CC = compilers(["gcc", "clang-19"])
CXX = compilers(["g++", "clang++-19"])


class Programs(Case):
    def setUp(self):
        super().setUp()
        self.write("racy.c", RACY_C)
        self.write("racy.cpp", RACY_CXX)
        self.write("ok.cpp", OK_CXX)
        self.write("touch.cpp", LIBRARY)
        self.write("user.cpp", USER)

    def build(self, *words, compiler=None, command="c++"):
        chosen = [f"--compiler={compiler}"] if compiler else []
        done = self.run_tool(command, *chosen, *words, expect=CLEAN)
        self.assertEqual(done.err, "", "no warnings of unused flags")
        return done

    def race_in(self, program, source="racy.cpp", options=(), more=(), **others):
        """The program is racy, and both sides are on the marked line of `source`."""
        line = next(i for i, text in enumerate(self.read(source).splitlines(), 1) if "RACE" in text)
        done = self.run_tool("run", "--json=r.json", *options, program, *more, expect=RACES, **others)
        found = json.loads(self.read("r.json"))["findings"]
        for finding in found:
            for side in ("first", "second"):
                places = [(os.path.basename(f["file"]), f["line"]) for f in finding[side]["stack"] if f.get("file")]
                self.assertIn((source, line), places)
        self.assertGreaterEqual(len(found), 1)
        return done

    def test_c(self):
        for compiler in CC:
            with self.subTest(compiler):
                self.build("racy.c", "-O1", "-o", "racy", compiler=compiler, command="cc")
                self.assertEqual(self.race_in("./racy", "racy.c").out.split()[0], "counter")

    def test_cxx(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("racy.cpp", "-O1", "-o", "racy", compiler=compiler)
                self.race_in("./racy")
                self.build("ok.cpp", "-O1", "-o", "ok", compiler=compiler)
                self.run_tool("run", "./ok", expect=CLEAN)

    def test_where_threads_come_from(self):
        """The constructor of std::thread may be inlined, and the C++ library calls pthread_create: its callers are there."""
        self.write("pool.cpp", POOL)
        start, main = (next(i for i, text in enumerate(POOL.splitlines(), 1) if mark in text)
                       for mark in ("a = std::thread", "p.start()"))
        for compiler in CXX:
            for level in ("-O0", "-O2"):
                with self.subTest(compiler, level=level):
                    self.build("pool.cpp", level, "-o", "pool", compiler=compiler)
                    done = self.race_in("./pool", "pool.cpp")
                    threads = json.loads(self.read("r.json"))["findings"][0]["threads"]
                    created = [thread["created"] for thread in threads if thread["thread"] != 0]
                    self.assertGreaterEqual(len(created), 1)
                    for stack in created:
                        self.assertEqual(stack[0]["function"], "pthread_create")
                        own = [(frame["function"], frame["line"]) for frame in stack
                               if os.path.basename(frame.get("file", "")) == "pool.cpp"]
                        self.assertEqual(own, [("Pool::start()", start), ("main", main)], stack)
                    self.assertRegex(done.err, r"created by T0 \(main\)\n    Pool::start\(\)  \S*pool.cpp:%d" % start)
                    self.assertRegex(done.err, r"\.\.\. \d+ frames? of libstdc\+\+", "what calls work() is folded")

    def test_what_was_not_looked_at(self):
        """A library without instrumentation is named at the end."""
        self.write("timer.cpp", TIMER)
        subprocess.run([CXX[0], "-shared", "-fPIC", "touch.cpp", "-o", "libtouch.so"], cwd=self.folder, check=True)
        self.build("timer.cpp", "-O1", "-o", "timer", "-L.", "-ltouch", "-Wl,-rpath,$ORIGIN", compiler=CXX[0])
        done = self.run_tool("run", "--json=r.json", "./timer", expect=CLEAN)
        # The thread that runs the function is known from then on; glibc's own, which waits for timers, is not.
        self.assertRegex(done.err, r"redflag: not looked at: 1 library without instrumentation \(libtouch\.so\)"
                                   r"(, [12] threads? that the C library started)?\n")
        kinds = [(one["kind"], os.path.basename(one["name"])) for one in json.loads(self.read("r.json"))["unchecked"]]
        self.assertEqual(kinds[0], ("library", "libtouch.so"))
        self.build("ok.cpp", "-O1", "-o", "ok", compiler=CXX[0])
        self.assertNotIn("not looked at", self.run_tool("run", "./ok", expect=CLEAN).err, "threads of the program are known")

    def test_without_run(self):
        """The program alone starts its reporter, and takes its options from the environment."""
        for compiler in CXX:
            self.build("racy.cpp", "-o", "racy", compiler=compiler)
            for options, said in (("json=alone.json", "error[race-"), ("format=tsan", "WARNING: ThreadSanitizer: data race")):
                environment = dict(os.environ, REDFLAG_OPTIONS=options, REDFLAG_PROGRAM=tool.REDFLAG)
                done = subprocess.run(["./racy"], cwd=self.folder, env=environment, capture_output=True, timeout=60)
                self.assertEqual(done.returncode, RACES, done.stderr)
                self.assertIn(said, done.stderr.decode())
            self.assertGreaterEqual(len(json.loads(self.read("alone.json"))["findings"]), 1)
            os.remove(self.path("alone.json"))

    def test_processes(self):
        """A race between processes: forked ones, alone and under `run`, one that is killed, and two that a shell started."""
        self.write("shared.c", SHARED_C)
        self.build("shared.c", "-o", "shared", command="cc")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("REDFLAG_")}
        environment["REDFLAG_PROGRAM"] = tool.REDFLAG
        alone = subprocess.run(["./shared"], cwd=self.folder, env=environment, capture_output=True)
        self.assertEqual(alone.returncode, RACES, alone.stderr.decode())
        self.assertIn("child of", alone.stderr.decode())
        for how in ((), ("kill",)):
            self.race_in("./shared", "shared.c", more=how)
        done = self.run_tool("run", "sh", "-c", "./shared file 1 & ./shared file 2; wait", expect=RACES)
        self.assertIn("/file+", done.err)

    def test_compile_and_link_apart(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("-c", "racy.cpp", "-O2", "-g", "-o", "racy.o", compiler=compiler)
                self.build("racy.o", "-o", "racy", compiler=compiler)
                self.race_in("./racy")
                os.remove(self.path("racy"))

    def test_one_word_commands(self):
        wrapper = tool.REDFLAG + "-c++"
        subprocess.run([wrapper, "racy.cpp", "-o", "racy"], cwd=self.folder, check=True)
        self.race_in("./racy")

    def test_shared_library(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("-shared", "-fPIC", "touch.cpp", "-Wl,-z,defs", "-o", "libtouch.so", compiler=compiler)
                self.build("user.cpp", "-o", "user", "-L.", "-ltouch", "-Wl,-rpath,$ORIGIN", compiler=compiler)
                self.race_in("./user", "touch.cpp")

    def test_loaded_library(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("-shared", "-fPIC", "touch.cpp", "-o", "libtouch.so", compiler=compiler)
                self.build("user.cpp", "-DLOAD", "-o", "user", "-ldl", compiler=compiler)
                self.race_in("./user", "touch.cpp")

    def test_shared_runtime(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.run_tool("c++", "--shared-runtime", f"--compiler={compiler}", "racy.cpp", "-o", "racy", expect=CLEAN)
                needed = subprocess.run(["ldd", "racy"], cwd=self.folder, capture_output=True, check=True).stdout.decode()
                self.assertIn("libredflag.so", needed)
                self.assertNotIn("libtsan", needed)
                self.race_in("./racy")

    def test_plain_flags(self):
        for compiler in CXX:
            with self.subTest(compiler):
                flags = {}
                for what in ("c++", "ld"):
                    flags[what] = self.run_tool("flags", what, f"--compiler={compiler}", expect=CLEAN).out.strip()
                line = f"{compiler} {flags['c++']} -c racy.cpp && {compiler} {flags['ld']} racy.o -o racy"
                done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.race_in("./racy")

    def test_makefile(self):
        self.write("Makefile", "racy: racy.o\n\t$(CXX) $(LDFLAGS) $^ -o $@\nracy.o: racy.cpp\n\t$(CXX) $(CXXFLAGS) -c $< -o $@\n")
        subprocess.run(["make", f"CXX={tool.REDFLAG} c++", "CXXFLAGS=-O2"], cwd=self.folder, check=True, capture_output=True)
        self.race_in("./racy")

    def test_static(self):
        """Programs that contain the C library: compiled and linked at once, apart, and as position-independent ones."""
        for c, cxx in zip(CC, CXX):
            with self.subTest(cxx):
                self.build("-static", "racy.c", "-O1", "-o", "racy", compiler=c, command="cc")
                self.race_in("./racy", "racy.c")
                self.build("-c", "racy.cpp", "-O1", "-g", "-o", "racy.o", compiler=cxx)
                self.build("racy.o", "-static-pie", "-o", "racy", compiler=cxx)
                self.race_in("./racy")
                self.build("ok.cpp", "-static", "-O1", "-o", "ok", compiler=cxx)
                self.run_tool("run", "./ok", expect=CLEAN)
                kind = subprocess.run(["readelf", "-d", "ok"], cwd=self.folder, capture_output=True, check=True).stdout
                self.assertIn(b"no dynamic section", kind)
                # Nowhere may instrumentation be lost: optimised at the link, in steps, with the user's own flag.
                for more in (["-flto"], ["-save-temps"], ["-fsanitize=thread"]):
                    done = self.run_tool("c++", f"--compiler={cxx}", "racy.cpp", "-static", "-O1", *more, "-o", "racy", expect=CLEAN)
                    self.race_in("./racy")
                subprocess.run(["strip", "racy"], cwd=self.folder, check=True)
                self.run_tool("run", "./racy", expect=RACES)

    def test_static_without_memory(self):
        """Operator new is ours, and what it throws is the C++ library's."""
        self.write("full.cpp", """
            #include <cstdio>
            #include <new>
            int main() {
              volatile std::size_t n = std::size_t{1} << 60;
              try { delete[] new char[n]; } catch (const std::bad_alloc&) { std::puts("caught"); }
              std::set_new_handler([] { std::puts("asked"); std::set_new_handler(nullptr); });
              try { delete[] new char[n]; } catch (const std::bad_alloc&) { std::puts("caught"); }
            }""")
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("full.cpp", "-static", "-o", "full", compiler=compiler)
                self.assertEqual(self.run_tool("run", "./full", expect=CLEAN).out.split(), ["caught", "asked", "caught"])

    def test_static_own_functions(self):
        """A program's own function by the name of one of ours is the program's, as it is without -static."""
        self.write("own.c", """
            #include <stdio.h>
            #include <stdlib.h>
            int connect(int a) { return a + 1; }
            int main(void) { char* p = malloc(8); free(p); return printf("%d\\n", connect(41)) != 3; }""")
        for compiler in CC:
            with self.subTest(compiler):
                self.build("own.c", "-static", "-fno-builtin", "-o", "own", compiler=compiler, command="cc")
                self.assertEqual(self.run_tool("run", "./own", expect=CLEAN).out, "42\n")

    def test_static_has_every_interceptor(self):
        """Whatever libredflag takes the place of is linked twice: ours, and the original that it calls."""
        libraries = os.path.join(BUILD, "lib")
        symbols = lambda *words: [line.split() for line in subprocess.run(
            ["nm", *words], capture_output=True, check=True, cwd=self.folder).stdout.decode().splitlines() if line]
        self.build("racy.c", "-static", "-o", "racy", compiler=CC[0], command="cc")
        linked = {words[-1] for words in symbols("racy") if len(words) == 3}
        libc = subprocess.run([CC[0], "-print-file-name=libc.a"], capture_output=True, check=True).stdout.decode().strip()
        theirs = {words[-1] for words in symbols("-g", "--defined-only", libc) if len(words) == 3}
        with open(os.path.join(libraries, "libredflag.syms"), encoding="utf-8") as file:
            ours = set(re.findall(r"[^{};\s]+", file.read()))
        both = ours & theirs
        self.assertGreater(len(both), 300)
        self.assertEqual(both - linked, set(), "intercepted, and not in the program")
        self.assertEqual({name for name in both if "__real_" + name not in linked}, set(), "the original is not in the program")
        # Each original that an interceptor calls (REDFLAG_REAL_SLOT) is there; those of C++ are found another way.
        slots = {match[1] for words in symbols(os.path.join(libraries, "libredflag-static.a"))
                 if (match := re.search(r"interpose(?:12_GLOBAL__N_1)?L?\d+real_(\w+)E$", words[-1]))}
        self.assertGreater(len(slots), 300)
        of_cxx = {name for name in slots if name.startswith("_Z") or name == "__cxa_end_catch" or name.startswith("_Unwind_")}
        self.assertEqual(of_cxx, {"_Znwm", "_ZnwmSt11align_val_t", "__cxa_end_catch", "_Unwind_Backtrace", "_Unwind_GetIP",
                                  "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"},
                         "say in frontends/cpu/linkage/fixed.cpp where the original is")
        self.assertEqual({name for name in slots - of_cxx if "__real_" + name not in linked}, set(),
                         "not in libc.a: say in frontends/cpu/linkage/fixed.cpp where the original is")

    def test_static_plain_flags(self):
        for compiler in CXX:
            with self.subTest(compiler):
                compile_flags = self.run_tool("flags", "c++", f"--compiler={compiler}", expect=CLEAN).out.strip()
                link_flags = self.run_tool("flags", "ld", "--static", f"--compiler={compiler}", expect=CLEAN).out.strip()
                line = f"{compiler} {compile_flags} -c racy.cpp && {compiler} {compile_flags} {link_flags} racy.o -o racy"
                done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.race_in("./racy")

    def test_static_refusals(self):
        said = lambda *words, **more: self.run_tool("cc", *words, "racy.c", expect=BAD_INPUT, **more).err
        self.assertIn("found: -shared with -static", said("-static", "-shared"))
        self.assertIn("leave out --shared-runtime", said("--shared-runtime", "-static"))
        if "clang-19" in CC:
            self.assertIn("--compiler=gcc", said("--compiler=clang-19", "-static", "-fopenmp"))
        self.write("plain", "not a folder")
        self.assertIn("REDFLAG_CACHE_DIR=DIR", said("-static", env={"REDFLAG_CACHE_DIR": self.path("plain")}))
        missing = said("-static", env={"REDFLAG_LIBRARY_DIR": self.folder})
        self.assertIn("needed: libredflag-static.a", missing)
        # A compiler that knows no libc.a.
        self.write("lost-gcc", '#!/bin/sh\ncase "$*" in *-print-file-name=*) echo libc.a;; *) exec gcc "$@";; esac\n')
        os.chmod(self.path("lost-gcc"), 0o755)
        lost = said("--compiler=" + self.path("lost-gcc"), "-static")
        self.assertIn("needed: libc.a", lost)
        self.assertIn("or link without -static", lost)

    def test_refusals(self):
        self.assertIn("no program 'none'", self.run_tool("cc", "--compiler=none", "racy.c", expect=BAD_INPUT).err)
        bare = self.run_tool("cc", "racy.c", env={"PATH": ""}, expect=BAD_INPUT).err
        self.assertIn("apt-get install gcc", bare)
        missing = self.run_tool("cc", "racy.c", env={"REDFLAG_LIBRARY_DIR": self.folder}, expect=BAD_INPUT).err
        self.assertIn("needed: libredflag.a", missing)
        # Compiling needs no library; nor does asking for the version.
        self.run_tool("cc", "-c", "racy.c", env={"REDFLAG_LIBRARY_DIR": self.folder}, expect=CLEAN)
        self.assertIn("version", self.run_tool("cc", "--version", expect=CLEAN).out)
        # The compiler's own faults are the compiler's own.
        self.write("bad.c", "int main(void) { return x; }\n")
        self.assertEqual(self.run_tool("cc", "--compiler=gcc", "bad.c").returncode, 1)

    def test_record(self):
        for compiler in CXX:
            with self.subTest(compiler):
                self.build("racy.cpp", "-O1", "-o", "racy", compiler=compiler)
                self.race_in("./racy", options=["--record=out.rft"])
                for detector in ("oracle", "slimfast"):
                    replayed = self.run_tool("replay", "--check", "--detector=" + detector, "--json=o.json", "out.rft", expect=RACES)
                    self.assertIn("racy.cpp", replayed.out)
                self.build("ok.cpp", "-O1", "-o", "ok", compiler=compiler)
                self.run_tool("run", "--record=out.rft", "./ok", expect=CLEAN)
                self.run_tool("replay", "--check", "--detector=oracle", "out.rft", expect=CLEAN)


PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(tiny C CXX)
find_package(Redflag REQUIRED)
add_library(touch SHARED touch.cpp)
add_library(plain STATIC plain.c)
add_executable(user user.cpp)
target_link_libraries(user touch)
add_executable(racy racy.cpp)
add_executable(shared racy.cpp)
add_executable(borrows borrows.c)
target_link_libraries(borrows plain)
redflag_enable(touch plain)
redflag_enable(user racy)
redflag_enable(shared SHARED_RUNTIME)
add_executable(contained racy.cpp)
add_executable(contained_c racy.c)
redflag_enable(contained contained_c STATIC_PROGRAM)
"""


class Package(Programs):
    """Installs what was built, and builds a project of others with it."""

    def test_cmake(self):
        prefix = self.path("usr")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        tool_before = tool.REDFLAG
        self.addCleanup(setattr, tool, "REDFLAG", tool_before)
        tool.REDFLAG = os.path.join(prefix, "bin/redflag")
        self.write("CMakeLists.txt", PROJECT)
        self.write("plain.c", "int shared_count;\nvoid bump(void) { ++shared_count; }  // RACE\n")
        self.write("borrows.c", "#include <pthread.h>\nvoid bump(void);\nvoid* work(void* p) { bump(); return p; }\n"
                                "int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);\n"
                                "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n")
        for c, cxx in zip(CC, CXX):
            with self.subTest(cxx):
                build = "build-" + c
                configured = subprocess.run(
                    ["cmake", "-S", ".", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={c}",
                     f"-DCMAKE_CXX_COMPILER={cxx}"], cwd=self.folder, capture_output=True)
                self.assertEqual(configured.returncode, 0, configured.stderr.decode())
                built = subprocess.run(["cmake", "--build", build], cwd=self.folder, capture_output=True)
                self.assertEqual(built.returncode, 0, (built.stdout + built.stderr).decode())
                self.assertNotIn("warning", (built.stdout + built.stderr).decode())
                self.race_in(f"./{build}/user", "touch.cpp")
                self.race_in(f"./{build}/racy")
                self.race_in(f"./{build}/shared")
                self.race_in(f"./{build}/borrows", "plain.c")
                self.race_in(f"./{build}/contained")
                self.race_in(f"./{build}/contained_c", "racy.c")
        self.build("racy.cpp", "-o", "installed")
        self.race_in("./installed")

    def test_as_compiler(self):
        """The wrappers as CMake's compilers, for a project that knows nothing of Redflag."""
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(tiny C CXX)\nadd_executable(racy racy.cpp)\n")
        subprocess.run(["cmake", "-S", ".", "-B", "b", f"-DCMAKE_C_COMPILER={tool.REDFLAG}-cc",
                        f"-DCMAKE_CXX_COMPILER={tool.REDFLAG}-c++"], cwd=self.folder, check=True, capture_output=True)
        subprocess.run(["cmake", "--build", "b"], cwd=self.folder, check=True, capture_output=True)
        self.race_in("./b/racy")


# The base class's tests are Programs' own.
for name in [n for n in dir(Programs) if n.startswith("test_")]:
    if name not in Package.__dict__:
        setattr(Package, name, None)

if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(3))
    # Copies of static libraries are made in the build tree.
    os.environ["REDFLAG_CACHE_DIR"] = os.path.join(BUILD, "static_libraries")
    tool.main()
