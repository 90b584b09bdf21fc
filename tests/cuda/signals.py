#!/usr/bin/env python3
"""Random kernels whose blocks wait for each other, with the detector that runs inside a GPU (the device runtime `compact`), against the precise one.

    signals.py [--runner build/bin/cuda_runner] [--programs N] [--first N] [--seeds N] [--jobs N] [--keep FOLDER]

A program is a row of steps of threads in four blocks: reads and writes of a few words, publishing (releases, or a fence and an atomic), waiting for
what was published, barriers, locks. Nobody waits for a step that comes later in the row, so that every program ends; whoever accesses a word knows
of what others did there before. In one of two programs some steps are weaker than they should be. The precise detector (ptx_model, level cuda) sees the program itself, `compact` sees it rewritten: under other
schedules, so that only what holds for all of them is compared: `compact` must report nothing where the precise one finds nothing, and something in
nearly all programs in which that finds races. PTX is made here, a line of source for each step: a fault names the number of its program.

Standard library only.
"""
import argparse
import concurrent.futures
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCKS, THREADS = 4, 64
ACTORS = [0, 0, 0, 1, 33, 40]  # threads that do something by themselves
REST = -1  # all others of a block
WORDS, FLAGS, LOCKS = 6, 10, 2
ALL = WORDS + LOCKS  # where each thread has a word
PERMILLE_FOUND = 850  # of programs with races: some are there under one schedule only

PUBLISH = {  # flag: %rd1; one more has published there
    "st.release": ["st.release.gpu.global.u32 [%rd1], 1;"],
    "fence, st": ["fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32 [%rd1], 1;"],
    "atom.release": ["atom.release.gpu.global.add.u32 %r9, [%rd1], 1;"],
    "fence, add": ["fence.acq_rel.gpu;", "atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 1;"],
    "fence, red": ["fence.acq_rel.gpu;", "red.relaxed.gpu.global.add.u32 [%rd1], 1;"],
}
STORES = ("st.release", "fence, st")  # one thread only
WEAK_PUBLISH = ["st.relaxed.gpu.global.u32 [%rd1], 1;"], ["red.relaxed.gpu.global.add.u32 [%rd1], 1;"]
NARROW_PUBLISH = ["fence.acq_rel.cta;", "st.relaxed.gpu.global.u32 [%rd1], 1;"]
AWAIT = {  # until %r9 of flag %rd1 is at least COUNT
    "ld.acquire": (["ld.acquire.gpu.global.u32 %r9, [%rd1];"], []),
    "ld, fence": (["ld.relaxed.gpu.global.u32 %r9, [%rd1];"], ["fence.acq_rel.gpu;"]),
    "atom.acquire": (["atom.acquire.gpu.global.add.u32 %r9, [%rd1], 0;"], []),
    "add, fence": (["atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 0;"], ["fence.acq_rel.gpu;"]),
    "add": (["atom.relaxed.gpu.global.add.u32 %r9, [%rd1], 0;"], []),  # enough at level cuda, for who takes the result
    "cas, fence": (["atom.relaxed.gpu.global.cas.b32 %r9, [%rd1], 77, 77;"], ["fence.acq_rel.gpu;"]),
}
UNLOCK = (["fence.acq_rel.gpu;", "atom.relaxed.gpu.global.exch.b32 %r9, [%rd1], 0;"], ["st.release.gpu.global.u32 [%rd1], 0;"])


