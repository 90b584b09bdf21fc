"""Random C programs of several threads, with the bytes that have races in them.

A program is written as a tree of statements (statements.py, blocks.py); each can be printed as C, and run here, which
gives the bytes that it reads and writes. Indices and bounds are texts that mean the same in C and in
Python, computed from constants, from variables of loops and from tables that nobody writes; some are
hidden from the compiler in a table that it cannot see to be constant. So control flow and addresses never
depend on what races.

Whatever the schedule, two accesses are ordered or they are not. A program is a row of intervals with
barriers in between. In an interval without locks the only order is by flags: one thread sets each, with
release, and one waits for it, with acquire; in the order in which this generator writes them, so it ends. In
an interval with locks a thread has at most one critical section, and outside of it only touches what no
other thread touches in that interval: so the order of sections orders nothing else.
"""
import random

from blocks import Blocks
from statements import STRUCTS, TYPES, WIDE, Access, Array, Group, If

PROLOGUE = """#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int v4i __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
struct plain { char a; short b; int c; long d; float e; double f; char g[5]; int h[2]; };
struct __attribute__((packed)) tight { char a; int b; short c; long d; };
struct three { float x, y, z; };
struct node { struct node* next; long v; int w; char k; long pad; };
struct sums { long s; double t; long double u; v4i v; v8f w; };
static struct sums sums_of[8] __attribute__((aligned(64)));
static pthread_barrier_t barrier;
static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int flags[1024];
#define SUMS long s = 1; double t = 0; long double u = 0; v4i v = {0}; v8f w = {0}; (void)s, (void)t, (void)u
#define KEEP(me) (sums_of[me].s += s, sums_of[me].t += t, sums_of[me].u += u, sums_of[me].v += v, sums_of[me].w += w)
__attribute__((noinline)) static void set_flag(int k) { __atomic_store_n(&flags[k], 1, __ATOMIC_RELEASE); }
__attribute__((noinline)) static void wait_for_flag(int k) { while (!__atomic_load_n(&flags[k], __ATOMIC_ACQUIRE)) sched_yield(); }
"""


