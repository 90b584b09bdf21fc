"""The hardware models on this project's workloads: what their issue promises, and the papers' tables beside.

PARSNIP: the workloads of bench/cpu, compiled so that every access is recorded and instructions are counted, 8 threads as in the paper's figure 7,
simulated by `redflag sim parsnip` with the paper's parameters. ScoRD: the workloads of bench/cuda on the emulated GPU (scord.py). A sweep of 64
configurations, cut and gone on with. docs/how/reproduction.md says where the figures differ from the papers' and why.
"""

import csv
import importlib.util
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import scord  # noqa: E402
import scord_tables  # noqa: E402

# Both bench/cpu and bench/cuda have a workloads.py.
spec = importlib.util.spec_from_file_location("cpu_workloads", HERE.parent / "cpu" / "workloads.py")
cpu = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cpu)

PARTS = ["parsnip", "scord", "sweep"]
TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms", "scord_bench"]
PACKAGES = "check"

# Some millions of accesses each, with eight threads.
SIZES = {"pricing": 20_000, "kmedian": 2_000, "fluid": 1, "annealing": 10_000, "pipeline": 1, "cg": 5_000, "multigrid": 5, "ocean": 130,
         "fft": 7, "radix": 200_000, "samplesort": 100_000, "table": 20_000, "motion": 8}
THREADS = 8
ANNEALING_LIKE = {"annealing", "table"}  # at random over much memory, as canneal
# 4 by 4 by 4.
SWEEP = ["--sweep=l1_ways=1,2,4,8", "--sweep=l2_bytes=64K,128K,256K,512K", "--sweep=buffer_entries=4,8,16,32"]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def record(tools, names, threads):
    """Traces of the workloads; those that are there are kept."""
    builder = cpu.Builder(tools.build)
    traces = []
    for name in names:
        trace = tools.folder / f"{name}.{threads}.rft"
        if not trace.exists():
            program = builder.counting(name)
            line = [tools.redflag, "run", "--quiet", f"--record={trace}", "--", program, threads, SIZES[name]]
            cpu.must(cpu.run(line), line)
        traces.append(trace)
    return traces


def simulate(tools, *words):
    """The rows of --csv, as numbers."""
    table = tools.folder / "all.csv"
    line = [str(tools.redflag), "sim", *map(str, words), f"--csv={table}", f"--results={tools.folder / 'kept'}"]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}\n{done.stderr[-3000:]}")
    with open(table, newline="", encoding="utf-8") as file:
        rows = [{k: float(v) if k not in ("workload", "trace", "variant") and v else v for k, v in row.items()} for row in csv.DictReader(file)]
    return rows, done.stdout


# canneal's 2.57 software checks in 1,000 instructions are 8% of its checked accesses (the paper's table 3 and section 5.5).
PAPERS_DENSITY = 31


def at_density(row, instructions):
    """The slowdown if the program executed so many instructions for each checked access. Cores are in order: an instruction is a cycle in both machines."""
    checked = row["accesses"]
    native = row["baseline_cpi"] * row["instructions"] / checked
    more = max(0.0, instructions - row["instructions"] / checked)
    return (native * row["slowdown"] + more) / (native + more)


def why(standard):
    """What the slowdown is made of, by workload, in cycles over the native ones; and what is left of the mean without each part."""
    costs = [key for key in next(iter(standard.values())) if key.startswith("cost_")]
    lines = [["workload", "slowdown", "instr./access", f"at {PAPERS_DENSITY}"] + [key[5:].replace("_", " ") for key in costs]]
    for name, row in standard.items():
        lines.append([name, f"{row['slowdown']:.2f}", f"{row['instructions'] / row['accesses']:.1f}", f"{at_density(row, PAPERS_DENSITY):.2f}"]
                     + [f"{row[key]:.2f}" for key in costs])
    lines.append(["mean without", f"{geomean([row['slowdown'] for row in standard.values()]):.2f}", "",
                  f"{geomean([at_density(row, PAPERS_DENSITY) for row in standard.values()]):.2f}"]
                 + [f"{geomean([row['slowdown'] - row[key] for row in standard.values()]):.2f}" for key in costs])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join("  ".join(word.ljust(width) if k == 0 else word.rjust(width) for k, (word, width) in enumerate(zip(line, widths))) for line in lines)


