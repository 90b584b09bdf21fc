"""Our own LLVM pass against native and ThreadSanitizer, on the workloads of bench/cpu: what its issue promises.

Time is user and system time of the whole process, the best of several turns in which native, TSan and Redflag take
theirs one after the other. Code size is the text of the object files, compile time the compiler's CPU time for them.
Ratios from one run.
"""

import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
CPU = Path(__file__).resolve().parent.parent / "cpu"
sys.path.insert(0, str(CPU))
import importlib.util

from workloads import COMPILERS, FLAGS, HERE, WORKLOADS, Builder, must, run

spec = importlib.util.spec_from_file_location("cpu_figures", CPU / "figures.py")
cpu = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cpu)

PARTS = list(WORKLOADS)
TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms"]
PACKAGES = "check"
TURNS = 3
UNDER_TWICE = 2  # workloads that must be below twice native, with either number of threads
HUNTS = 10


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


def figures(tools):
    Figure = tools.Figure
    builder = Builder(tools.build)
    names = [n for n in WORKLOADS if not tools.only or n in tools.only]
    prefix = cpu.tsan_prefix(builder, tools)
    turns = 1 if tools.quick else TURNS
    rows, compiled, alarms, hunts, missed = [], {}, 0, {}, 0
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
    return result
