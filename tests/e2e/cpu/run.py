#!/usr/bin/env python3
"""Builds and runs the programs in this folder with every compiler, and compares what is found with the marks in their sources.

    run.py [--redflag build/bin/redflag] [--only GLOB] [--compiler clang|gcc] [--jobs N] [--runs N] [--keep-going]
    run.py --static         the same programs linked with -static, those of the table STATIC; with --only: any that can be
    run.py --sampled="--sample=H"   built with --sampling, run with these options: a race may be missed, nothing else may be found
    run.py --peer=tsan      the same programs with the compilers' own ThreadSanitizer: shows that the programs are right

Programs come in pairs NAME_race.c[pp] and NAME_ok.c[pp]. The first line says what the program shows. In a racy one the two
lines that race end in "// RACE" (one line that races with itself in "// RACE RACE"). It must end with status 66 and exactly
that finding, in every run; the innermost frame in the program's own files counts. The other one must end with its own
status and no finding. Lines that may follow the first:

    // FLAGS: ...           for compiling and linking, after the usual ones
    // COMPILERS: gcc       only these (clang, gcc)
    // STD: c++20           instead of the compiler's default
    // LINK: library        link with the pair's library; without this line it is there to be opened as LIBRARY
    // LIBRARY: plain       the library is compiled without checking
    // RUNS: 5              runs of each binary, instead of 2
    // EXIT: 134            its own status (128 + signal when killed), instead of 0; in a racy one it will do as well as 66
    // TIME: 60             seconds for one run, instead of 20
    // NEEDS: avx512f       a flag of /proc/cpuinfo; skipped elsewhere

NAME.lib.c[pp] beside a pair is its shared library. What was built is kept in the build tree under the hash of all that went
into it. Standard library only.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
COMPILERS = {"clang": ("clang-19", "clang++-19"), "gcc": ("gcc-12", "g++-12")}
COMMON = ["-O1", "-g", "-I", HERE, "-pthread", "-Wno-tsan", "-Wno-unknown-warning-option"]
RACES = 66

# Programs on which Redflag is still wrong (docs/dev/status.md, "Threads"): the same rules hold for this table.
OWN_FAULTS = {
}

# What --static runs: at least one pair of everything that reaches the runtime another way there, which is all calls of libraries.
STATIC = """
access_tls_* aio_read_* atomic_wait_* barrier_phases_* c11_condition_* c11_join_* cond_clockwait_* coroutine_resume_* exception_lock_*
exception_rethrown_* exit_atexit_* exit_static_objects_* exit_underscore_* fd_epoll_* fence_both_* fiber_ucontext_* fork_exec_*
fork_with_threads_* heap_free_* heap_aligned_* heap_delete_* heap_realloc_* io_stdio_* key_destructor_* longjmp_signal_* mem_memcpy_*
mem_sprintf_* mem_strdup_* mmap_reuse_* mutex_robust_* mutex_timedlock_* once_pthread_* openmp_critical_* openmp_loop_*
openmp_taskwait_* rwlock_readers_* sem_named_* signal_handler_* signal_wait_* static_guard_throws_* std_async_* std_call_once_*
std_promise_at_thread_exit_*
thread_cancel_* thread_many_ok thread_many_race thread_tryjoin_* timer_thread_* tls_destructor_*
""".split()
NOT_STATIC = ["library_*"]  # what is loaded

# Programs on which ThreadSanitizer itself is wrong: what this project exists to do better. With --peer=tsan their failures
# are expected; one that passes is listed, so that the table stays true. Compilers it holds for; the reason.
TSAN_FAULTS = {
    "access_many_bytes_race": ("clang gcc", "a granule has four cells, and an access that found them full evicted the racing one"),
    "aio_*_race": ("clang gcc", "who reads or writes the buffer of an asynchronous request is not seen"),
    "aio_list_ok": ("clang gcc", "crashes in a thread that libc made"),
    "aio_notify_ok": ("clang gcc", "crashes in a thread that libc made"),
    "atomic_release_sequence_race": ("clang gcc", "a relaxed store leaves the clock of an earlier release in place"),
    "barrier_after_race": ("clang gcc", "a thread that leaves a barrier late learns what the next round released"),
    "c11_condition_ok": ("clang gcc", "crashes in C11 threads"),
    "c11_condition_race": ("clang gcc", "crashes in C11 threads"),
    "c11_join_ok": ("clang gcc", "crashes in C11 threads"),
    "c11_join_race": ("clang gcc", "crashes in C11 threads"),
    "c11_mutex_ok": ("clang gcc", "crashes in C11 threads"),
    "c11_mutex_race": ("clang gcc", "crashes in C11 threads"),
    "c11_once_ok": ("clang gcc", "crashes in C11 threads"),
    "c11_once_race": ("clang gcc", "crashes in C11 threads"),
    "eviction_bytes_race": ("clang gcc", "a granule has four cells, and an access that found them full evicted the racing one"),
    "eviction_readers_race": ("clang gcc", "a granule has four cells, and an access that found them full evicted the racing one"),
    "fd_reuse_ok": ("clang gcc", "a descriptor's number orders nothing"),
    "fence_acquire_ok": ("clang gcc", "fences are not supported"),
    "fence_both_ok": ("clang gcc", "fences are not supported"),
    "fence_no_atomic_ok": ("clang gcc", "fences are not supported"),
    "fence_one_sided_ok": ("clang gcc", "fences are not supported"),
    "fence_other_variable_ok": ("clang gcc", "fences are not supported"),
    "fence_refcount_ok": ("clang gcc", "fences are not supported"),
    "fence_release_ok": ("clang gcc", "fences are not supported"),
    "fence_repeated_ok": ("clang gcc", "fences are not supported"),
    "fence_rmw_chain_ok": ("clang gcc", "fences are not supported"),
    "fence_signal_ok": ("clang gcc", "fences are not supported"),
    "fence_wrong_kind_ok": ("clang gcc", "fences are not supported"),
    "library_reopened_ok": ("clang gcc", "the memory of a closed library keeps its history"),
    "mem_sprintf_race": ("gcc", "snprintf's writes are not checked"),
    "mem_strdup_race": ("clang gcc", "strdup's reads are not checked"),
    "mmap_alias_again_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_fork_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_late_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_moved_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_segment_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_sync_ok": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_alias_unmapped_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mmap_raw_reuse_ok": ("clang gcc", "mmap by a direct system call is not seen"),
    "mmap_ring_race": ("clang gcc", "the two addresses of a double mapping are strangers"),
    "mq_notify_*": ("clang gcc", "crashes in a thread that libc made"),
    "mremap_grow_ok": ("clang gcc", "mremap is not seen"),
    "mremap_move_ok": ("clang gcc", "mremap is not seen"),
    "mutex_clocklock_ok": ("gcc", "pthread_mutex_clocklock is not intercepted"),
    "mutex_clocklock_race": ("gcc", "pthread_mutex_clocklock is not intercepted"),
    "mutex_many_held_ok": ("clang gcc", "no more than 128 mutexes may be held"),
    "mutex_many_held_race": ("clang gcc", "no more than 128 mutexes may be held"),
    "mutex_robust_ok": ("clang gcc", "the next owner of a robust mutex learns nothing"),
    "name_lookup_notify_*": ("clang gcc", "crashes in a thread that libc made"),
    "openmp_*": ("clang gcc", "the OpenMP runtimes' own synchronisation is not seen"),
    "rwlock_clock_ok": ("clang gcc", "pthread_rwlock_clock*lock are not intercepted"),
    "shm_*_race": ("clang gcc", "each process is alone"),
    "signal_of_library_*": ("clang gcc", "handlers of libraries are reported"),
    "static_guard_throws_ok": ("gcc", "__cxa_guard_abort does not release"),
    "static_guard_throws_race": ("gcc", "__cxa_guard_abort does not release"),
    "std_atomic_shared_ptr_ok": ("clang gcc", "the relaxed unlock in the library's header is reported"),
    "std_error_copies_ok": ("clang gcc", "the counts of texts of exceptions in libstdc++ are not seen"),
    "std_locale_ok": ("clang gcc", "the counts of locales in libstdc++ are not seen"),
    "std_packaged_task_ok": ("clang gcc", "the reference counts of exceptions in libstdc++ are not seen"),
    "std_promise_at_thread_exit_*": ("clang gcc", "what libstdc++ does at the end of a thread is not seen"),
    "std_regex_ok": ("clang gcc", "the cache of characters in the library's header is reported"),
    "std_shared_timed_mutex_ok": ("clang gcc", "pthread_rwlock_clock*lock are not intercepted"),
    "std_task_at_thread_exit_*": ("clang gcc", "what libstdc++ does at the end of a thread is not seen"),
    "std_timed_mutex_ok": ("gcc", "pthread_mutex_clocklock is not intercepted"),
    "thread_cancel_ok": ("clang gcc", "cleanup handlers of a cancelled thread run unseen"),
    "thread_many_alive_race": ("clang gcc", "more threads than slots: histories are lost"),
    "timer_*": ("clang gcc", "crashes in a thread that libc made"),
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Program:
    """One source file, what it needs and what must come of it."""

    def __init__(self, path):
        self.path = path
        self.file = os.path.basename(path)
        self.name, self.extension = os.path.splitext(self.file)
        self.racy = self.name.endswith("_race")
        self.pair = self.name.rsplit("_", 1)[0]
        text = read(path)
        self.lines = text.splitlines()
        option = lambda key, default: (re.findall(rf"^// {key}: (.*)$", text, re.M) or [str(default)])[0].strip()
        self.flags = shlex.split(option("FLAGS", ""))
        self.compilers = option("COMPILERS", "clang gcc").split()
        self.std = option("STD", "")
        self.linked = option("LINK", "") == "library"
        self.plain_library = option("LIBRARY", "") == "plain"
        self.runs = int(option("RUNS", 2))
        self.status = int(option("EXIT", RACES if self.racy else 0))
        self.limit = float(option("TIME", 20))
        self.needs = option("NEEDS", "").split()
        self.libraries = [p for p in (os.path.join(HERE, self.pair + ".lib" + e) for e in (".c", ".cpp")) if os.path.exists(p)]
        self.sources = [path, *self.libraries]
        marks = [(os.path.basename(source), number)
                 for source in self.sources
                 for number, line in enumerate(read(source).splitlines(), 1)
                 for _ in range(len(re.findall(r"\bRACE\b", line.partition("//")[2])))]
        self.marks = tuple(sorted(marks)) if self.racy else ()
        if self.racy and len(marks) != 2:
            raise SystemExit(f"run.py: {self.file} needs exactly two RACE marks, and has {len(marks)}")

    def own_frame(self, frames):
        """The innermost of (file, line) that is in the program's own sources."""
        names = {os.path.basename(source) for source in self.sources}
        return next(((os.path.basename(f), line) for f, line in frames if os.path.basename(f) in names), ("?", 0))


