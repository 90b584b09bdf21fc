#!/usr/bin/env python3
"""Builds the one-sided programs in mpi/, or those in shmem/, twice, right and racy, runs both and compares what is found with the marks in their sources.

    run.py [--redflag build/bin/redflag] [--make openmpi|mpich|oshmem] [--jobs N] [--runs N] [--verbose] [--list] [NAME...]
    run.py --sampled="--sample=HA.5"   built with --sampling, run with these options: a race may be missed, nothing else may be found

Each program is one file NAME.c, or NAME.f90, whose comments say which rule it shows. The program NAME_race is the file with RACE defined,
NAME_ok without (case.h has the macros that tell them apart). The two lines that race end in "// RACE" ("! RACE" in Fortran); one that races
with itself, on several ranks, in "// RACE RACE". A finding counts by the innermost frame of each side in NAME.c. NAME_race must have that
finding and no other, NAME_ok none, and every rank must end with status 0. What is wrong by itself is one line that ends in
"// MISUSE rule": NAME_misuse must have that finding and no other, however its ranks end. Lines that end in "// PREDICTED" race in
another run: both forms are run with --predict, and NAME_predicted must have that finding, as a prediction or, if this was such a run, as
a race. A line "// rule: ID" says which rule the race must be reported by, one
"// ends: anyhow" that the race may be the end of its process. The first line says how many ranks:

    // ranks: 3

NAME on the command line may be a program, a file's stem, or a pattern (fence_*). What was built is kept in the build tree under the
hash of all that went into it. Status 77: there is no mpirun. Standard library only.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLAGS = ["-g", "-O1", "-pthread", "-fopenmp", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]
FORTRAN_FLAGS = ["-g", "-O1", "-cpp", "-Wall"]
RACES = 66
LIMIT = 60  # seconds for one run

# The makes of MPI: the ends of their programs' names (where two are installed they have one), what the launcher needs in a
# container, and the variable with a process's rank.
OPEN_MPI = ["--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
Make = collections.namedtuple("Make", "folder compiler launcher ends words variable")
MAKES = {
    "openmpi": Make("mpi", "mpicc", "mpirun", [".openmpi", ""], OPEN_MPI, "OMPI_COMM_WORLD_RANK"),
    "mpich": Make("mpi", "mpicc", "mpirun", [".mpich"], [], "PMI_RANK"),
    "oshmem": Make("shmem", "oshcc", "oshrun", [""], OPEN_MPI, "OMPI_COMM_WORLD_RANK"),
}

# Programs that a make of MPI cannot run, Redflag or not, and why.
UNABLE = {
    "mpich": {"stuck": "its ranks wait for values that others put, without calling MPI: MPICH 4.0 serves a put only in calls of the target"},
}

# What each rank runs: one report for all, which rank 0 writes, and a status for each. That a race was found is no reason for mpirun
# to end the others.
RANK = """
"$1" run --json="$3/report.json" $4 -- "$2"
status=$?
echo $status > "$3/status.$RANK_VARIABLE"
[ $status = %d ] && exit 0
exit $status
""" % RACES


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find(name, make):
    """A program of this make, or None."""
    return next(filter(None, (shutil.which(name + end) for end in MAKES[make].ends)), None)


class Program:
    """One file in one of its two forms."""

    def __init__(self, folder, file, racy):
        self.file = file
        self.path = os.path.join(folder, file)
        self.stem, suffix = os.path.splitext(file)
        self.is_fortran = suffix == ".f90"
        comment = "!" if self.is_fortran else "//"
        self.racy = racy
        self.text = read(self.path)
        lines = self.text.splitlines()
        misuses = [(rule[1], number) for number, line in enumerate(lines, 1) if (rule := re.search(r"// MISUSE ([\w-]+)$", line))]
        self.misuse = misuses[0] if misuses else None
        self.mark = "PREDICTED" if re.search(r"// PREDICTED", self.text) else "RACE"
        self.predict = "--predict" if self.mark == "PREDICTED" else ""
        self.name = self.stem + ("_ok" if not racy else "_misuse" if self.misuse else "_predicted" if self.predict else "_race")
        ranks = re.fullmatch(comment + r" ranks: (\d+)", lines[0])
        if not ranks:
            raise SystemExit(f"run.py: {file}:1: needed '{comment} ranks: N' as the first line, found '{lines[0]}'")
        self.ranks = int(ranks[1])
        self.shows = lines[1].removeprefix(comment + " ")
        marks = [number for number, line in enumerate(lines, 1)
                 for _ in range((re.findall(comment + rf"((?: {self.mark})+)$", line) or [""])[0].count(self.mark))]
        if len(marks) != 2 and len(misuses) != 1:
            raise SystemExit(f"run.py: {file}: needed two {self.mark} marks at ends of lines, found {len(marks)}")
        self.marks = tuple(marks)
        self.ends_anyhow = f"{comment} ends: anyhow" in lines
        self.rule = next((line.removeprefix(comment + " rule: ") for line in lines if line.startswith(comment + " rule: ")), None)

    def own_line(self, side):
        """Of one side of a finding: its innermost line in this program."""
        return next((f["line"] for f in side["stack"] if os.path.basename(f["file"]) == self.file), 0)


class Builder:
    """Compiles into the cache: programs depend on their source, the header and the detector's libraries."""

    def __init__(self, redflag, make, folder, sampled=None):
        compiler = MAKES[make].compiler
        programs = os.path.join(HERE, MAKES[make].folder)
        self.compiler = [redflag, compiler, f"--compiler={find(compiler, make)}", *(["--sampling"] if sampled else []), "-I", programs]
        self.fortran = [redflag, "mpifort", f"--compiler={find('mpifort', make)}"]
        self.folder = folder
        build = os.path.dirname(os.path.dirname(redflag))
        stamps = []
        for where, _, files in os.walk(build):
            stamps += [f"{f}{os.stat(os.path.join(where, f)).st_mtime_ns}" for f in files if re.match(r"libredflag.*\.(a|so)$", f)]
        self.stamp = ".".join(sorted(stamps))
        self.header = read(os.path.join(programs, "case.h"))
        os.makedirs(folder, exist_ok=True)

    def build(self, program):
        how = [*self.fortran, *FORTRAN_FLAGS] if program.is_fortran else [*self.compiler, *FLAGS]
        command = [*how, *(["-DRACE"] if program.racy else []), program.path]
        key = hashlib.sha256("\0".join([*command, program.text, self.header, self.stamp]).encode()).hexdigest()[:24]
        path = os.path.join(self.folder, key)
        if not os.path.exists(path):
            temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
            done = subprocess.run([*command, "-o", temporary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder)
            if done.returncode != 0:
                raise RuntimeError(f"{shlex.join(command)}\n{done.stdout.decode('utf-8', 'replace')}")
            os.replace(temporary, path)
        os.utime(path)
        return path

    def prune(self):
        """Binaries of detectors that are no more: each build of it has its own."""
        for entry in os.scandir(self.folder):
            if entry.stat().st_mtime < time.time() - 3600:
                os.unlink(entry.path)


class Launcher:
    """Runs a program under mpirun, each rank under `redflag run`."""

    def __init__(self, redflag, make, sampled=None):
        how = MAKES[make]
        self.sampled = sampled or ""
        self.is_there = find(how.compiler, make) is not None and find(how.launcher, make) is not None
        self.command = [find(how.launcher, make), *how.words]
        self.redflag = redflag
        self.script = RANK.replace("RANK_VARIABLE", how.variable)

    def works(self):
        return self.is_there and subprocess.run([*self.command, "-n", "2", "true"], capture_output=True).returncode == 0

    def run(self, binary, program, folder):
        """(statuses by rank, findings, output); statuses None: the time ran out."""
        command = [*self.command, "-n", str(program.ranks), "sh", "-c", self.script, "sh", self.redflag, binary, folder,
                   f"{self.sampled} {program.predict}".strip()]
        environment = {k: v for k, v in os.environ.items() if k != "REDFLAG_OPTIONS"}
        environment["OMP_NUM_THREADS"] = "2"
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                               cwd=folder, start_new_session=True)
        try:
            output, late = job.communicate(timeout=LIMIT)[0], False
        except subprocess.TimeoutExpired:
            job.terminate()  # mpirun ends its ranks
            try:
                output = job.communicate(timeout=10)[0]
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                output = job.communicate()[0]
            late = True
        output = output.decode("utf-8", "replace")
        if late:
            return None, [], output
        if (program.misuse or program.ends_anyhow) and program.racy:
            # Where the library ended the job, the report is written by a process that its launcher does not know.
            for _ in range(200):
                if os.path.exists(os.path.join(folder, "report.json")):
                    break
                time.sleep(0.1)
        statuses, findings = [], []
        for rank in range(program.ranks):
            status = os.path.join(folder, f"status.{rank}")
            # Empty: the rank was ended while it wrote this.
            ended = read(status).strip() if os.path.exists(status) else ""
            statuses.append(int(ended) if ended else None)
        for file in os.listdir(folder):  # one, and those of ranks that did not reach rank 0
            if file.startswith("report") and ".tmp." not in file:
                findings += json.loads(read(os.path.join(folder, file)))["findings"]
        return statuses, findings, output


