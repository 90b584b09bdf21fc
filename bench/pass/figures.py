"""Our own LLVM pass against native and ThreadSanitizer, on the workloads of bench/cpu: what its issue promises.

Time is user and system time of the whole process, the best of several turns in which native, TSan and Redflag take
theirs one after the other. Code size is the text of the object files, compile time the compiler's CPU time for them.
Ratios from one run. What `redflag confirm` confirms is measured by bench/run confirm.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
CPU = Path(__file__).resolve().parent.parent / "cpu"
sys.path.insert(0, str(CPU))
import importlib.util

from workloads import (COMPILERS, FLAGS, HERE, RACES_FOUND, WORKLOADS, Builder, found_exactly, must, planted, redflag_places,
                       run)

spec = importlib.util.spec_from_file_location("cpu_figures", CPU / "figures.py")
cpu = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cpu)

PARTS = list(WORKLOADS)
TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms"]
PACKAGES = "check"
TURNS = 3
UNDER_TWICE = 2  # workloads that must be below twice native, with either number of threads
HUNTS = 10
SAMPLE = ["--sample=H", "--function-backoff=0.5"]
BUDGET = ["--budget=1.2x"]
# Sizes with which the workloads run long enough for a budget: two seconds of the processor's time, or about that.
LONG = {"pricing": 5_000_000, "kmedian": 500_000, "fluid": 200, "annealing": 800_000, "pipeline": 140, "cg": 600_000, "multigrid": 8,
        "ocean": 2050, "fft": 11, "radix": 30_000_000, "samplesort": 12_000_000, "table": 2_000_000, "motion": 1000}


class Object:
    """One object file: how long the compiler took, how much text it has."""

    def __init__(self, name, kind, command, folder, turns):
        source = HERE / WORKLOADS[name][0]
        self.path = folder / f"{name}.{kind}.o"
        _, _, standard = COMPILERS[source.suffix]
        line = [*command, standard, *FLAGS, "-c", source, "-o", self.path]
        self.seconds = min(must(run(line), line).cpu for _ in range(turns))
        table = subprocess.run(["size", "-A", str(self.path)], capture_output=True, text=True, check=True).stdout
        self.text = sum(int(line.split()[1]) for line in table.splitlines() if line.startswith(".text"))


def objects(builder, name, folder, turns):
    source = HERE / WORKLOADS[name][0]
    compiler, subcommand, _ = COMPILERS[source.suffix]
    commands = {"native": [compiler], "tsan": [compiler, "-fsanitize=thread"],
                "redflag": [builder.command, subcommand, f"--compiler={compiler}"]}
    return {kind: Object(name, kind, command, folder, turns) for kind, command in commands.items()}


def sampled(builder, name, threads, turns):
    """CPU time of --sample over native, and of --budget over native in a long run; the best of several turns."""
    program = builder.sampling(name)
    prefix = [builder.command, "run", "--quiet"]

    def best(arguments, options):
        native = [builder.native(name), threads, *arguments]
        checked = [*prefix, *options, "--", program, threads, *arguments]
        pairs = [(must(run(native), native).cpu, must(run(checked), checked).cpu) for _ in range(turns)]
        return min(c for _, c in pairs) / min(n for n, _ in pairs)

    return best([], SAMPLE), best([LONG[name]], BUDGET)


def sampled_hunt(builder, name, runs, report):
    """Runs of the racy twin in which --sample did not find the planted race, or found another."""
    program, missed = builder.sampling(name, racy=True), 0
    for i in range(runs):
        report.unlink(missing_ok=True)
        ran = run([builder.command, "run", "--quiet", f"--json={report}", *SAMPLE, "--", program, cpu.THREADS[i % 2], WORKLOADS[name][1]])
        places = redflag_places(json.loads(report.read_text())) if report.exists() else []
        missed += not (ran.status == RACES_FOUND and found_exactly(places, planted(ran)))
    return missed


def figures(tools):
    Figure = tools.Figure
    builder = Builder(tools.build)
    names = [n for n in WORKLOADS if not tools.only or n in tools.only]
    prefix = cpu.tsan_prefix(builder, tools)
    turns = 1 if tools.quick else TURNS
    rows, compiled, alarms, hunts, missed = [], {}, 0, {}, 0
    samples, budgets, sample_missed = {}, {}, 0
    for name in names:
        commands = {"native": [builder.native(name)], "tsan": [*prefix, builder.tsan(name)], "redflag": [builder.redflag(name)]}
        for threads in cpu.THREADS[:1] if tools.quick else cpu.THREADS:
            row, false_alarms = cpu.measure(name, threads, commands, turns)
            rows.append(row)
            alarms += false_alarms
        compiled[name] = objects(builder, name, tools.folder, turns)
        racy = {"tsan": [*prefix, builder.tsan(name, racy=True)], "redflag": [builder.redflag(name, racy=True)],
                "command": builder.command}
        runs = 2 if tools.quick else HUNTS
        found = cpu.hunt(name, racy, runs, tools.folder / "report.json")
        missed += runs - found["redflag"]
        samples[name], budgets[name] = sampled(builder, name, cpu.THREADS[0], turns)
        sample_missed += sampled_hunt(builder, name, runs, tools.folder / "report.json")
        hunts[name] = ("", f"{found['redflag']}/{runs}")
        tools.progress(cpu.table(rows[-1:], hunts).splitlines()[-1])
    tools.note(cpu.table(rows, hunts))

    def of_objects(value, kind, over):
        return statistics.geometric_mean([value(o[kind]) / value(o[over]) for o in compiled.values()])

    slowest = {name: max(r.time("redflag", "native") for r in rows if r.name == name) for name in names}
    best = sorted(slowest, key=slowest.get)[:UNDER_TWICE]
    result = [Figure("CPU time, geometric mean", cpu.mean([r.time("redflag", "tsan") for r in rows]), "x", "<= 0.40", "Redflag / TSan"),
              Figure("slow-down by TSan", cpu.mean([r.time("tsan", "native") for r in rows]), "x", "", "TSan / native"),
              Figure("slow-down by Redflag", cpu.mean([r.time("redflag", "native") for r in rows]), "x", "", "Redflag / native")]
    if len(best) == UNDER_TWICE:
        result.append(Figure(f"the {UNDER_TWICE} least slowed ({', '.join(best)})", slowest[best[-1]], "x", "<= 2.0", "Redflag / native"))
    result += [Figure("code size, geometric mean", of_objects(lambda o: o.text, "redflag", "native"), "x", "<= 2.5", "Redflag / native"),
               Figure("code size of TSan", of_objects(lambda o: o.text, "tsan", "native"), "x", "", "TSan / native"),
               Figure("compile time, geometric mean", of_objects(lambda o: o.seconds, "redflag", "tsan"), "x", "<= 2.0", "Redflag / TSan"),
               Figure("findings on race-free runs", alarms, "runs", "<= 0", f"of {len(rows) * turns}"),
               Figure("planted race missed, or others found", missed, "runs", "<= 0", f"of {len(names) * (2 if tools.quick else HUNTS)}")]
    tools.note("\n".join(f"{name}: {' '.join(SAMPLE)} {samples[name]:.2f}x, {' '.join(BUDGET)} {budgets[name]:.2f}x" for name in names))
    worst = max(budgets, key=budgets.get)
    result += [Figure("sampling, geometric mean", cpu.mean(list(samples.values())), "x", "<= 1.3", " ".join(SAMPLE) + " / native"),
               Figure("planted race missed when sampling", sample_missed, "runs", "<= 0", f"of {len(names) * (2 if tools.quick else HUNTS)}"),
               Figure(f"budget, worst ({worst})", budgets[worst], "x", "<= 1.3", " ".join(BUDGET) + " / native, long runs")]
    return result