class Program(Blocks):
    """plain: without what the compiler's own pass does not see."""

    def __init__(self, rng: random.Random, plain=False):
        self.rng = rng
        self.threads = rng.randint(2, 4)
        self.inputs = []
        self.idx = list(range(48))
        rng.shuffle(self.idx)
        self.small = rng.sample(range(6), 6)
        self.order = list(range(12))
        rng.shuffle(self.order)
        self.functions, self.parts = [], 0
        self.fresh = 0
        self.make_arrays(plain)
        self.code = [[] for _ in range(self.threads)]     # lines of each thread
        self.blocks = []                                  # functions of blocks, as lines
        self.clocks = [[0] * self.threads for _ in range(self.threads)]
        for thread in range(self.threads):
            self.clocks[thread][thread] = 1
        self.flags = 0
        self.racy = set()
        self.events = {}                                  # of this interval
        self.modes, self.thread = {}, 0                   # see share_out; whose code is made
        for _ in range(rng.randint(3, 6)):
            if rng.random() < 0.65:
                self.interval_by_flags()
            else:
                self.interval_by_locks()
            self.end_interval()
        self.arrays.append(self.ordered)
        self.sizes = {each.name: each.stride * each.length for each in self.arrays}

    def make_arrays(self, plain):
        rng = self.rng
        numbers = [each for each in TYPES if not plain or each not in WIDE]
        elements = rng.sample(numbers, 5) + rng.sample(list(STRUCTS)[:3], 2) + ["struct node"]
        elements += [rng.choice(["d", "i", "l", "c", "f"]) for _ in range(4)]
        self.arrays = []
        for k, element in enumerate(elements):
            if element == "struct node":
                length = 12
            elif element in STRUCTS or element == "w":
                length = rng.randint(6, 14)
            elif rng.random() < 0.08:
                length = rng.choice([300, 700, 1500])  # longer than what the runtime looks up at once
            else:
                length = rng.choice([13, 24, 37, 40, 48])
            where = rng.choice(["static", "global", "heap", "heap"])
            self.arrays.append(Array(f"a{k}", element, length, where))
        self.atomics = Array("at", "i", 12, "global")
        self.arrays.append(self.atomics)
        self.ordered = Array("ordered", rng.choice(["l", "i", "c", "d"]), 60, "global")  # used by flag() only

    # --- Order.

    def touch(self, thread, lock):
        segment = (thread, self.clocks[thread][thread], tuple(self.clocks[thread]), lock)

        def note(array, begin, end, writes, atomic):
            for byte in range(begin, end):
                self.events.setdefault((array.name, byte), set()).add((segment, writes, atomic))

        return note

    def end_interval(self):
        for byte, events in self.events.items():
            if len(events) > 1 and self.has_race(list(events)):
                self.racy.add(byte)
        self.events = {}
        joined = [max(each) for each in zip(*self.clocks)]
        for thread in range(self.threads):
            self.clocks[thread] = list(joined)
            self.clocks[thread][thread] += 1
            self.code[thread].append("  pthread_barrier_wait(&barrier);")

    @staticmethod
    def has_race(events):
        for i, (a, a_writes, a_atomic) in enumerate(events):
            for b, b_writes, b_atomic in events[:i]:
                if a[0] == b[0] or not (a_writes or b_writes) or (a_atomic and b_atomic):
                    continue
                if a[3] is not None and a[3] == b[3]:
                    continue
                if b[2][a[0]] >= a[1] or a[2][b[0]] >= b[1]:
                    continue
                return True
        return False

    def interval_by_flags(self):
        rng = self.rng
        # Who has which part of an array; mostly apart, sometimes a little of the next one's as well.
        windows = {}
        for array in self.arrays:
            cuts = sorted(rng.randint(0, array.length) for _ in range(self.threads - 1))
            bounds = [0, *cuts, array.length]
            for thread in range(self.threads):
                low, high = bounds[thread], bounds[thread + 1]
                if rng.random() < 0.12:
                    low, high = max(0, low - rng.randint(0, 2)), min(array.length, high + rng.randint(1, 3))
                windows[thread, array] = (low, high)
        self.share_out()
        shared = set(rng.sample([each for each in self.arrays if each not in self.modes], 3))  # all threads read these, and one may write a little
        writer = rng.randrange(self.threads)
        for _ in range(rng.randint(5, 11)):
            thread = rng.randrange(self.threads)
            if rng.random() < 0.35:
                to = rng.choice([each for each in range(self.threads) if each != thread])
                rng.choice([self.flag, self.flag, self.flags_in_loops])(thread, to)
                continue
            choice = []
            for array in self.arrays:
                if array in shared:
                    low = rng.randint(0, array.length - 1)
                    one = (low, min(array.length, low + rng.randint(1, 2)))
                    writes = thread == writer and rng.random() < 0.3
                    choice.append((array, one if writes else (0, array.length), writes))
                elif array in self.modes:
                    choice.append((array, (0, array.length), True))
                else:
                    choice.append((array, windows[thread, array], True))
            self.block(thread, choice, None)
        self.modes = {}

    def share_out(self):
        """Some arrays not by parts: every so many elements, or of each element some fields, are a thread's."""
        for array in self.rng.sample(self.arrays, 4):
            if array.element in STRUCTS:
                self.modes[array] = "fields"
            elif array is not self.atomics and array.length >= 2 * self.threads:
                self.modes[array] = "elements"

    def around_flag(self, thread, index):
        """An access of a place of its own, beside a synchronisation: it is ordered, or not, by that alone."""
        if self.rng.random() < 0.35:
            return
        access = Access(self.ordered, str(index), None, self.kind(True), "s + 1")
        access.run({}, self.touch(thread, None))
        lines = []
        access.emit(lines, "")
        self.code[thread].append(f"  {{ SUMS; {lines[0]} KEEP({thread}); }}")

    def happens_before(self, thread, to):
        for t in range(self.threads):
            self.clocks[to][t] = max(self.clocks[to][t], self.clocks[thread][t])
        self.clocks[thread][thread] += 1

    def set_flag(self, k):
        # Not by a store in line: LLVM moves loads up across it, and there they may be ordered.
        return self.rng.choice([
            f"set_flag({k});", f"__atomic_exchange_n(&flags[{k}], 1, __ATOMIC_RELEASE);",
            f"__atomic_fetch_add(&flags[{k}], 1, __ATOMIC_ACQ_REL);",
            f"__atomic_thread_fence(__ATOMIC_SEQ_CST); __atomic_store_n(&flags[{k}], 1, __ATOMIC_RELAXED);"])

    def wait_for_flag(self, k):
        return self.rng.choice([
            f"wait_for_flag({k});", f"while (!__atomic_load_n(&flags[{k}], __ATOMIC_ACQUIRE)) sched_yield();",
            f"while (!__atomic_load_n(&flags[{k}], __ATOMIC_ACQUIRE)) __builtin_ia32_pause();",
            f"while (!__atomic_load_n(&flags[{k}], __ATOMIC_RELAXED)) sched_yield();"
            " __atomic_thread_fence(__ATOMIC_SEQ_CST);"])

    def flags_in_loops(self, thread, to):
        """Both go through a loop: in each iteration `thread` sets a flag, `to` waits for it, and perhaps answers."""
        rng = self.rng
        first, turns, answers = self.flags, rng.randint(2, 4), rng.random() < 0.5
        self.flags += 2 * turns
        place = first % (self.ordered.length - 4)
        parts = {(who, when): self.in_turn(place) for who in (thread, to) for when in range(3)}
        for k in range(turns):
            def run(who, when):
                parts[who, when].run({"k": k}, self.touch(who, None))
            run(thread, 0)
            run(to, 0)
            self.happens_before(thread, to)
            run(thread, 1)
            run(to, 1)
            if answers:
                self.happens_before(to, thread)
            run(thread, 2)
            run(to, 2)
        steps = {thread: [self.set_flag(f"{first} + 2 * k"), self.wait_for_flag(f"{first + 1} + 2 * k")],
                 to: [self.wait_for_flag(f"{first} + 2 * k"), self.set_flag(f"{first + 1} + 2 * k")]}
        for who, (one, two) in steps.items():
            lines = []
            for when, line in enumerate([one, two if answers else "", ""]):
                parts[who, when].emit(lines, "    ")
                lines.append("    " + line)
            self.code[who] += ["  {", "  SUMS;", f"  for (long k = 0; k < {self.number(turns)}; ++k) {{", *lines, "  }",
                               f"  KEEP({who});", "  }"]

    def in_turn(self, place):
        """Accesses of one place, or of one after the other, in some iterations or in all."""
        rng, body = self.rng, []
        for _ in range(rng.randint(0, 2)):
            index = rng.choice([str(place), str(place), f"{place} + k"])
            each = Access(self.ordered, index, None, self.kind(True), "s + 1")
            body.append(If(f"(k & 1) == {rng.randint(0, 1)}", Group([each])) if rng.random() < 0.3 else each)
        return Group(body)

    def flag(self, thread, to):
        """One thread sets it, one waits for it."""
        rng = self.rng
        k = self.flags
        self.flags += 1
        place = k % self.ordered.length
        self.around_flag(thread, place)
        self.around_flag(to, place)
        self.happens_before(thread, to)
        self.code[thread].append("  " + self.set_flag(k))
        self.code[to].append("  " + self.wait_for_flag(k))
        self.around_flag(thread, place)
        self.around_flag(to, place)

    def interval_by_locks(self):
        rng = self.rng
        arrays = list(self.arrays)
        rng.shuffle(arrays)
        own = {thread: [arrays.pop()] for thread in range(self.threads)}
        locks = [rng.choice([None, 0, 1, 1, 2]) for _ in range(self.threads)]
        for thread in range(self.threads):
            mine = [(each, (0, each.length), True) for each in own[thread]]
            common = [(each, (0, each.length), rng.random() < 0.4) for each in rng.sample(arrays, 3)]
            if rng.random() < 0.6:
                self.block(thread, mine, None)
            if locks[thread] is None:
                self.block(thread, common, None)
                continue
            self.code[thread].append(f"  pthread_mutex_lock(&mutexes[{locks[thread]}]);")
            for _ in range(rng.randint(1, 2)):
                self.block(thread, common + mine, locks[thread])
            self.code[thread].append(f"  pthread_mutex_unlock(&mutexes[{locks[thread]}]);")
            if rng.random() < 0.6:
                self.block(thread, mine, None)

    # --- The whole.

    def text(self):
        out = [PROLOGUE]
        out += [each.declaration() for each in self.arrays]
        out.append(f"long in_[] = {{{', '.join(map(str, self.inputs + [0]))}}};")
        out.append(f"int idx[] = {{{', '.join(map(str, self.idx))}}};")
        out.append(f"int small[] = {{{', '.join(map(str, self.small))}}};")
        out.append(f"int order_of[] = {{{', '.join(map(str, self.order))}}};")
        for each in self.functions:
            each.emit(out)
        out += self.blocks
        for thread, lines in enumerate(self.code):
            out += [f"static void* thread{thread}(void* unused) {{", "  (void)unused;", *lines, "  return NULL;", "}"]
        out += ["int main(void) {"]
        for each in self.arrays:
            if each.where == "heap":
                out.append(f"  {each.name} = aligned_alloc(64, (sizeof({each.ctype}) * {each.length} + 63) / 64 * 64);")
            out.append(f"  memset({each.name}, 0, sizeof({each.ctype}) * {each.length});")
            out.append(f'  printf("{each.name} %p\\n", (void*){each.name});')
            if each.element == "struct node":
                out.append(f"  for (int i = 0; i < {each.length}; ++i) {each.name}[i].next = &{each.name}[order_of[i]];")
        out.append(f"  pthread_barrier_init(&barrier, NULL, {self.threads});")
        out.append(f"  pthread_t t[{self.threads}];")
        for thread in range(self.threads):
            out.append(f"  pthread_create(&t[{thread}], NULL, thread{thread}, NULL);")
        out.append(f"  for (int i = 0; i < {self.threads}; ++i) pthread_join(t[i], NULL);")
        out += ['  printf("done\\n");', "  return 0;", "}"]
        return "\n".join(out) + "\n"