def judge(program, statuses, findings, may_miss):
    """What is wrong with one run, or None."""
    if statuses is None:
        return f"did not end in {LIMIT} s"
    if program.misuse and program.racy:
        found = {(f["rule"], program.own_line(f["second"])) for f in findings}
        return None if found == {program.misuse} else f"needed {program.misuse}, reported {sorted(found) or 'nothing'}"
    allowed = (0, RACES) if program.racy else (0,)
    found = [(f["rule"], tuple(sorted(program.own_line(f[side]) for side in ("first", "second")))) for f in findings]
    others = [f for f in found if not program.racy or f[1] != program.marks]
    if others:
        return "reported " + "; ".join(f"{rule} of lines {a} and {b}" for rule, (a, b) in dict.fromkeys(others))
    if program.rule and any(rule != program.rule for rule, _ in found):
        return f"needed {program.rule}, reported {', '.join(sorted({rule for rule, _ in found}))}"
    if not (program.racy and program.ends_anyhow) and any(s not in allowed for s in statuses):
        return f"ranks ended with {', '.join(map(str, statuses))}"
    if program.racy and not found and not may_miss:
        return f"missed the race of lines {program.marks[0]} and {program.marks[1]}"
    return None


class Session:
    def __init__(self, builder, launcher, runs):
        self.builder = builder
        self.launcher = launcher
        self.runs = runs

    def one(self, program):
        """(problem or None, output, seconds) of a program."""
        start = time.monotonic()
        took = lambda: time.monotonic() - start
        try:
            binary = self.builder.build(program)
        except RuntimeError as fault:
            return "does not build", str(fault), took()
        for _ in range(self.runs):
            for _ in range(2):  # mpirun itself fails now and then: once more if no rank got as far as to end
                with tempfile.TemporaryDirectory(prefix="redflag-pgas-") as folder:
                    statuses, findings, output = self.launcher.run(binary, program, folder)
                if statuses is None or any(s is not None for s in statuses):
                    break
            problem = judge(program, statuses, findings, self.launcher.sampled != "")
            if problem:
                return problem, output, took()
        return None, "", took()