class Redflag:
    """The compilers through `redflag cc`, runs through `redflag run`."""

    def __init__(self, command, sampled=None):
        self.command = os.path.abspath(command)
        self.sampled = shlex.split(sampled or "")
        build = os.path.dirname(os.path.dirname(self.command))
        stamps = []
        for folder, _, files in os.walk(build):
            stamps += [f"{f}{os.stat(os.path.join(folder, f)).st_mtime_ns}" for f in files if re.match(r"libredflag(-static)?\.(a|so)", f)]
        self.stamp = ".".join(sorted(stamps))
        plugin = os.path.join(build, "lib", "libredflag-pass-sampling.so" if sampled else "libredflag-pass.so")
        self.pass_stamp = str(os.stat(plugin).st_mtime_ns) if os.path.exists(plugin) else ""

    def compiler(self, compiler, is_cpp):
        return [self.command, "c++" if is_cpp else "cc", f"--compiler={COMPILERS[compiler][is_cpp]}",
                *(["--sampling"] if self.sampled else [])]

    def run(self, binary, program, folder):
        report = os.path.join(folder, "report.json")
        environment = {k: v for k, v in os.environ.items() if k != "REDFLAG_OPTIONS"}
        command = [self.command, "run", f"--json={report}", *self.sampled, "--", binary]
        status, output = execute(command, program.limit, environment, folder)
        if status is None:
            return None, output, []
        try:
            findings = json.loads(read(report))["findings"] if os.path.exists(report) else None
        except ValueError as fault:
            return status, output + f"\nthe report is not JSON: {fault}", None
        return status, output, findings and [self.pair(program, f) for f in findings] or findings

    @staticmethod
    def pair(program, finding):
        sides = [[(frame["file"], frame["line"]) for frame in finding.get(side, {"stack": []})["stack"]] for side in ("first", "second")]
        return finding["rule"], tuple(sorted(program.own_frame(side) for side in sides))


