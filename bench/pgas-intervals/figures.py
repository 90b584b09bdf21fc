"""The ordered map of intervals that the detector of one-sided programs uses, against the interval skip list of UPC-Thrille.

The paper's figures 2 and 3 are the average times of an insertion and of a search by the number of ranges, at random places and
side by side; on one core of a Cray XE6 it gives 12 and 1.3 us for 20,000 at random, 114 and 2.4 us for as many side by side.
Both of ours take turns in one process; the best of five rounds counts.
"""

TARGETS = ["intervals_bench"]
RANGES = [100, 1_000, 10_000, 20_000, 100_000]
PAPER = {"random": (12_000, 1_300), "sequential": (114_000, 2_400)}  # ns, with 20,000
OPERATIONS = ("insertion", "search")


def figures(tools):
    lines, result = [f"{'places':10}  {'ranges':>7}  " + "  ".join(f"{o}, ordered  skip list" for o in OPERATIONS) + "  (ns)"], []
    for ranges in RANGES:
        told = tools.json("intervals_bench", ranges)
        for places, times in told.items():
            cells = "  ".join(f"{times['ordered'][i]:>{len(o) + 9}.0f}  {times['skip'][i]:>9.0f}" for i, o in enumerate(OPERATIONS))
            lines.append(f"{places:10}  {ranges:>7,}  {cells}")
            if ranges == 20_000:
                for i, operation in enumerate(OPERATIONS):
                    name = f"{operation}, 20,000 ranges, {places}"
                    result.append(tools.Figure(name, times["ordered"][i] / times["skip"][i], "x", "", "ordered map / skip list"))
                    result.append(tools.Figure("the same, skip list", times["skip"][i] / PAPER[places][i], "x", "<= 1", "ours / the paper's"))
    tools.note("\n".join(lines))
    return result
