"""What following a job costs with more and more ranks: records and bytes per rank, and what they come to with many more.

Counts, not times: they do not depend on the machine, and ranks that share two processors count as those that do not. Each load
runs with 2 to 64 ranks at the same size per rank. Per rank and phase, bytes = a + b * partners + c * ranks: what a batch has whoever
it goes to, what goes with each rank that is written to, and what is told of all ranks. The model is fitted to the counts by
least squares, checked against the largest run, which it has not seen, and says what 2,048 and 100,000 ranks would take.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pgas"))
import jobs

TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms", "redflag-openmpi"]
PACKAGES = "check"
RANKS = [2, 4, 8, 16, 32, 64]
FAR = [2_048, 100_000]
# Size for so many ranks: the same work for each.
LOADS = {"gups": lambda ranks: 200, "halo": lambda ranks: 8 * 2 ** ((ranks.bit_length() - 1) // 2), "cg": lambda ranks: 60 * ranks}
PHASES = (1_000, 10_000)
PATIENCE = 300


def launch(builder, program, ranks, counts, *arguments):
    counts.unlink(missing_ok=True)
    words = [str(w) for w in jobs.LAUNCH]
    words[words.index("-n") + 1] = str(ranks)
    command = ["timeout", "--kill-after=10", str(PATIENCE), "mpirun", *words, str(builder.command), "run", "--quiet", "--", str(program), *map(str, arguments)]
    environment = {**os.environ, "REDFLAG_PGAS_COUNTS": str(counts)}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {done.returncode}, expected 0; it said:\n{done.stderr[-2000:]}")
    lines = [json.loads(line) for line in counts.read_text().splitlines()]
    if len(lines) != ranks:
        sys.exit(f"{program} with {ranks} ranks: {len(lines)} of them told their counts")
    return lines


def mean(lines, key):
    return sum(line[key] for line in lines) / len(lines)


def row(lines):
    """Of one run, per rank: operations, records, phases, exchanges, partners and bytes of an exchange."""
    exchanges = max(1.0, mean(lines, "exchanges"))
    ranks = len(lines)
    # The counts of an exchange go to every rank, 4 bytes each.
    total = mean(lines, "bytes") + 4 * (ranks - 1) * mean(lines, "exchanges") + mean(lines, "phase_bytes") + mean(lines, "message_bytes")
    return {"ranks": ranks, "operations": mean(lines, "operations"), "records": mean(lines, "records"), "phases": mean(lines, "phases"),
            "exchanges": mean(lines, "exchanges"), "partners": mean(lines, "peers") / exchanges, "bytes": total,
            "per phase": total / max(1.0, mean(lines, "phases")), "per operation": total / max(1.0, mean(lines, "operations"))}


def fit(rows):
    """Bytes per exchange as a + b * partners + c * ranks, by least squares (normal equations, Gauss)."""
    xs = [(1.0, r["partners"], float(r["ranks"])) for r in rows]
    ys = [r["bytes"] / max(1.0, r["exchanges"]) for r in rows]
    matrix = [[sum(x[i] * x[j] for x in xs) + (1e-9 if i == j else 0) for j in range(3)] + [sum(x[i] * y for x, y in zip(xs, ys))] for i in range(3)]
    for i in range(3):
        pivot = max(range(i, 3), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for k in range(3):
            if k != i:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i])]
    return [matrix[i][3] / matrix[i][i] for i in range(3)]


def predict(model, partners, ranks):
    return model[0] + model[1] * partners + model[2] * ranks


def table(head, lines):
    cells = [head, *[[c if isinstance(c, str) else f"{c:,.0f}" if c >= 100 else f"{c:.1f}" for c in line] for line in lines]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) for line in cells)


def memory(builder, tools):
    """Peak of a rank's memory after so many phases, each with the same operations."""
    program = builder.folder / "phases"
    line = [builder.command, "mpicc", *jobs.FLAGS, HERE / "phases.c", "-o", program]
    jobs.must(jobs.run(line), line)
    peaks = [max(line["peak_kilobytes"] for line in launch(builder, program, 4, tools.folder / "counts", phases)) for phases in PHASES]
    return peaks[1] / peaks[0], peaks


def figures(tools):
    Figure = tools.Figure
    builder = jobs.Builder(tools.build)
    counted, far, result = [], [], []
    for name, size in LOADS.items():
        rows = []
        for ranks in RANKS[:-2] if tools.quick else RANKS:
            rows.append(row(launch(builder, builder.tracking(name), ranks, tools.folder / "counts", size(ranks))))
            r = rows[-1]
            counted.append([name, str(ranks), r["operations"], r["records"], r["phases"], r["exchanges"], r["partners"], r["bytes"], r["per operation"], r["per phase"]])
            tools.progress(table(["load", "ranks"], [[name, str(ranks)]]).splitlines()[-1])
        *seen, last = rows
        model = fit(seen)
        told = last["bytes"] / max(1.0, last["exchanges"])
        result.append(Figure(f"{name}: model against {last['ranks']} ranks, which it has not seen", predict(model, last["partners"], last["ranks"]) / told, "x", "",
                             f"{told:,.0f} bytes an exchange"))
        model = fit(rows)
        # Partners: random ones become all, as many as there are operations; neighbours stay.
        for ranks in FAR:
            partners = min(ranks - 1, last["operations"] / max(1.0, last["exchanges"])) if name == "gups" else ranks - 1 if name == "cg" else last["partners"]
            bytes_there = predict(model, partners, ranks)
            far.append([name, f"{ranks:,}", partners, bytes_there, bytes_there * last["exchanges"] / max(1.0, last["phases"])])
    tools.note(table(["load", "ranks", "operations", "records", "phases", "exchanges", "partners", "bytes", "bytes/operation", "bytes/phase"], counted))
    tools.note(table(["load", "ranks", "partners", "bytes/exchange", "bytes/phase"], far))
    growth, peaks = memory(builder, tools)
    return [*result, Figure(f"memory of a rank after {PHASES[1]:,} phases", growth, "x", "<= 1.05", f"after {PHASES[0]:,}: {peaks[0] / 1024:.1f} MiB")]
