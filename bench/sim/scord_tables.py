#!/usr/bin/env python3
"""ScoRD's tables VI and VII by its hardware model: scord_tables.py SCORD_BENCH

Table VI: racy programs, by the base design (an entry for every four bytes) and with the metadata cache, whose region is 12.5% of what the program has
allocated. Of a planted race (bench/gpu-accuracy/scor) any line that is reported counts: the twins without it have none. Of bench/cuda lines are shown
beside those of the race-free twin, which the rules report too (IV(c)): only more of them are evidence. Of tests/cuda/programs each line. Table VII: lines that
race-free programs have reported at 8 and 16 bytes, and with the cache, beyond those at 4 bytes. A line counts when one of three schedules shows it.
What of the programs is a race at all is asked elsewhere: bench/gpu-accuracy compares the same decisions with the PTX memory model.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cuda"))
from workloads import WORKLOADS  # noqa: E402

SCOR = ROOT / "bench" / "gpu-accuracy" / "scor"
CUDA = ROOT / "bench" / "cuda"
PROGRAMS = ROOT / "tests" / "cuda" / "programs"
DESIGNS = ("base", "cached", "8 bytes", "16 bytes")
# Published: races present, base design, ScoRD; false positives at 8 and 16 bytes.
TWINS = {"matrix_multiply": (4, 4, 4, 1, 3), "reduction": (2, 2, 2, 1, 1), "rule110": (2, 2, 1, 2, 2), "colouring": (6, 6, 6, 27, 29),
         "connectivity": (5, 5, 5, 28, 28), "convolution": (1, 1, 1, 1, 2), "tree_search": (6, 6, 6, 12, 23)}


def sites(bench, source, ptx=None, values=()):
    """{design: sites}, of three schedules; None: the program cannot run here."""
    found = {design: set() for design in DESIGNS}
    for seed in (1, 2, 3):
        command = [bench, "--tables", f"--seed={seed}", *([f"--ptx={ptx}"] if ptx else []), str(source), *values]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if not done.stdout:
            return None
        run = json.loads(done.stdout)
        for design in DESIGNS:
            found[design] |= set(run["scord"]["tables"][design]["sites"])
    return found


def measure(bench, show, quick=False):
    """Shows both tables; (planted races, found by the base design, with the cache), (lines of the suite, missed by the cache), more lines at 8, 16 and cached."""
    show("table VI                     published         planted  base  cached")
    planted = [0, 0, 0]
    for twin, published in TWINS.items():
        variants = [sites(bench, SCOR / f"{twin}.cu", ptx) for ptx in sorted(SCOR.glob(f"{twin}.r*.ptx"))]
        counts = len(variants), sum(bool(v["base"]) for v in variants), sum(bool(v["cached"]) for v in variants)
        planted = [a + b for a, b in zip(planted, counts)]
        show(f"{'scor/' + twin:28} {published[0]:3} {published[1]:3} {published[2]:3}  {counts[0]:12} {counts[1]:6} {counts[2]:6}")
    for name, (_, small) in WORKLOADS.items():
        found = sites(bench, CUDA / f"{name}.cu", CUDA / f"{name}.racy.ptx", [f"{k}={v}" for k, v in small.items()])
        clean = sites(bench, CUDA / f"{name}.cu", CUDA / f"{name}.ptx", [f"{k}={v}" for k, v in small.items()])
        show(f"{'bench/cuda/' + name:28} lines: race-free {len(clean['base'])}, racy {len(found['base'])}, with the cache {len(found['cached'])}")
    show(f"{'planted in scor/':28}  44  44  43  {planted[0]:12} {planted[1]:6} {planted[2]:6}")
    total = dict.fromkeys(DESIGNS, 0)
    programs = with_base = with_cached = missed = 0
    for source in sorted(PROGRAMS.glob("*_race.cu"))[::8 if quick else 1]:
        found = sites(bench, source)
        if found is None:
            continue
        programs += 1
        with_base += bool(found["base"])
        with_cached += bool(found["cached"])
        missed += len(found["base"] - found["cached"])
        for design in DESIGNS:
            total[design] += len(found[design])
    show(f"tests/cuda/programs/*_race.cu: {programs} programs, {with_base} with lines of the base design, {with_cached} with the cache; "
          f"lines {total['base']}, of which the cache misses {missed} ({missed / max(1, total['base']):.1%})")
    show("table VII                    published 8, 16        4 bytes   more at 8, at 16, with the cache")
    for twin, published in TWINS.items():
        found = sites(bench, SCOR / f"{twin}.cu", SCOR / f"{twin}.ptx")
        more = [len(found[design] - found["base"]) for design in ("8 bytes", "16 bytes", "cached")]
        show(f"{'scor/' + twin:28} {published[3]:3} {published[4]:3}  {len(found['base']):15}   {more[0]:8} {more[1]:8} {more[2]:8}")
    base, more = 0, [0, 0, 0]
    for source in sorted(PROGRAMS.glob("*_ok.cu"))[::8 if quick else 1]:
        found = sites(bench, source)
        if found is None:
            continue
        base += len(found["base"])
        more = [m + len(found[design] - found["base"]) for m, design in zip(more, ("8 bytes", "16 bytes", "cached"))]
    show(f"{'tests/cuda/programs/*_ok.cu':28}          {base:15}   {more[0]:8} {more[1]:8} {more[2]:8}")
    return planted, (total["base"], missed), more


def figures(tools):
    lines = ["ScoRD: tables VI and VII", ""]

    def show(line):
        tools.progress(line)
        lines.append(line)

    planted, (found, missed), more = measure(tools.build / "bench" / "scord_bench", show, tools.quick)
    tools.note("\n".join(lines))
    return [tools.Figure("ScoRD: planted races that the base design misses", planted[0] - planted[1], "", "<= 0", f"{planted[0]} planted"),
            tools.Figure("ScoRD: lines missed with the metadata cache", 100 * missed / max(1, found), "%", "<= 3", "lines of the base design"),
            tools.Figure("ScoRD: false lines at 8 bytes", more[0], "", "", "race-free programs, beyond 4 bytes"),
            tools.Figure("ScoRD: false lines at 16 bytes", more[1], "", "", "race-free programs, beyond 4 bytes")]


if __name__ == "__main__":
    measure(sys.argv[1], lambda line: print(line, flush=True))
