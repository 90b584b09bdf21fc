#!/usr/bin/env python3
"""Phase 2 on the programs of this folder: 'redflag confirm' under mpirun.

    confirm.py [--redflag build/bin/redflag] [--make openmpi|mpich|oshmem] [--runs N] [--all] [--verbose] [NAME...]

Four kinds of cases, of the programs that run.py knows:
- racy: NAME_race is run once for its report, and its race must be confirmed within --runs runs. Then the schedule that
  was written is replayed, where REPLAYED says so.
- forged: NAME_ok, with the report of NAME_race: it names two statements that are in order there. Confirming it would be wrong.
- plain: as racy, without 'redflag run' in the command, which puts it in; once with a program that is not instrumented.
- stuck: a job that waits for ever when an operation is deferred must be ended in time, and still get its verdict.
Without names, those of the lists below; with --all, every program of the folder, racy and forged, which takes long.
Those in Fortran are left out where it cannot be compiled.
Status 77: there is no mpirun. Standard library only.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import run

# At least one of each rule, of each kind of epoch, and of each way an operation can be completed.
RACY = {
    "mpi": ["put_put", "put_load", "get_store", "origin_put_store", "origin_get_load", "put_accumulate", "accumulate_load", "atomic_same_type",
            "lock_shared_then_shared", "fence_two_puts", "pscw_put_load", "complete_barrier_without_flush", "request_rput_store", "shared_put_load",
            "type_vector", "own_put_put", "predicted_lock_passed_on", "fortran_put_load", "fortran_f08_get_store"],
    "shmem": ["put_put", "put_load", "get_store", "get_nbi_load", "put_nbi_quiet", "atomic_load", "predicted_lock_passed_on"],
}
FORGED = {"mpi": ["put_load", "put_put", "lock_exclusive", "message_direction", "fence_put_load", "predicted_lock_passed_on"],
          "shmem": ["put_load", "put_nbi_quiet"]}
REPLAYED = {"put_put", "put_load"}
PLAIN = {"mpi": "put_put", "shmem": "put_put"}  # two operations: seen without instrumentation, too
STUCK = {"mpi": ["stuck"], "shmem": []}
FORGED_RUNS = 3  # one for each way to do operations


class Job:
    """A program under the launcher, checked and confirmed."""

    def __init__(self, redflag, launcher, binary, program, folder):
        self.redflag = redflag
        self.line = [*launcher.command, "-n", str(program.ranks), redflag, "run", *filter(None, [program.predict]), "--", binary]
        self.folder = folder
        self.output = ""

    def command(self, words, limit):
        """The exit status; None: it did not end."""
        environment = {k: v for k, v in os.environ.items() if k != "REDFLAG_OPTIONS"}
        environment["OMP_NUM_THREADS"] = "2"
        job = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=self.folder,
                               start_new_session=True)
        try:
            output = job.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            job.terminate()
            try:
                output = job.communicate(timeout=10)[0]
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                output = job.communicate()[0]
            self.output += output.decode("utf-8", "replace")
            return None
        self.output += output.decode("utf-8", "replace")
        return job.returncode

    def report(self):
        """Of one run, as a file name; None: nothing was found."""
        words = list(self.line)
        # A status of 0: mpirun takes its time to end a job of which a rank has failed.
        words[words.index("run") + 1:words.index("run") + 1] = ["--quiet", "--exit-status=0", "--json=report.json"]
        self.command(words, run.LIMIT)
        path = os.path.join(self.folder, "report.json")
        return path if os.path.exists(path) and json.loads(run.read(path))["findings"] else None

    def confirm(self, report, *options):
        """(exit status, verdicts of the findings)."""
        status = self.command([self.redflag, "confirm", report, "--json=verdicts.json", *options, "--", *self.line], 20 * run.LIMIT)
        path = os.path.join(self.folder, "verdicts.json")
        if status not in (0, run.RACES) or not os.path.exists(path):
            return status, []
        return status, [f["confirmation"] for f in json.loads(run.read(path))["findings"]]


def forge(report, to):
    """The same pairs of lines, without the places in the binary: for another build of the source."""
    def strip(value):
        if isinstance(value, dict):
            return {k: 0 if k == "column" else strip(v) for k, v in value.items() if k not in ("module", "offset")}
        return [strip(v) for v in value] if isinstance(value, list) else value
    text = json.loads(run.read(report))
    text["modules"] = []
    with open(to, "w", encoding="utf-8") as file:
        json.dump(strip(text), file)


class Session:
    def __init__(self, redflag, make, folder, runs):
        self.redflag = redflag
        self.make = make
        self.launcher = run.Launcher(redflag, make)
        self.builder = run.Builder(redflag, make, folder)
        self.runs = runs
        self.output = ""

    def job(self, program, folder):
        return Job(self.redflag, self.launcher, self.builder.build(program), program, folder)

    def racy(self, program):
        """What is wrong, or None; in which run it was confirmed."""
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            job = self.job(program, folder)
            report = job.report()
            if report is None:
                return "its race was not found", 0
            status, verdicts = job.confirm(report, f"--runs={self.runs}", "--schedule=schedule")
            self.output = job.output
            if status != run.RACES or not verdicts or any(v["verdict"] != "confirmed" for v in verdicts):
                return f"not confirmed (status {status}): {[v['verdict'] for v in verdicts]}", 0
            for verdict in verdicts:
                lines = tuple(sorted(program.own_line(verdict[side]) for side in ("first", "second")))
                if lines != program.marks:
                    return f"the verdict is of lines {lines}", 0
                if "rank" not in verdict.get("schedule", ""):
                    return "the verdict does not say what was done", 0
            if program.stem in REPLAYED:
                # One run each. On a busy machine a rank may come too late to be held, which is said as what it is: not reproduced.
                for _ in range(3):
                    status, again = job.confirm(report, "--replay=schedule")
                    if again and again[0]["verdict"] == "confirmed" and again[0]["runs"] == 1:
                        break
                else:
                    return f"its schedule did not confirm it again: {again}", 0
            return None, max(v["run"] for v in verdicts)

    def forged(self, right, racy, runs):
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            job = self.job(racy, folder)
            report = job.report()
            if report is None:
                return "there is no report to forge"
            forged = os.path.join(folder, "forged.json")
            forge(report, forged)
            job = self.job(right, folder)
            status, verdicts = job.confirm(forged, f"--runs={runs}")
            self.output = job.output
            if status == 2 and "has no code of" in job.output:
                return None  # the right program does not do this at all
            if status != 0 or not verdicts:
                return f"ended with {status}: {[v['verdict'] for v in verdicts]}"
            if any(v["verdict"] != "not-reproduced" or v["runs"] != runs for v in verdicts):
                return f"verdicts {verdicts}"
            return None

    def plain(self, program):
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            binary = os.path.join(folder, "plain")
            how = run.MAKES[self.make]
            subprocess.run([run.find(how.compiler, self.make), "-g", "-DRACE", "-pthread", "-I", os.path.dirname(program.path), program.path, "-o", binary],
                           check=True)
            job = Job(self.redflag, self.launcher, binary, program, folder)
            report = job.report()
            if report is None:
                return "its race was not found"
            at = job.line.index("run")
            job.line[at - 1:at + 2] = []  # redflag run --
            status, verdicts = job.confirm(report, f"--runs={self.runs}")
            self.output = job.output
            if status != run.RACES or [v["verdict"] for v in verdicts] != ["confirmed"]:
                return f"not confirmed (status {status}): {verdicts}"
            return None

    # The run that defers does not end by itself; the others do, and the race is not confirmed, since the report is forged.
    def stuck(self, program):
        with tempfile.TemporaryDirectory(prefix="redflag-confirm-") as folder:
            job = self.job(program, folder)
            report = job.report()
            if report is None:
                return "there is no report"
            text = json.loads(run.read(report))
            lines = program.text.splitlines()
            for finding in text["findings"]:  # a put against itself, which no rank does twice
                sides = [s for s in (finding["first"], finding["second"]) if "PUT" in lines[program.own_line(s) - 1]]
                finding["first"] = finding["second"] = sides[0]
            with open(report, "w", encoding="utf-8") as file:
                json.dump(text, file)
            begin = time.monotonic()
            status, verdicts = job.confirm(report, "--runs=4", "--hold=20")
            took = time.monotonic() - begin
            self.output = job.output
            if status != 0 or any(v["verdict"] != "not-reproduced" for v in verdicts) or not verdicts:
                return f"ended with {status}: {verdicts}"
            if took > 40:
                return f"took {took:.0f} s"
            if took < 5:
                return f"took {took:.0f} s: no run was stuck"
            return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--redflag", default=os.path.join(run.ROOT, "build", "bin", "redflag"), help="the command to test")
    parser.add_argument("--make", default="openmpi", choices=list(run.MAKES), help="of MPI; oshmem: the programs of OpenSHMEM")
    parser.add_argument("--build", help="where binaries are kept (default: pgas_mpi in the build tree)")
    parser.add_argument("--runs", type=int, default=20, help="to confirm a race in")
    parser.add_argument("--all", action="store_true", help="every program of the folder")
    parser.add_argument("--verbose", action="store_true", help="show the output of what is wrong")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    redflag = os.path.abspath(arguments.redflag)
    folder = arguments.build or os.path.join(os.path.dirname(os.path.dirname(redflag)), "pgas_mpi")
    session = Session(redflag, arguments.make, os.path.abspath(folder), arguments.runs)
    if not session.launcher.works():
        print(f"skipped: no launcher of {arguments.make} here that can start a process")
        return 77
    where = run.MAKES[arguments.make].folder
    has_fortran = run.can_run_fortran(arguments.make)
    of_form = {form: {p.stem: p for p in run.programs_of([], where, (form,), 1, has_fortran)} for form in ("ok", "race")}
    right, racy = of_form["ok"], of_form["race"]
    stems = sorted(stem for stem, program in racy.items() if not program.misuse)
    chosen = arguments.names or (stems if arguments.all else None)
    cases = [("racy", s) for s in chosen or RACY[where]] + [("forged", s) for s in chosen or FORGED[where]]
    if chosen is None:
        cases += [("plain", PLAIN[where])] + [("stuck", s) for s in STUCK[where]]
    left_out = dict(run.UNABLE.get(arguments.make, {}))
    if not has_fortran:
        left_out.update({s: "there is no mpifort or gfortran here" for _, s in cases if s.startswith("fortran_")})
    for stem in sorted({s for _, s in cases} & set(left_out)):
        print(f"left out: {stem}: {left_out[stem]}")
    cases = [(kind, stem) for kind, stem in cases if stem not in left_out]
    unknown = [s for kind, s in cases if s not in racy and kind != "stuck"]
    if unknown:
        print(f"no program is called {' '.join(dict.fromkeys(unknown))}")
        return 2
    start, wrong, first, counts = time.monotonic(), 0, 0, {}
    for kind, stem in cases:
        session.output = ""
        if kind == "racy":
            problem, when = session.racy(racy[stem])
            first += when == 1
        elif kind == "forged":
            problem = session.forged(right[stem], racy[stem], FORGED_RUNS)
        elif kind == "plain":
            problem = session.plain(racy[stem])
        else:
            problem = session.stuck(run.Program(os.path.join(run.HERE, "confirm"), stem + ".c", True))
        counts[kind] = counts.get(kind, 0) + 1
        if problem is None:
            continue
        wrong += 1
        print(f"WRONG {kind} {stem}: {problem}", flush=True)
        if arguments.verbose:
            print("      | " + session.output.strip().replace("\n", "\n      | "))
    print(f"{', '.join(f'{n} {k}' for k, n in counts.items())}: {wrong} wrong; {first} confirmed in the first run ({time.monotonic() - start:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
