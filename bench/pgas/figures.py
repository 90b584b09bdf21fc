"""One-sided programs, MPI RMA and OpenSHMEM, with 4 ranks: what full tracking, sampling and no local accesses cost.

Time is the wall time of a whole job, the best of several turns in which native and each mode take theirs one after
the other: ranks wait for each other, so it is what a user waits. CPU time of all ranks is shown beside it. Modes are
named as in the paper's table 2: NL tracks no local accesses (the native binary under 'redflag run'), HA.5 samples.
A job that takes longer than PATIENCE times its native run is ended, and its ratio is at least that.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from jobs import (HA5, JOBS, PREDICTED, RACES_FOUND, TIMED_OUT, Builder, checksum, launch, launcher, lines_of_code, marked, must, places,
                  run, within)

PARTS = list(JOBS)
TARGETS = ["redflag", "redflag_static", "redflag_pass", "redflag_pass_sampling", "lib/libredflag.syms", "redflag-openmpi", "redflag-oshmem"]
PACKAGES = "check"
TURNS = 3
HUNTS = 3
PATIENCE = 25
LIMITS = {"NL": "<= 1.1", "HA.5": "<= 1.5", "full": "<= 5"}
LONGEST_HUNT = 120
CONFIRM_RUNS = 10
LONGEST_CONFIRM = 300


class Row:
    """One job: its best native run, and its best one of each mode."""

    def __init__(self, name):
        self.name = name
        self.native = None
        self.modes = dict.fromkeys(LIMITS)
        self.alarms = self.runs = self.wrong = 0
        self.found = set()
        self.predicted = self.confirmed = 0

    def ratio(self, mode):
        return self.modes[mode].wall / self.native.wall

    def shown(self, mode):
        return ("> " if self.modes[mode].status == TIMED_OUT else "") + f"{self.ratio(mode):.2f}"

    def cpu(self, mode):
        return "" if self.modes[mode].status == TIMED_OUT else f"{self.modes[mode].cpu / self.native.cpu:.2f}"


def better(a, b):
    return b if a is None or (b.status != TIMED_OUT and b.wall < a.wall) else a


def commands(builder, name):
    tool = [builder.command, "run", "--quiet"]
    return {"NL": [*tool, "--", builder.native(name)],
            "HA.5": [*tool, *HA5, "--", builder.sampling(name)],
            "full": [*tool, "--", builder.tracking(name)]}


def measure(builder, row, turns):
    native, modes = [builder.native(row.name)], commands(builder, row.name)
    for _ in range(turns):
        ran = must(launch(row.name, native, 120), native)
        expected = checksum(ran)
        row.native = better(row.native, ran)
        for mode, command in modes.items():
            if row.modes[mode] is not None and row.modes[mode].status == TIMED_OUT:
                continue  # it would be no faster next time
            ran = launch(row.name, command, max(20, PATIENCE * row.native.wall))
            if ran.status not in (RACES_FOUND, TIMED_OUT):
                must(ran, command)
            row.runs += 1
            row.alarms += ran.status == RACES_FOUND
            row.wrong += ran.status != TIMED_OUT and checksum(ran) != expected
            row.modes[mode] = better(row.modes[mode], ran)


def hunt(builder, row, mode, runs, report):
    """Runs in which the planted race was not found between marked lines, or another was found."""
    missed = 0
    program = [*HA5, "--", builder.sampling(row.name)] if mode == "HA.5" else ["--predict", "--", builder.tracking(row.name)]
    for _ in range(runs):
        report.unlink(missing_ok=True)
        command = [builder.command, "run", "--quiet", f"--json={report}", *program, JOBS[row.name]]
        ran = launch(row.name, command, LONGEST_HUNT, planted=True)
        findings = json.loads(report.read_text()) if report.exists() else {"findings": []}
        pairs = places(findings, row.name)
        lines = marked(row.name)
        row.found.update(tuple(sorted(p, key=str)) for p in pairs)
        missed += not (ran.status == RACES_FOUND and pairs and all(a in lines and b in lines for a, b in pairs))
    return missed


def confirm(builder, row, report, confirmed):
    """Of the last hunt's findings: how many were predictions only, and how many of all another few runs confirm."""
    row.predicted = sum(f["rule"] == PREDICTED for f in json.loads(report.read_text())["findings"]) if report.exists() else 0
    job = [*launcher(row.name), builder.command, "run", "--", builder.tracking(row.name), JOBS[row.name]]
    confirmed.unlink(missing_ok=True)
    run([*within(LONGEST_CONFIRM, True), builder.command, "confirm", f"--runs={CONFIRM_RUNS}", f"--json={confirmed}", report, "--", *job])
    if confirmed.exists():
        findings = json.loads(confirmed.read_text())["findings"]
        row.confirmed = sum(f.get("confirmation", {}).get("verdict") == "confirmed" for f in findings)


def table(rows):
    """The paper's table 1, of our runs with a planted race: those that this run had, those predicted besides, those of both confirmed."""
    head = ["job", "lines", "native s", "races", "predicted", "confirmed", *(f"{m} x" for m in LIMITS), *(f"{m} CPU x" for m in LIMITS)]
    cells = [[r.name, str(lines_of_code(r.name)), f"{r.native.wall:.2f}", str(len(r.found)), str(r.predicted), str(r.confirmed), *(r.shown(m) for m in LIMITS),
              *(r.cpu(m) for m in LIMITS)] for r in rows]
    widths = [max(len(line[i]) for line in [head, *cells]) for i in range(len(head))]
    lines = [head, ["-" * w for w in widths], *cells]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) for line in lines)


def figures(tools):
    Figure = tools.Figure
    builder = Builder(tools.build)
    turns, hunts = (1, 1) if tools.quick else (TURNS, HUNTS)
    rows, missed, sampled = [], 0, 0
    for name in (n for n in JOBS if not tools.only or n in tools.only):
        row = Row(name)
        measure(builder, row, turns)
        missed += hunt(builder, row, "full", hunts, tools.folder / "report.json")
        confirm(builder, row, tools.folder / "report.json", tools.folder / "confirmed.json")
        sampled += hunt(builder, row, "HA.5", hunts, tools.folder / "report.json")
        rows.append(row)
        tools.progress(table(rows).splitlines()[-1])
    tools.note(table(rows))
    result = [Figure(f"{mode}, {r.name}", r.ratio(mode), "x", limit, f"{mode} / native, wall") for mode, limit in LIMITS.items() for r in rows]
    runs = sum(r.runs for r in rows)
    return [*result,
            Figure("findings on race-free runs", sum(r.alarms for r in rows), "runs", "<= 0", f"of {runs}"),
            Figure("another checksum than native", sum(r.wrong for r in rows), "runs", "<= 0", f"of {runs}"),
            Figure("planted race missed, or others found", missed, "runs", "<= 0", f"of {len(rows) * hunts}"),
            Figure("the same when sampling, HA.5", sampled, "runs", "", f"of {len(rows) * hunts}")]
