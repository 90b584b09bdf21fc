"""CUDA on a GPU: the workloads of bench/cuda with sizes that fill one, native, checked, and under NVIDIA's tools.

Kernel time is that of the launches, each waited for, of one process (build/bin/cuda_runner --gpu); the least of three. Every run must end
with the results that the workload's script expects and without a finding. Where there is no GPU, or no compute-sanitizer, it says so: what
was measured on an H200 is in docs/results-gpu.md.
"""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

TARGETS = ["cuda_runner"]
PARTS = ["checked", "racecheck", "memcheck"]
HERE = Path(__file__).resolve().parent
CUDA = HERE.parent / "cuda"
# Values of the scripts, and what the kernels synchronise by.
WORKLOADS = {
    "convolution": ({"n": 1 << 25}, "barriers"),
    "hotspot": ({"n": 3072, "rounds": 4}, "barriers"),
    "needleman_wunsch": ({"n": 4096}, "barriers"),
    "kmeans": ({"n": 1 << 23}, "barriers"),
    "radix_sort": ({"n": 1 << 20}, "barriers"),
    "bfs": ({"n": 1 << 16}, "barriers"),
    "matmul_locks": ({"n": 1024}, "signals"),
    "reduction": ({"n": 1 << 25, "blocks": 2048}, "signals"),
    "rule110": ({"n": 131072, "rounds": 60}, "signals"),
    "colouring": ({"n": 1 << 20, "blocks": 512}, "signals"),
    "connectivity": ({"n": 1 << 20, "blocks": 256}, "signals"),
    "tree_search": ({"width": 2000, "blocks": 132}, "signals"),
    "scan": ({"n": 1 << 23}, "signals"),
    "cg": ({"n": 131072, "rounds": 60}, "signals"),
}
LIMITS = {"barriers": "<= 2.0", "signals": "<= 3.0"}
PATIENCE = 60  # seconds for one run
PATIENCE_WITH_PEERS = 10  # of NVIDIA's tools, which may take minutes


def run(runner, name, values, options, prefix=()):
    """(kernel seconds, what went wrong or None)"""
    patience = PATIENCE_WITH_PEERS if prefix else PATIENCE
    command = [*prefix, str(runner), "--gpu", "--level=none", *options, str(CUDA / f"{name}.cu"), *(f"{k}={v}" for k, v in values.items())]
    # Modules are compiled when they are loaded, not within the first launch.
    eager = {**os.environ, "CUDA_MODULE_LOADING": "EAGER"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=eager, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            # The tool's own child, too: it would run on beside the next measurement.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return math.inf, f"stopped after {patience} s"
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        return math.inf, (errors or output)[-300:].strip()
    told = json.loads(lines[-1])
    if told["fault"]:
        return math.inf, told["fault"][:200]
    if told.get("compact"):
        return told["seconds"], f"{len(told['compact'])} findings: lines {told['compact'][0]['lines']}"
    return told["seconds"], None


def geometric(values):
    values = [v for v in values if math.isfinite(v)]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.inf


def shown(value):
    return "-" if not math.isfinite(value) else f"{value:.2f}"


def figures(tools):
    runner = tools.build / "bin" / "cuda_runner"
    if shutil.which("nvidia-smi") is None:
        sys.exit("bench/run gpu: needed: an NVIDIA GPU with its driver; found: no nvidia-smi. docs/results-gpu.md has what was measured on an H200.")
    sanitizer = shutil.which("compute-sanitizer", path="/usr/local/cuda/bin:/usr/bin:/usr/local/bin")
    wanted = tools.only or PARTS
    repeats = 1 if tools.quick else 3
    rows = [f"{'workload':18} {'native ms':>10} {'checked':>9} {'racecheck':>10} {'memcheck':>9}  remarks"]
    tools.progress(rows[0])
    ratios = {kind: [] for kind in LIMITS}
    peers = {"racecheck": {}, "memcheck": {}}
    wrong = []
    for name, (values, kind) in WORKLOADS.items():
        best = lambda options: min((run(runner, name, values, options) for _ in range(repeats)), key=lambda r: r[0])
        native, fault = best(["--rewritten=none"])
        if fault:
            wrong.append(f"{name}, native: {fault}")
            continue
        checked, fault = best(["--rewritten=compact"])
        remark = ""
        if fault:
            wrong.append(f"{name}: {fault}")
            remark = fault
        ratios[kind].append(checked / native)
        times = {}
        for tool in peers:
            times[tool] = run(runner, name, values, ["--rewritten=none"], [sanitizer, "--tool", tool])[0] if sanitizer and tool in wanted else math.inf
            peers[tool][name] = (times[tool] / native, checked / native)
        rows.append(f"{name:18} {1000 * native:10.3f} {shown(checked / native):>8}x {shown(times['racecheck'] / native):>9}x {shown(times['memcheck'] / native):>8}x  {remark}".rstrip())
        tools.progress(rows[-1])  # a run that is cut off has said what it measured
    tools.note("\n".join(rows))
    tools.note("'-': stopped after %d s, or not there." % PATIENCE_WITH_PEERS)
    if wrong:
        tools.note("\n".join(["not as expected:", *("  " + line for line in wrong)]))
    out = [tools.Figure(f"kernel time, kernels with {kind}, geometric mean", geometric(ratios[kind]), "x", LIMITS[kind], "native")
           for kind in LIMITS]
    ahead = [name for name, (theirs, ours) in peers["racecheck"].items() if ours < theirs]
    out.append(tools.Figure("workloads on which racecheck is slower", len(ahead), "", f">= {len(WORKLOADS)}", "compute-sanitizer racecheck"))
    known = [(theirs, ours) for theirs, ours in peers["memcheck"].values() if math.isfinite(theirs)]
    out.append(tools.Figure("kernel time over memcheck's, geometric mean", geometric([ours / theirs for theirs, ours in known]), "x", "<= 1.0", "compute-sanitizer memcheck"))
    out.append(tools.Figure("workloads with wrong results or findings", len(wrong), "", "<= 0", ""))
    return out