class Tsan:
    """The compilers' own ThreadSanitizer; its reports are read from its text."""
    stamp = pass_stamp = "tsan"

    def compiler(self, compiler, is_cpp):
        return [COMPILERS[compiler][is_cpp], "-fsanitize=thread"]

    def run(self, binary, program, folder):
        symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer") or ""
        options = "detect_deadlocks=0 history_size=4" + (f" external_symbolizer_path={symbolizer}" if symbolizer else "")
        status, output = execute([binary], program.limit, {**os.environ, "TSAN_OPTIONS": options}, folder)
        if status is None:
            return None, output, []
        findings = []
        for report in re.split(r"WARNING: ThreadSanitizer: ", output)[1:]:
            sides = re.findall(r"^  (?:Previous |As if )?(?:atomic )?(?:read|write)[^\n]*:\n((?:    #[^\n]*\n)+)", report, re.M | re.I)
            frames = [[(f, int(n)) for f, n in re.findall(r"#\d+ .*? (\S+?):(\d+)(?::\d+)? ?(?:\(|$)", side, re.M)] for side in sides]
            findings.append((report.split(" (")[0], tuple(sorted(program.own_frame(side) for side in frames[:2]))))
        if "FATAL: ThreadSanitizer" in output:
            findings.append(("fatal", ()))
        return status, output, findings