def can_run_fortran(make):
    return find("mpifort", make) is not None and shutil.which("gfortran") is not None


def programs_of(patterns, folder, forms, every, with_fortran):
    where = os.path.join(HERE, folder)
    files = sorted(f for f in os.listdir(where) if f.endswith(".c") or (f.endswith(".f90") and with_fortran))[::every]
    programs = [Program(where, file, racy) for file in files for racy in (False, True) if ("race" if racy else "ok") in forms]
    wanted = lambda p: not patterns or any(fnmatch.fnmatch(p.name, x) or fnmatch.fnmatch(p.stem, x) for x in patterns)
    return [p for p in programs if wanted(p)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--redflag", default=os.path.join(ROOT, "build", "bin", "redflag"), help="the command to test")
    parser.add_argument("--make", default="openmpi", choices=list(MAKES), help="of MPI; oshmem: the programs of OpenSHMEM")
    parser.add_argument("--sampled", metavar="OPTIONS", help="build with --sampling, and run with these options")
    parser.add_argument("--form", choices=["ok", "race"], help="only the right ones, or only the racy ones")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th file")
    parser.add_argument("--build", help="where binaries are kept (default: pgas_mpi in the build tree)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--runs", type=int, default=1, help="of each program")
    parser.add_argument("--verbose", action="store_true", help="show the output of what is wrong")
    parser.add_argument("--list", action="store_true", help="only list the programs with what they show")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    forms = [arguments.form] if arguments.form else ["ok", "race"]
    # By gfortran, which cannot be sampled.
    has_fortran = not arguments.sampled and can_run_fortran(arguments.make)
    if not has_fortran and not arguments.sampled:
        print("without programs in Fortran: there is no mpifort or gfortran here")
    programs = programs_of(arguments.names, MAKES[arguments.make].folder, forms, arguments.every, has_fortran)
    if not programs:
        print(f"no program is called {' '.join(arguments.names)}")
        return 2
    unable = UNABLE.get(arguments.make, {})
    for stem in sorted({p.stem for p in programs} & set(unable)):
        print(f"left out: {stem}: {unable[stem]}")
    programs = [p for p in programs if p.stem not in unable]
    if arguments.list:
        for program in programs:
            print(f"{program.name:40} {program.shows}")
        return 0
    redflag = os.path.abspath(arguments.redflag)
    launcher = Launcher(redflag, arguments.make, arguments.sampled)
    if not launcher.works():
        print(f"skipped: no launcher of {arguments.make} here that can start a process")
        return 77
    folder = arguments.build or os.path.join(os.path.dirname(os.path.dirname(redflag)), "pgas_mpi")
    builder = Builder(redflag, arguments.make, os.path.abspath(folder), arguments.sampled)
    builder.prune()
    session = Session(builder, launcher, arguments.runs)
    start, wrong, slowest = time.monotonic(), 0, (0.0, "")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program, (problem, output, seconds) in zip(programs, pool.map(session.one, programs)):
            slowest = max(slowest, (seconds, program.name))
            if problem is None:
                continue
            wrong += 1
            print(f"WRONG {program.name}: {problem}", flush=True)
            if arguments.verbose or problem == "does not build":
                print("      | " + output.strip().replace("\n", "\n      | "))
    print(f"{len(programs)} programs: {len(programs) - wrong} right, {wrong} wrong "
          f"({time.monotonic() - start:.0f} s; the slowest: {slowest[1]}, {slowest[0]:.1f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
