"""What following a job costs with more and more ranks: records and bytes per rank, and what they come to with many more.

Counts, not times: they do not depend on the machine, and ranks that share two processors count as those that do not. Each load
runs with 2 to 64 ranks at the same size per rank. The model has two terms: bytes that a rank sends = b * operations towards others
+ c * batches (to one rank, at an exchange or through its window: head, and what operations have in common); 32 bytes a phase are
given. It is fitted by least squares to all runs but the largest, held against that one, and then says what 2,048 and 100,000 ranks
would take.
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

PARTS = ["gups", "halo", "cg"]
TARGETS = ["redflag", "redflag_static", "redflag_pass", "lib/libredflag.syms", "redflag-openmpi"]
PACKAGES = "check"
RANKS = [2, 4, 8, 16, 32, 64]
FAR = [2_048, 100_000]
# Size for so many ranks: the same work for each.
LOADS = {"gups": lambda ranks: 200, "halo": lambda ranks: 8 * 2 ** ((ranks.bit_length() - 1) // 2), "cg": lambda ranks: 60 * ranks}
OF_EACH = ["cg"]  # operations grow with the ranks: each gets from all
OF_FEW = ["halo"]  # they are towards neighbours
PHASES = (1_000, 10_000)
ROUNDS = (10_000, 30_000)  # of passive target, without barriers
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
    """Of one run, per rank."""
    told = {key: mean(lines, key) for key in ("operations", "remote", "records", "phases", "exchanges", "phase_bytes", "message_bytes")}
    told["batches"] = mean(lines, "bytes")
    return {**told, "ranks": len(lines), "heads": mean(lines, "peers"), "bytes": told["batches"] + told["phase_bytes"] + told["message_bytes"]}


def fit(rows):
    """b and c of batches = b * remote + c * heads: the normal equations of two unknowns."""
    rr, rh, hh, ry, hy = (sum(r[x] * r[y] for r in rows) for x, y in (("remote", "remote"), ("remote", "heads"), ("heads", "heads"),
                                                                      ("remote", "batches"), ("heads", "batches")))
    determinant = rr * hh - rh * rh
    if determinant <= 1e-9 * rr * hh:  # one operation in each batch: the two terms are one
        return ry / rr, 0.0
    return (ry * hh - hy * rh) / determinant, (hy * rr - ry * rh) / determinant


def table(head, lines):
    cells = [head, *[[c if isinstance(c, str) else f"{c:,.0f}" if c >= 100 else f"{c:.1f}" for c in line] for line in lines]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]) for line in cells)


def memory(builder, tools, name, sizes, limit):
    """Peak of a rank's memory after so many phases, or rounds, each with the same operations."""
    program = builder.folder / name
    line = [builder.command, "mpicc", *jobs.FLAGS, HERE / f"{name}.c", "-o", program]
    jobs.must(jobs.run(line), line)
    peaks = [max(line["peak_kilobytes"] for line in launch(builder, program, 4, tools.folder / "counts", size)) for size in sizes]
    what = f"memory of a rank after {sizes[1]:,} {name}" + (", no barriers" if name == "rounds" else "")
    return tools.Figure(what, peaks[1] / peaks[0], "x", limit, f"after {sizes[0]:,}: {peaks[0] / 1024:.1f} MiB")


def figures(tools):
    Figure = tools.Figure
    builder = jobs.Builder(tools.build)
    counted, far, result = [], [], []
    for name in (n for n in LOADS if not tools.only or n in tools.only):
        rows = []
        for ranks in RANKS[:-2] if tools.quick else RANKS:
            r = row(launch(builder, builder.tracking(name), ranks, tools.folder / "counts", LOADS[name](ranks)))
            rows.append(r)
            counted.append([name, str(ranks), *(r[k] for k in ("operations", "remote", "records", "phases", "exchanges", "bytes")),
                            r["bytes"] / r["operations"], r["bytes"] / r["phases"]])
            tools.progress(f"{name} with {ranks} ranks")
        *seen, last = rows
        b, c = fit(seen)
        result.append(Figure(f"{name}: model over counts, {last['ranks']} ranks", (b * last["remote"] + c * last["heads"]) / last["batches"], "x", "",
                             f"fitted to fewer; {last['batches']:,.0f} bytes"))
        b, c = fit(rows)
        # Operations of a rank stay as many, but where it gets something of each rank; batches are to so many at most.
        for ranks in FAR:
            growth = (ranks - 1) / (last["ranks"] - 1)
            remote = last["remote"] * growth if name in OF_EACH else last["remote"]
            heads = last["heads"] if name in OF_FEW else min(last["heads"] * growth, remote)
            far.append([name, f"{ranks:,}", b, c, b * remote / last["phases"] + 32, c * heads / last["phases"]])
    tools.note(table(["load", "ranks", "operations", "remote", "records", "phases", "exchanges", "bytes", "bytes/operation", "bytes/phase"], counted))
    tools.note(table(["load", "ranks", "b", "c", "bytes/phase", "and for batches"], far))
    return [*result, memory(builder, tools, "phases", PHASES, "<= 1.05"),
            memory(builder, tools, "rounds", ROUNDS, "<= 1.05")]