class Kernel:
    """PTX of one program; a step is a line of its source."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.blocks = [[] for _ in range(BLOCKS)]
        self.line = 1
        self.labels = 0
        self.published = {}  # flag: (how, threads)
        # Steps that are known, by (block, thread) and by flag; accesses of words, (step, writes).
        self.known = {(b, t): set() for b in range(BLOCKS) for t in {*ACTORS, REST}}
        self.told = {}
        self.awaited = set()  # flags: whoever published later could be taken for one of those who were waited for
        self.accesses = {}
        weak = self.random.random() < 0.5
        # Without stores that end what was published before, spinning is told of in another way.
        self.has_stores = self.random.random() < 0.6
        steps = self.random.randint(10, 50)
        self.weak_at = self.random.randrange(steps) if weak else None
        for self.at in range(steps):
            self.step()

    def text(self, block, thread, lines):
        """Lines of one thread; None: of all."""
        self.line += 1
        out = [f".loc 1 {self.line} 0"]
        if thread is not None:
            self.labels += 1
            out += [f"setp.ne.u32 %p1, %r1, {thread};", f"@%p1 bra $S{self.labels};"]
        out += lines
        if thread is not None:
            out.append(f"$S{self.labels}:")
        self.blocks[block] += out

    def step(self):
        r = self.random
        block = r.randrange(BLOCKS)
        thread = r.choice(ACTORS)
        kind = r.choices(["access", "publish", "await", "barrier", "lock", "all"], [7, 4, 5, 3, 2, 1])[0]
        if kind == "access":
            word, writes = r.randrange(WORDS), r.random() < 0.5
            if self.may_access([(block, thread)], word, writes):
                self.text(block, thread, self.access(word, writes))
        elif kind == "publish":
            self.publish(block, thread)
        elif kind == "await" and self.published:
            self.wait(block, thread)
        elif kind == "barrier":
            self.text(block, None, ["bar.sync 0;"])
            threads = [t for t in self.known if t[0] == block]
            everything = set().union(*(self.known[t] for t in threads))
            for t in threads:
                self.known[t] |= everything
        elif kind == "lock":
            self.locked(block, thread)
        elif kind == "all":
            writes = r.random() < 0.5
            # A word for each thread, the same for all blocks.
            if self.may_access([t for t in self.known if t[0] == block], WORDS, writes):
                access = f"st.global.u32 [%rd3+{4 * ALL}], %r1;" if writes else f"ld.global.u32 %r8, [%rd3+{4 * ALL}];"
                self.text(block, None, ["mul.wide.u32 %rd3, %r1, 4;", "add.s64 %rd3, %rd3, %rd5;", access])

    def may_access(self, threads, word, writes):
        """Whether they know of all that was done there, and it can be done."""
        needed = {step for step, wrote in self.accesses.get(word, []) if wrote or writes}
        if not all(needed <= self.known[t] for t in threads):
            return False
        self.accesses.setdefault(word, []).append((self.at, writes))
        for t in threads:
            self.known[t].add(self.at)
        return True

    def is_weak(self):
        return self.weak_at is not None and self.at >= self.weak_at and self.random.random() < 0.5

    @staticmethod
    def access(word, writes):
        return [f"st.global.u32 [%rd5+{4 * word}], %r1;" if writes else f"ld.global.u32 %r8, [%rd5+{4 * word}];"]

    def publish(self, block, thread):
        r = self.random
        again = [f for f, (how, _) in self.published.items() if how not in STORES and f not in self.awaited]
        free = [f for f in range(FLAGS) if f not in self.published]
        if again and (r.random() < 0.4 or not free):
            flag = r.choice(again)
            how = r.choice([h for h in PUBLISH if h not in STORES])
        elif free:
            flag, how = r.choice(free), r.choice([h for h in PUBLISH if self.has_stores or h not in STORES])
        else:
            return
        lines = PUBLISH[how]
        if self.is_weak():
            lines = r.choice([WEAK_PUBLISH[0], NARROW_PUBLISH]) if how in STORES else WEAK_PUBLISH[1]
        self.published[flag] = (how, self.published.get(flag, (how, 0))[1] + 1)
        self.told.setdefault(flag, set()).update(self.known[block, thread])
        self.text(block, thread, [f"add.s64 %rd1, %rd6, {4 * flag};", *lines])

    def wait(self, block, thread):
        r = self.random
        flag = r.choice(list(self.published))
        self.wait_at(flag, block, thread)
        # Who looks again at what it knows, and another lane of its warp, who does not know it.
        while r.random() < 0.4:
            self.wait_at(flag, block, r.choice([thread, 0, 1]))

    def wait_at(self, flag, block, thread):
        r = self.random
        turn, behind = AWAIT[r.choice(list(AWAIT))]
        if self.is_weak():
            turn, behind = AWAIT["ld, fence"][0], []
        count = self.published[flag][1]
        self.known[block, thread] |= self.told[flag]
        self.awaited.add(flag)
        self.labels += 1
        label = f"$W{self.labels}"
        self.text(block, thread, [f"add.s64 %rd1, %rd6, {4 * flag};", f"{label}:", *turn, f"setp.lt.u32 %p2, %r9, {count};", f"@%p2 bra {label};", *behind])

    def locked(self, block, thread):
        r = self.random
        lock = FLAGS + r.randrange(LOCKS)
        self.labels += 1
        label = f"$L{self.labels}"
        take = [f"add.s64 %rd1, %rd6, {4 * lock};", f"{label}:", "atom.relaxed.gpu.global.cas.b32 %r9, [%rd1], 0, 1;", "setp.ne.u32 %p2, %r9, 0;", f"@%p2 bra {label};"]
        if not self.is_weak():
            take.append("fence.acq_rel.gpu;")
        # A word of the lock's own, which nobody else touches: most programs should be right.
        self.text(block, thread, take + self.access(WORDS + lock - FLAGS, False) + self.access(WORDS + lock - FLAGS, True) + r.choice(UNLOCK[:2 if self.has_stores else 1]))

    def ptx(self, name):
        lines = [".version 7.8", ".target sm_80", ".address_size 64", ".visible .entry k(.param .u64 k_0, .param .u64 k_1)", "{", ".reg .pred %p<4>;", ".reg .b32 %r<16>;",
                 ".reg .b64 %rd<8>;", "ld.param.u64 %rd5, [k_0];", "ld.param.u64 %rd6, [k_1];", "cvta.to.global.u64 %rd5, %rd5;", "cvta.to.global.u64 %rd6, %rd6;", "mov.u32 %r1, %tid.x;",
                 "mov.u32 %r2, %ctaid.x;"]
        for i in range(1, BLOCKS):
            lines += [f"setp.eq.u32 %p0, %r2, {i};", f"@%p0 bra $B{i};"]
        for i, block in enumerate(self.blocks):
            lines += [f"$B{i}:", *block, "ret;"]
        return "\n".join([*lines, "}", f'.file 1 "{name}"', ""])

    def script(self):
        return (f'const char* const script = R"(\nbuffer data int {WORDS + LOCKS + THREADS}\nbuffer flags int {FLAGS + LOCKS}\n'
                f'launch cooperative k<<<{BLOCKS}, {THREADS}>>>(data, flags)\n)";\nMAIN(KERNEL(k))\n')


def pairs(runner, path, options, name):
    """Lines that it reports under one seed or another."""
    done = subprocess.run([runner, *options, str(path)], capture_output=True, text=True, timeout=300)
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [one["fault"] for one in runs if one["fault"]]
    if not runs or faults or done.returncode not in (0, 1):
        raise RuntimeError(f"status {done.returncode}: {faults or done.stderr[-300:]}")
    return {tuple(sorted(finding["lines"])) for one in runs for finding in one[name]}


def run(number, folder, arguments):
    """(what is wrong or None, whether there are races, whether one was found)"""
    path = folder / f"signals_{number}.cu"
    kernel = Kernel(number)
    path.write_text(kernel.script())
    path.with_suffix(".ptx").write_text(kernel.ptx(path.name))
    try:
        told = pairs(arguments.runner, path, ["--level=none", "--rewritten=compact", f"--seeds={arguments.seeds}"], "compact")
        true = pairs(arguments.runner, path, ["--level=cuda", f"--seeds={2 * arguments.seeds}"], "cuda")
        if told and not true:  # who gets a lock first is by schedule
            true = pairs(arguments.runner, path, ["--level=cuda", "--seeds=100"], "cuda")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return f"program {number}: {error}", False, False
    # Where there are races, the precise one reports some of them only: of the last accesses to a word.
    if told and not true:
        return f"program {number}: lines {sorted(told)} are reported, and do not race", False, False
    return None, bool(true), bool(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", default=str(ROOT / "build" / "bin" / "cuda_runner"))
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="number of the first program")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the programs")
    arguments = parser.parse_args()
    wrong, races, found = [], 0, 0
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = Path(arguments.keep or made)
        folder.mkdir(parents=True, exist_ok=True)
        for problem, has_race, is_found in pool.map(lambda n: run(n, folder, arguments), range(arguments.first, arguments.first + arguments.programs)):
            races += has_race
            found += has_race and is_found
            if problem:
                wrong.append(problem)
                print(problem)
    print(f"{arguments.programs} programs: races in {races}, found in {found}, {len(wrong)} problems")
    return 1 if wrong or found * 1000 < races * PERMILLE_FOUND else 0


if __name__ == "__main__":
    sys.exit(main())
