#!/usr/bin/env python3
"""The test of the tests: breaks one rule at a time and demands that some test notices.

Each mutant is a small change to one source file (which must match exactly once, so that a changed source
cannot quietly disarm it). The changed file is put into an overlay folder that comes first in the include path, the
translation units concerned are compiled, linked in front of the libraries of the build tree (where each is an object
of its own: APART in cmake/Redflag.cmake), and the differential, detector and clock tests are run. A mutant that
survives all of them is a failure.

    tests/oracle/mutation.py --build build            all mutants
    tests/oracle/mutation.py --build build NAME ...   only these
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

CLOCK = ["core/clock/happens_before.cpp"]
ATOMICS = ["core/clock/atomic_sync.cpp"]
RULES = ["core/detect/slimfast/transition.cpp"]
LOOP = ["core/detect/slimfast/slimfast.cpp"]
SLIM = RULES + LOOP
SWEEP = ["core/detect/slimfast/sweep.cpp"]
HISTORIES = ["core/detect/slimfast/histories.cpp"]
FAST = ["core/detect/fasttrack/cells.cpp"]
PAIRS = ["core/detect/slimfast/pair_page.cpp"]
PARSNIP = [f"sim/models/parsnip/{part}.cpp" for part in ("check", "record", "handlers", "machine", "saving")]

# name, file, what stands there, what to put there instead, translation units to compile
MUTANTS = [
    ("acquire-learns-nothing", CLOCK[0], "if (!t.covers(m.released_at)) t.clock.join(m.released);", "", CLOCK),
    ("writer-ignores-readers", CLOCK[0], "if (exclusive && !m.readers.empty())", "if (false)", CLOCK),
    ("fork-tells-nothing", CLOCK[0], "start(child, &t);", "start(child, nullptr);", CLOCK),
    ("join-learns-nothing", CLOCK[0], "t.clock.join(u.clock);", "", CLOCK),
    ("release-keeps-its-epoch", CLOCK[0], "m.readers.clear();  // the owner waited for them: `released` covers them\n      advance(t);",
     "m.readers.clear();", CLOCK),
    ("store-continues-sequence", CLOCK[0], "if (continues_sequence) {", "if (true) {", CLOCK),
    ("release-fence-publishes-nothing", CLOCK[0], "t.release_fence.assign(t.clock);", "", CLOCK),
    ("acquire-fence-learns-nothing", CLOCK[0], "t.clock.join(t.pending_acquire);", "", CLOCK),
    ("barrier-rounds-mixed", CLOCK[0], "b.filling.clear();", "", CLOCK),
    ("slot-given-to-stranger", CLOCK[0], "if (parent->clock[slot] < slots_[static_cast<std::size_t>(slot)].final_clock) continue;", "",
     CLOCK),
    ("atomic-sizes-not-cut", ATOMICS[0], "  cut(begin);\n  cut(end);\n  std::uint64_t at", "  std::uint64_t at", ATOMICS),
    ("write-ignores-read", RULES[0], "} else if (!t.clock->covers(r)) {", "} else if (false) {", RULES),
    ("write-ignores-write", RULES[0], "      if (!t.clock->covers(w)) {\n        race(t, at, w, EventKind::kWrite);",
     "      if (false) {\n        race(t, at, w, EventKind::kWrite);", RULES),
    ("write-checks-first-reader-only", RULES[0], "if (t.clock->covers(s.reads()[i])) continue;",
     "if (t.clock->covers(s.reads()[i])) break;", RULES),
    ("read-never-inflates", RULES[0], "if (r && t.clock->covers(r)) return", "if (r) return", RULES),
    ("read-ignores-write", RULES[0], "  if (!t.clock->covers(w)) race(t, at, w, EventKind::kWrite);\n", "", RULES),
    ("shared-read-ignores-write", RULES[0], "if (!t.clock->covers(s.write)) race(t, at, s.write, EventKind::kWrite);\n  const Handle next",
     "const Handle next", RULES),
    ("next-map-of-old-epochs", RULES[0], "if (next != kNone && histories_.shared(next).read_by(slot) == t.epoch) {",
     "if (next != kNone) {", RULES),
    ("inflation-ignores-writer", RULES[0], "if (t.q[i].reader == r && t.q[i].write == w) {", "if (t.q[i].reader == r) {", RULES),
    ("read-set-ignores-writer", RULES[0], "if (words[i] == w.bits()) return base + i;", "return base + i;", RULES),
    ("memo-of-races", RULES[0], "if (!raced_) {", "{", RULES),
    ("memo-outlives-epoch", LOOP[0], "if (t.memorised) forget_memos(t);", "", LOOP),
    ("inflations-outlive-epoch", LOOP[0], "  t.q_size = 0;\n  if", "  if", LOOP),
    ("handles-outlive-epoch", LOOP[0], "  t.base = kNoBase;\n  t.room = 0;\n  t.used = 0;\n", "", LOOP),
    ("merge-of-different-bytes", LOOP[0], "if (h != all) return;", "", LOOP),
    ("sweep-forgets-split-bytes", SWEEP[0], "for (Handle& h : histories_.split(cell).bytes) mark_or_forget(h);", "", SWEEP),
    ("sweep-forgets-everything", "core/detect/slimfast/histories.cpp", "over &= floor.covers(Epoch::from_bits(pairs_[i * kLineSize + k] & ~kOwner));", "over &= true;", HISTORIES),
    ("sweep-keeps-next-of-freed", "core/detect/slimfast/histories.cpp", "shared_marks_[index(Handle{h->next[slot]})] == 0) h->next[slot] = 0;",
     "false) h->next[slot] = 0;", HISTORIES),
    ("atomic-write-ignores-plain-read", "core/shadow/mixed_history.h", "if (is_write && uncovered(t, 0, earlier))", "if (false)",
     RULES + FAST),
    ("plain-read-ignores-atomic-write", "core/shadow/mixed_history.h", "if (!atomic && uncovered(t, 1, earlier))", "if (false)",
     RULES + FAST),
    ("pair-read-ignores-write", "core/detect/slimfast/access.h", "if (!r && !clock.covers(cell.write)) race(t, at, cell.write, EventKind::kWrite);",
     "", SLIM + PAIRS),
    ("pair-read-rechecks-write", "core/detect/slimfast/access.h", "if (!r && !clock.covers(cell.write)) race(t, at, cell.write, EventKind::kWrite);",
     "if (!clock.covers(cell.write)) race(t, at, cell.write, EventKind::kWrite);", SLIM + PAIRS),
    ("pair-read-loses-reader", "core/detect/slimfast/access.h", "if (!clock.covers(r)) return false;  // a second reader: that needs a shared history",
     "", SLIM + PAIRS),
    ("pair-write-ignores-read", "core/detect/slimfast/access.h", "} else if (!clock.covers(r)) {", "} else if (false) {", SLIM + PAIRS),
    ("pair-sweep-forgets-handles", PAIRS[0], "if (cell.has_handle()) {\n        Handle h = cell.handle();", "if (false) {\n        Handle h = cell.handle();", PAIRS),
    ("unpair-mixes-neighbours", PAIRS[0], "const bool same = i > 0 &&", "const bool same = i > 0 || ", PAIRS),
    ("collapse-of-different-cells", LOOP[0], "[first](Handle h) { return h == first; }", "[first](Handle) { return true; }", LOOP),
    ("collapsed-page-loses-history", "core/shadow/shadow_map.h", "std::fill_n(page->cells, kCellsPerPage, *all);", "", SLIM + PAIRS),
    ("whole-page-skips-check", RULES[0], "all = transition<op, Mode::kShared>(t, at, all);", "all = own_write(t);", RULES),
    ("fasttrack-inflation-loses-reader", FAST[0], "v->clocks()[other] = r.clock();", "", FAST),
    ("fasttrack-write-ignores-vector", FAST[0], "race(at, r, EventKind::kRead);\n      break;", "break;", FAST),
    # What the letter of the paper's step 13 would do.
    ("parsnip-own-read-is-enough", PARSNIP[0], "const bool only_read = s != kUnknown && !s.has_next();",
     "const bool only_read = own || (s != kUnknown && !s.has_next());", PARSNIP[:1]),
    ("parsnip-last-reader-only", PARSNIP[1], "if (p.has_clock()) {\n    persist(now.core,", "if (false) {\n    persist(now.core,", PARSNIP[1:2]),
    ("parsnip-short-refs-lose-clocks", PARSNIP[1], "if (ref.has_clock()) {\n      persist(core,", "if (false) {\n      persist(core,",
     PARSNIP[1:2]),
    ("parsnip-eviction-loses-clocks", PARSNIP[4], "flush(state, 0, 64);", "", PARSNIP[4:5]),
    ("parsnip-buffers-not-snooped", PARSNIP[2], "apply_pending(now.line, *now.state);\n  if (now.in_software) return;",
     "if (now.in_software) return;", PARSNIP[2:3]),
    ("parsnip-speculation-unchecked", PARSNIP[2],
     "if (!now.who.t->covers(part.write) || (now.write && part.unknown_reads)) continue;", "", PARSNIP[2:3]),
    ("parsnip-threads-coalesced", "sim/models/parsnip/epoch_buffer.h",
     "old.what.write == e.write &&\n          old.what.epoch.slot() == e.epoch.slot()) {", "old.what.write == e.write) {", PARSNIP),
]

# Name, and the folder of its objects in the build tree.
TESTS = [
    ("differential", "tests/oracle/CMakeFiles/differential_test.dir"),
    ("detect", "core/detect/CMakeFiles/detect_test.dir"),
    ("clock", "core/clock/CMakeFiles/clock_test.dir"),
    ("parsnip", "tests/oracle/CMakeFiles/parsnip_differential_test.dir"),
]
LIBRARIES = ["compare", "sim_parsnip", "sim_mem", "explain", "detect", "generate", "trace", "shadow", "clock", "model", "base"]


def judge(mutant, build, compiler, work):
    """How a mutant ended: (name, verdict, detail)."""
    name, file, old, new, units = mutant
    source = (ROOT / file).read_text()
    if source.count(old) != 1:
        return name, "stale", f"{file} has its text {source.count(old)} times, needed once: mend the table in {Path(__file__).name}"
    overlay = work / name
    (overlay / file).parent.mkdir(parents=True)
    (overlay / file).write_text(source.replace(old, new))
    objects = []
    for unit in units:
        at = overlay / unit if (overlay / unit).exists() else ROOT / unit
        objects.append(str(overlay / (unit.replace("/", "_") + ".o")))
        # Without -w a mutant that leaves something unused would not compile, and prove nothing.
        run = subprocess.run([compiler, "-std=c++20", "-O1", "-w", f"-I{overlay}", f"-I{ROOT}", "-c", str(at), "-o", objects[-1]],
                             capture_output=True, text=True)
        if run.returncode != 0:
            return name, "does not compile", run.stderr[:2000]
    libraries = [str(p) for p in (build / "lib" / f"libredflag_{lib}.a" for lib in LIBRARIES) if p.exists()]
    # The simulated machine's mutants are its own tests' business, and only theirs.
    for test, folder in [t for t in TESTS if (t[0] == "parsnip") == file.startswith("sim/")]:
        program = overlay / test
        link = subprocess.run([compiler, "-o", str(program), *map(str, sorted((build / folder).rglob("*.o"))), *objects, "-Wl,--start-group",
                               *libraries, "-Wl,--end-group", "-lgtest", "-lgtest_main", "-lgmock", "-lzstd", "-lxxhash", "-pthread"],
                              capture_output=True, text=True)
        if link.returncode != 0:
            return name, "does not link", link.stderr[:2000]
        try:
            run = subprocess.run([str(program)], capture_output=True, text=True, timeout=120,
                                 env={**os.environ, "REDFLAG_PROGRAMS": "3000"})
        except subprocess.TimeoutExpired:
            return name, "killed", f"{test} (hangs)"
        if run.returncode != 0:
            return name, "killed", test
    return name, "SURVIVED", "no test noticed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    wanted = [m for m in MUTANTS if not arguments.names or m[0] in arguments.names]
    work = Path(tempfile.mkdtemp(prefix="redflag-mutants-"))
    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda m: judge(m, arguments.build.resolve(), arguments.compiler, work), wanted))
    finally:
        shutil.rmtree(work)
    for name, verdict, detail in results:
        print(f"{name:36} {verdict:10} {detail}")
    killed = sum(verdict == "killed" for _, verdict, _ in results)
    print(f"{killed} of {len(results)} mutants were noticed")
    sys.exit(0 if killed == len(results) and results else 1)


main()
