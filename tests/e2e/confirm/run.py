#!/usr/bin/env python3
"""How well `redflag confirm` tells real races from predictions that cannot happen.

    run.py [--redflag build/bin/redflag] [--true] [--infeasible] [--only GLOBS] [--compiler clang|gcc] [--runs N]
           [--patience MS] [--jobs N] [--quick]

True races: the racy programs of ../cpu, each with its one race. `redflag run` reports it, then `redflag confirm` is to confirm it within
--runs runs. In these programs the two accesses are put in an order, so that every run reports them (../cpu/order.h); what is in an order
cannot happen at the same time, so for confirm the order is loosened: the thread that waits for its turn waits at most --patience
milliseconds (--patience=-1 leaves the order as it is). Nothing is left out: a race that cannot be brought together counts as not confirmed.

Infeasible ones: the programs of this folder. They have no race: what orders their accesses is made by hand, of atomics, and no lock. They are
recorded, `redflag replay --detector=lockset` predicts races, at least one of them, and confirm must confirm none.

--quick: the part of both that ctest runs. Ends with 1 when less than 95% of the true races were confirmed, or an infeasible one.
"""
import argparse
import concurrent.futures
import fnmatch
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
_spec = importlib.util.spec_from_file_location("cpu_run", os.path.join(ROOT, "tests", "e2e", "cpu", "run.py"))
cpu = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cpu)

ENOUGH = 0.95
RUN_SECONDS = 8  # of one run of a program
# What ctest runs: at least one program of everything that is held in a way of its own.
QUICK_TRUE = """
access_int_race access_increment_race access_unaligned_overlap_race access_vptr_race atomic_plain_mix_race mem_memcpy_race heap_free_race
mmap_alias_race shm_fork_race library_dlopen_race mutex_wrong_one_race std_thread_race openmp_loop_race signal_handler_race
""".split()
QUICK_INFEASIBLE = "spin_flag ticket_lock pipe_handover rcu_pointer".split()


class Infeasible(cpu.Program):
    """A program of this folder: one source file, without marks."""

    def __init__(self, path):
        super().__init__(path)
        self.marks = ()


def verdicts(report):
    """(verdict, run, why, both lines, by a weak order only) of each finding of a report that confirm has written."""
    found = []
    for finding in report["findings"]:
        confirmation = finding["confirmation"]
        sides = [[(frame["file"], frame["line"]) for frame in finding.get(side, {}).get("stack", [])] for side in ("first", "second")]
        found.append((confirmation["verdict"], confirmation.get("run", 0), confirmation.get("why", ""), sides,
                      confirmation.get("weak_order", False)))
    return found


class Session:
    def __init__(self, arguments):
        self.arguments = arguments
        self.tool = cpu.Redflag(arguments.redflag)
        folder = os.path.join(os.path.dirname(os.path.dirname(self.tool.command)), "e2e-cpu")
        self.builder = cpu.Builder(self.tool, folder)
        self.builder.header += cpu.read(os.path.join(HERE, "two.h"))

    def redflag(self, folder, words, seconds, environment=None):
        """(status, output) of a redflag command; the status is None when the time ran out."""
        clean = {k: v for k, v in os.environ.items() if k != "REDFLAG_OPTIONS"}
        return cpu.execute([self.tool.command, *words], seconds, {**clean, **(environment or {})}, folder)

    def confirm(self, folder, binary, environment):
        words = ["confirm", "--quiet", f"--runs={self.arguments.runs}", f"--timeout={RUN_SECONDS}", "--json=verdicts.json", "report.json",
                 "--", binary]
        status, output = self.redflag(folder, words, (RUN_SECONDS + 10) * self.arguments.runs, environment)
        path = os.path.join(folder, "verdicts.json")
        if status is None or not os.path.exists(path):
            return status, output, None
        return status, output, verdicts(json.loads(cpu.read(path)))

    def true_race(self, program, compiler):
        """(confirmed in this run or 0, why not, whether only by the weak order of atomics)."""
        binary = self.builder.build(program, compiler)
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            status, output = self.redflag(folder, ["run", "--quiet", "--json=report.json", "--", binary], program.limit)
            if not os.path.exists(os.path.join(folder, "report.json")):
                return 0, f"run left no report (status {status})"
            loose = {} if self.arguments.patience < 0 else {"ORDER_PATIENCE": str(self.arguments.patience)}
            status, output, found = self.confirm(folder, binary, loose)
        if found is None:
            return 0, f"confirm ended with {status}: {output.strip()[-300:]}"
        mine = [f for f in found if tuple(sorted(program.own_frame(side) for side in f[3])) == program.marks]
        if not mine:
            return 0, "the race is not in the report"
        verdict, run, why, _, weak = mine[0]
        if (status == cpu.RACES) != any(f[0] == "confirmed" for f in found):
            return 0, f"status {status} does not fit the verdicts"
        return (run, "", weak) if verdict == "confirmed" else (0, why or verdict)

    def infeasible(self, program, compiler):
        """(predictions, those that were confirmed, problem)."""
        binary = self.builder.build(program, compiler)
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            status, output = self.redflag(folder, ["run", "--quiet", "--record=run.rft", "--", binary], program.limit)
            if status != program.status:
                return 0, 0, f"has status {status} under redflag run: {output.strip()[-300:]}"
            self.redflag(folder, ["replay", "--quiet", "--detector=lockset", "--json=report.json", "run.rft"], 60)
            status, output, found = self.confirm(folder, binary, {})
        if found is None:
            return 0, 0, f"confirm ended with {status}: {output.strip()[-300:]}"
        tried = [f for f in found if f[0] != "not-tried"]
        reached = [f for f in tried if not f[2]]
        confirmed = [f for f in tried if f[0] == "confirmed"]
        problem = None
        if not reached:
            problem = "no prediction of which both statements were reached: " + "; ".join(sorted({f[2] for f in found}))
        return len(tried), len(confirmed), problem


