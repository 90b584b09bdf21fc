"""SlimFast against FastTrack, and against the clock: what the core promises.

Time is CPU time, best of five turns; metadata is what the detector itself counts, at its peak. The whole-replay
figures come from the command as users run it.
"""

EVENTS = 10_000_000
LONG = 100_000_000
WORKING_SET_KIB = 16 * 1024


def figures(tools):
    Figure = tools.Figure
    rows = []
    high = tools.json("core_bench", "high-redundancy", EVENTS, WORKING_SET_KIB, "slimfast", "fasttrack")
    low = tools.json("core_bench", "low-redundancy", EVENTS, WORKING_SET_KIB, "slimfast", "fasttrack")
    for profile in (high, low):
        assert profile["slimfast"]["races"] == profile["fasttrack"]["races"] == 0, "the workloads are race-free"

    rows.append(Figure("metadata saved, high redundancy", high["fasttrack"]["metadata"] / high["slimfast"]["metadata"], "x", ">= 1.83",
                       "FastTrack / SlimFast, peak bytes"))
    rows.append(Figure("speed-up, high redundancy", high["fasttrack"]["seconds"] / high["slimfast"]["seconds"], "x", ">= 1.4",
                       "FastTrack / SlimFast, detection time"))
    rows.append(Figure("slow-down, low redundancy", low["slimfast"]["seconds"] / low["fasttrack"]["seconds"], "x", "<= 1.1",
                       "SlimFast / FastTrack, detection time"))
    rows.append(Figure("metadata, low redundancy", low["slimfast"]["metadata"] / low["fasttrack"]["metadata"], "x", "",
                       "SlimFast / FastTrack, peak bytes"))

    for profile in ("high-redundancy", "low-redundancy"):
        peaks = {}
        for events in (EVENTS, LONG):
            trace = tools.folder / f"{profile}.rft"
            tools.measure(tools.redflag, "trace", "generate", trace, f"--profile={profile}", f"--events={events}", "--quiet")
            rounds = 3 if events == EVENTS else 1
            runs = [tools.measure(tools.redflag, "replay", trace, "--quiet") for _ in range(rounds)]
            peaks[events] = max(peak for _, _, peak in runs)
            if events == EVENTS:
                best = min(cpu for cpu, _, _ in runs)
                rows.append(Figure(f"replay from .rft, {profile}", events / best / 1e6, "M events/s", ">= 20", "one core, CPU time"))
                fast = min(tools.measure(tools.redflag, "replay", trace, "--quiet", "--detector=fasttrack")[0] for _ in range(rounds))
                rows.append(Figure(f"whole replay, {profile}", fast / best, "x", "", "FastTrack / SlimFast, CPU time"))
                rows.append(Figure(f"size of .rft, {profile}", trace.stat().st_size / events, "bytes/event"))
            trace.unlink()
        rows.append(Figure(f"growth of memory, {profile}", peaks[LONG] / peaks[EVENTS], "x", "<= 1.1",
                           "peak resident, 100 M / 10 M events"))
    return rows