def execute(command, limit, environment, folder):
    """(status, output); the status is None when the time ran out."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                              env=environment, cwd=folder)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("utf-8", "replace")
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return status, done.stdout.decode("utf-8", "replace")


class Builder:
    """Compiles into the cache. Objects depend on sources and flags; binaries on the detector's library too."""

    def __init__(self, tool, folder, static=False):
        self.tool = tool
        self.static = static
        self.folder = folder
        self.header = read(os.path.join(HERE, "order.h"))
        os.makedirs(folder, exist_ok=True)

    def make(self, command, suffix, *contents):
        key = hashlib.sha256("\0".join([*command, *contents]).encode()).hexdigest()[:24]
        path = os.path.join(self.folder, key + suffix)
        if not os.path.exists(path):
            temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
            done = subprocess.run([*command, "-o", temporary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder)
            if done.returncode != 0:
                raise RuntimeError(f"does not build: {shlex.join(command)}\n{done.stdout.decode('utf-8', 'replace')}")
            os.replace(temporary, path)
        return path

    def build(self, program, compiler):
        linking = ["-static"] if self.static else []
        libraries = []
        for source in program.libraries:
            is_cpp = source.endswith("pp")
            tool = [COMPILERS[compiler][is_cpp]] if program.plain_library else self.tool.compiler(compiler, is_cpp)
            libraries.append(self.make([*tool, *COMMON, "-fPIC", "-shared", source], ".so", read(source), self.header, self.tool.stamp))
        is_cpp = program.extension == ".cpp"
        tool = self.tool.compiler(compiler, is_cpp)
        std = [f"-std={program.std}"] if program.std else []
        defines = [f'-DLIBRARY="{library}"' for library in libraries]
        compiled = self.make([*tool, *COMMON, *std, *program.flags, *defines, "-c", program.path], ".o", "\n".join(program.lines),
                             self.header, self.tool.pass_stamp)
        links = libraries if program.linked else []
        return self.make([*tool, *COMMON, *program.flags, *linking, compiled, *links], "", self.tool.stamp)


def check(program, status, findings, may_miss=False):
    """What is wrong with one run, or None."""
    if status is None:
        return f"did not end in {program.limit:g} s"
    if findings is None:
        return f"left no report (status {status})"
    show = lambda sides: " and ".join(f"{file}:{line}" for file, line in sides)
    others = [f for f in findings if f[1] != program.marks or not program.racy]
    if others:
        return "reported " + "; ".join(f"{rule} {show(sides)}".strip() for rule, sides in others[:3])
    if program.racy and not findings:
        if may_miss and status in (0, program.status):
            return None
        return f"missed the race (status {status})"
    if status != program.status and not (program.racy and status == RACES):
        return f"ended with status {status} instead of {program.status}"
    return None


class Session:
    def __init__(self, tool, builder, arguments):
        self.tool = tool
        self.builder = builder
        self.arguments = arguments
        self.build_seconds = self.run_seconds = 0.0

    def one(self, job):
        """(problem or None, output) of a program with a compiler."""
        program, compiler = job
        start = time.monotonic()
        try:
            binary = self.builder.build(program, compiler)
        except RuntimeError as fault:
            return "does not build", str(fault)
        built = time.monotonic()
        try:
            for _ in range(self.arguments.runs or program.runs):
                with tempfile.TemporaryDirectory(prefix="redflag-e2e-") as folder:
                    status, output, findings = self.tool.run(binary, program, folder)
                problem = check(program, status, findings, self.arguments.sampled is not None)
                if problem:
                    return problem, output
            return None, output
        finally:
            self.build_seconds += built - start
            self.run_seconds += time.monotonic() - built


def rerun_command(program, compiler, arguments):
    words = ["python3", os.path.relpath(os.path.join(HERE, "run.py")), "--only", program.name, "--compiler", compiler, "--verbose"]
    if arguments.static:
        words.append("--static")
    if arguments.sampled:
        words.append(f"--sampled={arguments.sampled}")
    if arguments.peer:
        words.append(f"--peer={arguments.peer}")
    elif arguments.redflag != os.path.join(ROOT, "build", "bin", "redflag"):
        words.append(f"--redflag={os.path.relpath(arguments.redflag)}")
    return shlex.join(words)


def jobs_of(arguments):
    paths = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if re.search(r"_(race|ok)\.(c|cpp)$", f))
    programs = [p for p in map(Program, paths) if any(fnmatch.fnmatch(p.name, g) for g in arguments.only.split(","))]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = set(re.findall(r"\w+", file.read()))
    skipped = [p.name for p in programs if not set(p.needs) <= cpu]
    compilers = [c for c in arguments.compiler or COMPILERS if all(shutil.which(x) for x in COMPILERS[c])]
    missing = [c for c in arguments.compiler or COMPILERS if c not in compilers]
    if missing:
        print(f"not installed, so not tested: {', '.join('/'.join(COMPILERS[c]) for c in missing)}")
    if skipped:
        print(f"this processor cannot run: {', '.join(skipped)}")
    jobs = [(p, c) for p in programs if p.name not in skipped for c in compilers if c in p.compilers]
    return [job for job in jobs if can_be_static(*job, arguments.only)] if arguments.static else jobs