def programs_of(folder, kind, pattern, globs):
    paths = sorted(os.path.join(folder, f) for f in os.listdir(folder) if re.search(pattern, f))
    return [p for p in map(kind, paths) if any(fnmatch.fnmatch(p.name, g) for g in globs)]


def jobs_of(arguments):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        has = set(re.findall(r"\w+", file.read()))
    globs = lambda quick: quick if arguments.quick and arguments.only == "*" else arguments.only.split(",")
    jobs = []
    if arguments.true:
        jobs += [("true", p) for p in programs_of(cpu.HERE, cpu.Program, r"_race\.(c|cpp)$", globs(QUICK_TRUE))]
    if arguments.infeasible:
        jobs += [("infeasible", p) for p in programs_of(HERE, Infeasible, r"\.(c|cpp)$", globs(QUICK_INFEASIBLE))]
    compilers = [arguments.compiler] if arguments.compiler else list(cpu.COMPILERS)
    compilers = [c for c in compilers if all(cpu.shutil.which(tool) for tool in cpu.COMPILERS[c])]
    return [(kind, p, c) for kind, p in jobs for c in compilers if c in p.compilers and set(p.needs) <= has]


class Figures:
    def __init__(self):
        self.confirmed = self.weak = self.total = self.predictions = self.infeasible_confirmed = self.programs = 0
        self.runs = {}
        self.problems = []

    def good(self):
        return not self.problems and self.infeasible_confirmed == 0 and self.confirmed >= ENOUGH * self.total


def measure(arguments, show=print):
    """Does all of it; Figures."""
    session = Session(arguments)
    figures = Figures()

    def one(job):
        kind, program, compiler = job
        start = time.monotonic()
        try:
            result = getattr(session, "true_race" if kind == "true" else "infeasible")(program, compiler)
        except RuntimeError as fault:
            result = (0, str(fault)) if kind == "true" else (0, 0, str(fault))
        return result, time.monotonic() - start

    jobs = jobs_of(arguments)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (kind, program, compiler), (result, seconds) in zip(jobs, pool.map(one, jobs)):
            name = f"{program.name} ({compiler})"
            if kind == "true":
                figures.total += 1
                figures.confirmed += result[0] > 0
                if result[0] and result[2]:
                    figures.weak += 1
                    show(f"confirmed by the weak order of atomics: {name} ({seconds:.0f} s)")
                elif result[0]:
                    figures.runs[result[0]] = figures.runs.get(result[0], 0) + 1
                else:
                    show(f"not confirmed: {name}: {result[1]} ({seconds:.0f} s)")
            else:
                figures.programs += 1
                figures.predictions += result[0]
                figures.infeasible_confirmed += result[1]
                if result[1]:
                    show(f"confirmed, but infeasible: {name}: {result[1]} of {result[0]}")
                if result[2]:
                    figures.problems.append(f"{name}: {result[2]}")
                    show(f"FAILED {name}: {result[2]}")
    return figures


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--redflag", default=os.path.join(ROOT, "build", "bin", "redflag"))
    parser.add_argument("--true", action="store_true")
    parser.add_argument("--infeasible", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--compiler", choices=list(cpu.COMPILERS))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--patience", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args(words)
    if not arguments.true and not arguments.infeasible:
        arguments.true = arguments.infeasible = True
    return arguments


def main():
    figures = measure(parse())
    if figures.total:
        runs = ", ".join(f"{n} in run {run}" for run, n in sorted(figures.runs.items()))
        print(f"true races: {figures.confirmed} of {figures.total} confirmed ({100 * figures.confirmed / figures.total:.1f}%): "
              f"{runs}; {figures.weak} by the weak order of atomics")
    if figures.programs:
        print(f"infeasible: {figures.infeasible_confirmed} of {figures.predictions} predictions in {figures.programs} programs confirmed")
    return 0 if figures.good() else 1


if __name__ == "__main__":
    sys.exit(main())