def parsnip(tools):
    names = list(SIZES)[:2] if tools.quick else list(SIZES)
    traces = record(tools, names, THREADS)
    if not tools.quick:
        # Figure 8 needs the standard machine alone; what is simulated for it is kept for the others.
        others = [trace for threads in (2, 4, 16) for trace in record(tools, names, threads)]
        tools.note("redflag sim parsnip, 2 to 16 threads\n\n" + simulate(tools, "parsnip", "--figures=8", *traces, *others)[1].strip())
    rows, text = simulate(tools, "parsnip", "--figures=3,7,9,10,11,table-3", *traces)
    tools.note("redflag sim parsnip, 8 threads: the paper's figures\n\n" + text.strip())
    standard = {row["workload"]: row for row in rows if row["variant"] == "standard"}
    tools.note("PARSNIP, 8 threads: cycles beyond the native ones by cause, over the native ones\n\n" + why(standard))
    cheap = {name: row["resolved_ParsnipRef"] + row["resolved_local_table"] for name, row in standard.items()}
    usual = {name: 100 * row["software_share"] for name, row in standard.items() if name not in ANNEALING_LIKE}
    mean = geomean([row["slowdown"] for row in standard.values()])
    F = tools.Figure
    figures = [F("PARSNIP: slowdown, geometric mean, not below", mean, "x", ">= 1.2", "without detection; paper: 1.5"),
               F("PARSNIP: slowdown, geometric mean, not above", mean, "x", "<= 2.0", "without detection; paper: 1.5"),
               F(f"PARSNIP: the same at {PAPERS_DENSITY} instructions an access", geomean([at_density(row, PAPERS_DENSITY) for row in standard.values()]), "x", "",
                 "as the paper's canneal has"),
               F(f"PARSNIP: software checks, most ({max(usual, key=usual.get)})", max(usual.values()), "%", "<= 1", "accesses; all but " + ", ".join(sorted(ANNEALING_LIKE))),
               F(f"PARSNIP: refs and local table, least ({min(cheap, key=cheap.get)})", 100 * min(cheap.values()), "%", ">= 80", "checks")]
    for variant, words in (("no-epoch-buffers", "without epoch buffers"), ("no-speculation", "without speculation"), ("l1", "lines in L1 only"), ("llc", "lines in LLC")):
        by = [row["slowdown"] / standard[row["workload"]]["slowdown"] for row in rows if row["variant"] == variant]
        figures.append(F(f"PARSNIP: time {words}", geomean(by), "x", "", "with all optimisations"))
    speed = [(row["accesses"] + row["unchecked"]) / row["seconds"] / 1e6 for row in standard.values()]
    figures.append(F("PARSNIP: simulated accesses, geometric mean", geomean(speed), "M/s", ">= 5", "per core, both machines"))
    return figures


def sweep(tools):
    trace = record(tools, ["kmedian"], THREADS)[0]
    line = [str(tools.redflag), "sim", "parsnip", *SWEEP, "--quiet", f"--results={tools.folder / 'sweep'}", f"--csv={tools.folder / 'sweep.csv'}", str(trace)]
    started = time.monotonic()
    cut = subprocess.Popen(line, start_new_session=True)
    while len(list((tools.folder / "sweep").glob("*.result"))) < 8 and cut.poll() is None:
        time.sleep(0.1)
    os.killpg(cut.pid, signal.SIGTERM)
    cut.wait()
    kept = len([p for p in (tools.folder / "sweep").iterdir() if p.suffix == ".result"])
    cpu.must(cpu.run(line), line)
    took = time.monotonic() - started
    with open(tools.folder / "sweep.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tools.note(f"sweep: ended by a signal after {kept} of {len(rows)} configurations, then gone on with; {took:.0f} s in all")
    return [tools.Figure("sweep: configurations", len(rows), "", ">= 64"), tools.Figure("sweep: kept when it was cut", kept, "", ">= 8")]


def figures(tools):
    parts = tools.only or PARTS
    found = []
    if "parsnip" in parts:
        found += parsnip(tools)
    if "scord" in parts:
        found += scord.figures(tools) + scord_tables.figures(tools)
    if "sweep" in parts:
        found += sweep(tools)
    return found