def can_be_static(program, compiler, only):
    """In the table, or asked for; and not what `redflag cc` refuses."""
    matches = lambda globs: any(fnmatch.fnmatch(program.name, glob) for glob in globs)
    if matches(NOT_STATIC) or (only == "*" and not matches(STATIC)):
        return False
    return not (compiler == "clang" and any(flag.startswith("-fopenmp") for flag in program.flags))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--redflag", default=os.path.join(ROOT, "build", "bin", "redflag"), help="the command to test")
    parser.add_argument("--static", action="store_true", help="link with -static")
    parser.add_argument("--sampled", metavar="OPTIONS", help="build with --sampling, and run with these options (clang)")
    parser.add_argument("--peer", choices=["tsan"], help="use the compilers' own detector instead")
    parser.add_argument("--build", help="where binaries are kept (default: e2e_cpu in the build tree)")
    parser.add_argument("--only", default="*", metavar="GLOB", help="programs to run, by name; several separated by commas")
    parser.add_argument("--compiler", action="append", choices=list(COMPILERS), help="only with this one")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--runs", type=int, help="runs of each binary")
    parser.add_argument("--verbose", action="store_true", help="show the output of what failed")
    parser.add_argument("--list", action="store_true", help="only list the programs with what they show")
    arguments = parser.parse_args()
    if arguments.sampled:
        arguments.compiler = ["clang"]
    jobs = jobs_of(arguments)
    if arguments.list:
        for program in dict.fromkeys(p for p, _ in jobs):
            print(f"{program.file:40} {program.lines[0].removeprefix('// ')}")
        return 0
    if not jobs:
        print(f"no program is called {arguments.only}")
        return 2
    tool = Tsan() if arguments.peer else Redflag(arguments.redflag, arguments.sampled)
    home = os.path.dirname(os.path.dirname(os.path.abspath(arguments.redflag)))
    folder = arguments.build or os.path.join(home, "e2e_cpu", arguments.peer or "redflag")
    # Copies of static libraries are made in the build tree too.
    os.environ.setdefault("REDFLAG_CACHE_DIR", os.path.join(home, "static_libraries"))
    session = Session(tool, Builder(tool, folder, arguments.static), arguments)
    faults = TSAN_FAULTS if arguments.peer else OWN_FAULTS
    failed, healed, expected = [], [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (program, compiler), (problem, output) in zip(jobs, pool.map(session.one, jobs)):
            known = any(fnmatch.fnmatch(program.name, name) and compiler in where.split() for name, (where, _) in faults.items())
            if problem and known:
                expected += 1
            elif problem:
                failed.append((program, compiler, problem))
                print(f"FAILED {program.name} ({compiler}): {problem}\n       {rerun_command(program, compiler, arguments)}", flush=True)
                if arguments.verbose or problem == "does not build":
                    print("       | " + output.strip().replace("\n", "\n       | "))
            elif known:
                healed.append(f"{program.name} ({compiler})")
    if healed:
        print(f"in the table of known faults, but right in this run: {', '.join(healed)}")
    count = len({p.name for p, _ in jobs})
    print(f"{count} programs, {len(jobs)} with compilers: {len(jobs) - len(failed) - expected} right, {len(failed)} failed"
          + (f", {expected} known faults" if expected else "")
          + f" (building {session.build_seconds:.0f} s, running {session.run_seconds:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
