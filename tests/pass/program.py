"""Random C programs of several threads, with the bytes that have races in them.

A program is written as a tree of statements; each of them can be printed as C, and can be run here, which
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

# name: C type, bytes from one to the next, bytes that an access touches, sum to which it is added
TYPES = {
    "c": ("char", 1, 1, "s"),
    "h": ("short", 2, 2, "s"),
    "i": ("int", 4, 4, "s"),
    "l": ("long", 8, 8, "s"),
    "f": ("float", 4, 4, "t"),
    "d": ("double", 8, 8, "t"),
    "x": ("long double", 16, 10, "u"),
    "v": ("v4i", 16, 16, "v"),
    "w": ("v8f", 32, 32, "w"),
}
WIDE = ["x", "v", "w"]  # that the compiler's own pass leaves out
# name: size, fields (name, type, offset, how many)
STRUCTS = {
    "struct plain": (48, [("a", "c", 0, 1), ("b", "h", 2, 1), ("c", "i", 4, 1), ("d", "l", 8, 1),
                          ("e", "f", 16, 1), ("f", "d", 24, 1), ("g", "c", 32, 5), ("h", "i", 40, 2)]),
    "struct tight": (15, [("a", "c", 0, 1), ("b", "i", 1, 1), ("c", "h", 5, 1), ("d", "l", 7, 1)]),
    "struct three": (12, [("x", "f", 0, 1), ("y", "f", 4, 1), ("z", "f", 8, 1)]),
    "struct node": (32, [("next", "l", 0, 1), ("v", "l", 8, 1), ("w", "i", 16, 1), ("k", "c", 20, 1)]),
}
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


class Leave(Exception):
    """break, continue or return, while a statement is run here."""

    def __init__(self, what):
        self.what = what


_compiled = {}


def value(text, env):
    code = _compiled.get(text)
    if code is None:
        code = _compiled[text] = compile(text, text, "eval")
    return int(eval(code, {"__builtins__": {}}, env))  # texts are made here only


class Array:
    """A variable of the program: an array of numbers, vectors or structs."""

    def __init__(self, name, element, length, where):
        self.name, self.element, self.length, self.where = name, element, length, where
        self.ctype, self.stride = (element, STRUCTS[element][0]) if element in STRUCTS else TYPES[element][:2]

    def declaration(self):
        if self.where == "heap":
            return f"{self.ctype}* {self.name};"
        return f"{'static ' if self.where == 'static' else ''}{self.ctype} {self.name}[{self.length}];"


class Access:
    """One element, or a field of one: read, written, or both. `of` is an Array, or a parameter's name."""

    def __init__(self, of, index, field, kind, text="", how="plain"):
        self.of, self.index, self.field, self.kind, self.how = of, index, field, kind, how
        self.amount = text

    def place(self):
        name = self.of if isinstance(self.of, str) else self.of.name
        text = f"{name}[{self.index}]"
        if self.field:
            text += f".{self.field[0]}" + (f"[{self.field[4]}]" if self.field[3] > 1 else "")
        return text

    def emit(self, out, indent):
        element = self.field[1] if self.field else self.element()
        ctype, sum_ = TYPES[element][0], TYPES[element][3]
        place = self.place()
        number = f"({ctype})({self.amount})" if element not in ("v", "w") else f"({ctype}){{{self.amount}}} + {sum_}"
        if self.how == "relaxed":
            line = {"r": f"s += __atomic_load_n(&{place}, __ATOMIC_RELAXED);",
                    "w": f"__atomic_store_n(&{place}, {number}, __ATOMIC_RELAXED);",
                    "rw": f"__atomic_fetch_add(&{place}, 1, __ATOMIC_RELAXED);"}[self.kind]
        elif self.how == "volatile":
            line = {"r": f"{sum_} += *(volatile {ctype}*)&{place};",
                    "w": f"*(volatile {ctype}*)&{place} = {number};",
                    "rw": f"*(volatile {ctype}*)&{place} += 1;"}[self.kind]
        else:
            line = {"r": f"{sum_} += {place};", "w": f"{place} = {number};", "rw": f"{place} += 1;"}[self.kind]
        out.append(indent + line)

    def element(self):
        return self.array_element if isinstance(self.of, str) else self.of.element

    def run(self, env, touch):
        array, start = env[self.of] if isinstance(self.of, str) else (self.of, 0)
        index = value(self.index, env) + start
        assert 0 <= index < array.length, (self.place(), index, array.length)
        at = index * array.stride
        if self.field:
            _, element, offset, count, which = self.field
            at += offset + (which * TYPES[element][1] if count > 1 else 0)
        else:
            element = array.element
        touch(array, at, at + TYPES[element][2], "w" in self.kind, self.how == "relaxed")
        if self.kind == "rw" and self.how != "relaxed":
            touch(array, at, at + TYPES[element][2], False, False)


class Group:
    """Statements of one line, or of one each."""

    def __init__(self, body, one_line=False):
        self.body, self.one_line = body, one_line

    def emit(self, out, indent):
        lines = []
        for each in self.body:
            each.emit(lines, "" if self.one_line else indent)
        if self.one_line and not any("\n" in each for each in lines):
            out.append(indent + " ".join(lines))
        else:
            out.extend(lines)

    def run(self, env, touch):
        for each in self.body:
            each.run(env, touch)


class Loop:
    """for (TYPE v = begin; condition; v = next) body; or as while. A switch in it leaves it by its label."""

    def __init__(self, ctype, name, begin, condition, following, body, form="for"):
        self.ctype, self.name, self.begin, self.condition = ctype, name, begin, condition
        self.following, self.body, self.form = following, body, form

    def emit(self, out, indent):
        start = f"{self.ctype} {self.name} = {self.begin}"
        if self.form == "for":
            out.append(f"{indent}for ({start}; {self.condition}; {self.name} = {self.following}) {{")
            self.body.emit(out, indent + "  ")
            out.append(indent + "}")
        else:
            out.append(f"{indent}{{ {start};")
            out.append(f"{indent}while ({self.condition}) {{")
            self.body.emit(out, indent + "  ")
            out.append(f"{indent}  {self.name} = {self.following};")
            out.append(indent + "} }")
        if any(f"goto after_{self.name};" in each for each in out):
            out.append(f"{indent}after_{self.name}:;")

    def run(self, env, touch):
        env = dict(env)
        env[self.name] = value(self.begin, env)
        turns = 0
        while value(self.condition, env):
            turns += 1
            assert turns < 10000, self.condition
            try:
                self.body.run(env, touch)
            except Leave as leave:
                if leave.what == "break":
                    return
                if leave.what != "continue":
                    raise
            env[self.name] = value(self.following, env)


class If:
    def __init__(self, condition, body, other=None):
        self.condition, self.body, self.other = condition, body, other

    def emit(self, out, indent):
        out.append(f"{indent}if ({self.condition}) {{")
        self.body.emit(out, indent + "  ")
        if self.other:
            out.append(indent + "} else {")
            self.other.emit(out, indent + "  ")
        out.append(indent + "}")

    def run(self, env, touch):
        if value(self.condition, env):
            self.body.run(env, touch)
        elif self.other:
            self.other.run(env, touch)


class Jump:
    """break, continue, return (to the function's end)."""

    def __init__(self, what):
        self.what = what

    def emit(self, out, indent):
        out.append(indent + ("goto out;" if self.what == "return" else self.what + ";"))

    def run(self, env, touch):
        raise Leave(self.what)


class Switch:
    """Leaves the loop of `name` where it has one of these values."""

    def __init__(self, name, values):
        self.name, self.values = name, values

    def emit(self, out, indent):
        cases = " ".join(f"case {each}:" for each in self.values)
        out.append(f"{indent}switch ({self.name}) {{ {cases} goto after_{self.name}; }}")

    def run(self, env, touch):
        if env[self.name] in self.values:
            raise Leave("break")


class Walk:
    """A pointer that goes through an array."""

    def __init__(self, array, begin, end, step, kind, backwards):
        self.array, self.begin, self.end, self.step = array, begin, end, step
        self.kind, self.backwards = kind, backwards

    def emit(self, out, indent):
        name, ctype = self.array.name, self.array.ctype
        sum_ = TYPES[self.array.element][3]
        line = {"r": f"{sum_} += *p;", "w": f"*p = ({ctype})s;", "rw": "*p += 1;"}[self.kind]
        if self.backwards:
            head = f"for ({ctype}* p = {name} + ({self.end}); p > {name} + ({self.begin});)"
            out.append(f"{indent}{head} {{ p -= {self.step}; {line} }}")
        else:
            head = f"for ({ctype}* p = {name} + ({self.begin}); p != {name} + ({self.end}); p += {self.step})"
            out.append(f"{indent}{head} {{ {line} }}")

    def run(self, env, touch):
        begin, end = value(self.begin, env), value(self.end, env)
        assert (end - begin) % self.step == 0 and 0 <= begin <= end <= self.array.length
        for index in range(begin, end, self.step):
            at = index * self.array.stride
            touch(self.array, at, at + TYPES[self.array.element][2], "w" in self.kind, False)
            if self.kind == "rw":
                touch(self.array, at, at + TYPES[self.array.element][2], False, False)


class Chase:
    """From node to node; `table` has the numbers of the nodes in that order."""

    def __init__(self, array, first, count, kind, order):
        self.array, self.first, self.count, self.kind, self.order = array, first, count, kind, order

    def emit(self, out, indent):
        line = {"r": "s += n->v;", "w": "n->w = (int)s;", "rw": "n->v += 2;"}[self.kind]
        out.append(f"{indent}{{ struct node* n = &{self.array.name}[{self.first}];")
        out.append(f"{indent}  for (long k = 0; k < {self.count}; ++k) {{ {line} n = n->next; }} }}")

    def run(self, env, touch):
        node = value(self.first, env)
        for _ in range(value(self.count, env)):
            low, high = {"r": (8, 16), "w": (16, 20), "rw": (8, 16)}[self.kind]
            touch(self.array, node * 32 + low, node * 32 + high, "w" in self.kind, False)
            touch(self.array, node * 32, node * 32 + 8, False, False)
            node = self.order[node]


class Bytes:
    """memcpy, memmove, memset of whole elements."""

    def __init__(self, to, at, source, source_at, length, function):
        self.to, self.at, self.source, self.source_at = to, at, source, source_at
        self.length, self.function = length, function

    def emit(self, out, indent):
        if self.function == "=":
            out.append(f"{indent}{self.to.name}[{self.at}] = {self.source.name}[{self.source_at}];")
            return
        size = f"({self.length}) * sizeof({self.to.name}[0])"
        if self.function == "memset":
            out.append(f"{indent}memset(&{self.to.name}[{self.at}], (int)s, {size});")
        else:
            out.append(f"{indent}{self.function}(&{self.to.name}[{self.at}], "
                       f"&{self.source.name}[{self.source_at}], {size});")

    def run(self, env, touch):
        size = value(self.length, env) * self.to.stride
        for array, start, writes in ((self.source, self.source_at, False), (self.to, self.at, True)):
            if array is None or size == 0:
                continue
            at = value(start, env) * array.stride
            assert at + size <= array.length * array.stride
            touch(array, at, at + size, writes, False)


class Compute:
    """to[i] = f(from[j])"""

    def __init__(self, to, index, source, source_index, function):
        self.parts = (Access(source, source_index, None, "r"), Access(to, index, None, "w"))
        self.function = function

    def emit(self, out, indent):
        source, to = (each.place() for each in self.parts)
        out.append(f"{indent}{to} = {self.function}({source});")

    def run(self, env, touch):
        for each in self.parts:
            each.run(env, touch)


class Call:
    """A function of a pointer and numbers."""

    def __init__(self, function, array, start, numbers):
        self.function, self.array, self.start, self.numbers = function, array, start, numbers

    def emit(self, out, indent):
        name = self.array.name
        arguments = ", ".join([f"{name} + ({self.start})", *self.numbers])
        out.append(f"{indent}s += {self.function.name}({arguments});")

    def run(self, env, touch):
        inner = {"idx": env["idx"], "small": env["small"], "in_": env["in_"], "p": (self.array, value(self.start, env))}
        for name, each in zip(self.function.parameters, self.numbers):
            inner[name] = value(each, env)
        try:
            self.function.body.run(inner, touch)
        except Leave as leave:
            assert leave.what == "return"


class Function:
    """long name(T* p, long n, long m): reads or writes of p."""

    def __init__(self, name, array, parameters, body, attribute):
        self.name, self.ctype, self.parameters = name, array.ctype, parameters
        self.body, self.attribute = body, attribute

    def emit(self, out, indent=""):
        parameters = ", ".join([f"{self.ctype}* p", *(f"long {each}" for each in self.parameters)])
        out.append(f"{self.attribute} static long {self.name}({parameters}) {{")
        out.append("  SUMS;")
        self.body.emit(out, "  ")
        out.append("  goto out;\nout:")
        out.append("  return s + (long)t + (long)u + v[0] + v[1] + v[2] + v[3] + (long)(w[0] + w[1] + w[2] + w[3]"
                   " + w[4] + w[5] + w[6] + w[7]);\n}")


class Program:
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
        return self.rng.choice([
            f"set_flag({k});", f"__atomic_store_n(&flags[{k}], 1, __ATOMIC_RELEASE);",
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

    # --- Code.

    def number(self, n):
        """The number as a text: plain, or hidden from the compiler."""
        if self.rng.random() < 0.5:
            return str(n)
        self.inputs.append(n)
        return f"in_[{len(self.inputs) - 1}]"

    def name(self):
        self.fresh += 1
        return f"i{self.fresh}"

    def block(self, thread, choice, lock):
        """A few statements of one thread, in line or as a function; choice: (array, window, may it write)."""
        rng = self.rng
        choice = [(array, window, writes) for array, window, writes in choice if window[0] < window[1]]
        if not choice:
            return
        self.thread = thread
        body = Group([self.statement(choice) for _ in range(rng.randint(1, 4))])
        env = {"idx": self.idx, "small": self.small, "in_": self.inputs}
        try:
            body.run(env, self.touch(thread, lock))
        except Leave as leave:
            assert leave.what == "return"
        lines = []
        body.emit(lines, "  ")
        uses_return = any("goto out" in each for each in lines)
        if rng.random() < 0.5 or uses_return:
            name = f"part{self.parts}"
            self.parts += 1
            attribute = rng.choice(["__attribute__((noinline))", "inline", ""])
            self.blocks += [f"{attribute} static void {name}(int me) {{", "  SUMS;", *lines,
                            "  goto out;\nout:", "  KEEP(me);", "}"]
            self.code[thread].append(f"  {name}({thread});")
        else:
            self.code[thread] += ["  {", "  SUMS;", *lines, f"  KEEP({thread});", "  }"]

    def kind(self, writes):
        return self.rng.choice(["r", "w", "w", "rw"]) if writes else "r"

    def access(self, array, index, writes, of=None):
        rng = self.rng
        field = None
        if array.element in STRUCTS:
            fields = STRUCTS[array.element][1]
            if array.element == "struct node":
                fields = fields[1:]
            if self.modes.get(array) == "fields" and rng.random() < 0.97:
                fields = fields[self.thread % len(fields)::self.threads] or fields[:1]
            field = rng.choice(fields)
            field = (*field, rng.randrange(field[3]))
        how = "plain"
        element = field[1] if field else array.element
        if array is self.atomics and of is None:
            how = rng.choice(["relaxed", "relaxed", "relaxed", "plain"])
        elif rng.random() < 0.05 and element not in WIDE and array.element != "struct tight":
            how = "volatile"
        amount = rng.choice(["0", "7", "s + 3", "s"])
        made = Access(of or array, index, field, self.kind(writes), amount, how)
        made.array_element = array.element
        return made

    def accesses(self, array, index, writes, of=None):
        """One, or several of one element."""
        rng = self.rng
        count = rng.choice([1, 1, 2, 4]) if array.element in STRUCTS else 1
        return Group([self.access(array, index, writes, of) for _ in range(count)], rng.random() < 0.5)

    def statement(self, choice):
        rng = self.rng
        array, (low, high), writes = rng.choice(choice)
        pick = rng.random()
        if self.modes.get(array) == "elements":
            return self.every(array, writes)
        if array.element == "struct node" and array not in self.modes and low == 0 and high == 12 and pick < 0.7:
            return Chase(array, self.number(rng.randrange(12)), self.number(rng.randint(0, 9)),
                         self.kind(writes), self.order)
        if pick < 0.10:
            return self.accesses(array, self.number(rng.randint(low, high - 1)), writes)
        if pick < 0.16:
            return self.neighbours(array, low, high, writes)
        if pick < 0.24 and writes and array is not self.atomics and array not in self.modes:
            return self.bytes_(array, low, high, choice)
        if pick < 0.32 and array.element not in STRUCTS and array.element not in ("v", "w"):
            step = rng.choice([1, 1, 2, 3])
            count = rng.randint(0, (high - low) // step)
            return Walk(array, self.number(low), self.number(low + count * step), step,
                        self.kind(writes), rng.random() < 0.4)
        if pick < 0.40 and array.element in ("d", "f"):
            return self.compute(array, low, high, choice)
        if pick < 0.52:
            return self.call(array, low, high, writes)
        if pick < 0.58:
            condition = f"{self.number(rng.randint(0, 3))} < {self.number(rng.randint(0, 3))}"
            return If(condition, self.loop(array, low, high, writes, choice), self.loop(array, low, high, writes, choice))
        return self.loop(array, low, high, writes, choice)

    def every(self, array, writes):
        """Every so manieth element, from this thread's first on."""
        rng = self.rng
        i, step = self.name(), self.threads
        first = self.thread if rng.random() < 0.97 else (self.thread + 1) % step
        count = rng.randint(0, (array.length - first + step - 1) // step)
        if rng.random() < 0.5:
            return Loop(rng.choice(["long", "int"]), i, str(first), f"{i} < {self.number(array.length)}", f"{i} + {step}",
                        Group([self.accesses(array, i, writes)]))
        return Loop(rng.choice(["long", "int"]), i, "0", f"{i} < {self.number(count)}", f"{i} + 1",
                    Group([self.accesses(array, f"{i} * {step} + {first}", writes)]))

    def neighbours(self, array, low, high, writes):
        """a[k], a[k + 1], ... as an unrolled loop has them."""
        rng = self.rng
        count = min(high - low, rng.choice([2, 3, 4, 8]))
        at = self.number(rng.randint(low, high - count))
        kind = self.kind(writes)
        parts = [self.access(array, f"{at} + {k}", writes) for k in range(count)]
        for each in parts:
            each.kind = kind
        rng.shuffle(parts)
        return Group(parts, rng.random() < 0.6)

    def bytes_(self, array, low, high, choice):
        rng = self.rng
        if array.element in STRUCTS and array.element != "struct node" and rng.random() < 0.5 and high - low > 1:
            one, other = rng.sample(range(low, high), 2)
            return Bytes(array, self.number(one), array, self.number(other), "1", "=")
        function = rng.choice(["memset", "memcpy", "memmove"])
        sources = [(a, w) for a, w, _ in choice if a.stride == array.stride and a not in (array, self.atomics)
                   and a not in self.modes]
        if not sources or array.element == "struct node":
            function = "memset"
        if array.element == "struct node":
            return self.access(array, self.number(low), True)
        if function == "memset":
            length = rng.randint(0, min(high - low, 9))
            return Bytes(array, self.number(rng.randint(low, high - length)), None, None, self.number(length), function)
        source, (s_low, s_high) = rng.choice(sources)
        length = rng.randint(0, min(high - low, s_high - s_low, 9))
        return Bytes(array, self.number(rng.randint(low, high - length)), source,
                     self.number(rng.randint(s_low, s_high - length)), self.number(length), function)

    def compute(self, array, low, high, choice):
        rng = self.rng
        to = [(a, w) for a, w, writes in choice if writes and a.element == array.element and a not in self.modes]
        if not to:
            return self.loop(array, low, high, False, choice)
        target, (t_low, t_high) = rng.choice(to)
        count = rng.randint(0, min(high - low, t_high - t_low))
        i = self.name()
        function = rng.choice(["sin", "exp", "floor", "sqrt", "log"]) + ("f" if array.element == "f" else "")
        body = Compute(target, f"{self.number(t_low)} + {i}", array, f"{self.number(low)} + {i}", function)
        return Loop("long", i, "0", f"{i} < {self.number(count)}", f"{i} + 1", Group([body]))

    def call(self, array, low, high, writes):
        """Of a new function that walks through what it is given."""
        rng = self.rng
        i = self.name()
        length = high - low
        body = [Loop("long", i, "0", f"{i} < n", f"{i} + m",
                     Group([self.accesses(array, i, writes, "p"), *self.jump(i, length, True)]))]
        function = Function(f"help{len(self.functions)}", array, ["n", "m"], Group(body),
                            rng.choice(["__attribute__((noinline))", "inline", ""]))
        self.functions.append(function)
        return Call(function, array, self.number(low), [self.number(rng.randint(0, length)), self.number(rng.randint(1, 3))])

    def jump(self, i, count, may_return):
        rng = self.rng
        if rng.random() > 0.25:
            return []
        what = rng.choice(["break", "continue", "switch"] + (["return"] if may_return else []))
        if what == "switch":
            return [Switch(i, sorted({rng.randint(0, count + 2) for _ in range(rng.randint(1, 4))}))]
        if what == "continue":
            return [If(f"({i} & 1) == {rng.randint(0, 1)}", Jump(what))]
        return [If(f"{i} == {self.number(rng.randint(0, count + 2))}", Jump(what))]

    def loop(self, array, low, high, writes, choice, depth=0):
        """Over the window, or a part of it, in one of many ways."""
        rng = self.rng
        i = self.name()
        length = high - low
        form = rng.choice(["up", "up", "strided", "down", "table", "down_strided", "nested", "fixed", "variable",
                           "triangle", "unrolled", "columns", "offsets", "until", "together", "again"])
        if array is self.atomics and form in ("nested", "triangle"):
            form = "up"
        if depth > 0 and form == "again":
            form = "up"
        n = rng.randint(0, length)
        if form == "up":
            index = rng.choice([f"{self.number(low)} + {i}", f"{i} + {low}"])
            head = [rng.choice(["long", "int", "unsigned"]), i, "0", f"{i} < {self.number(n)}", f"{i} + 1"]
            count = n
        elif form == "strided":
            step = rng.randint(2, 4)
            count = rng.randint(0, (length + step - 1) // step)
            index = f"{self.number(low)} + {i} * {step}"
            head = [rng.choice(["long", "int"]), i, "0", f"{i} < {self.number(count)}", f"{i} + 1"]
        elif form == "variable":
            step = rng.randint(1, 4)
            self.inputs.append(step)
            stop = rng.randint(low, high)
            index, count = i, high
            head = ["long", i, str(low), f"{i} < {self.number(stop)}", f"{i} + in_[{len(self.inputs) - 1}]"]
        elif form == "down":
            index, count = i, high
            head = [rng.choice(["long", "int"]), i, self.number(high - 1), f"{i} >= {self.number(high - n)}", f"{i} - 1"]
        elif form == "down_strided":
            index, count = i, high
            head = ["long", i, self.number(high - 1), f"{i} >= {self.number(high - n)}", f"{i} - {rng.randint(2, 4)}"]
        elif form == "table":
            # idx is a permutation of 0..47: only those that are in the window
            inside = f"{low} <= idx[{i}]", f"idx[{i}] < {high}"
            body = If(f"({inside[0]}) & ({inside[1]})", self.accesses(array, f"idx[{i}]", writes))
            return Loop("long", i, "0", f"{i} < {self.number(rng.randint(0, 48))}", f"{i} + 1", Group([body]))
        elif form == "nested":
            wide = rng.randint(1, 4)
            rows = length // wide
            j = self.name()
            inner = Loop("long", j, "0", f"{j} < {self.number(wide)}", f"{j} + 1",
                         Group([self.accesses(array, f"{low} + {i} * {wide} + {j}", writes), *self.jump(j, wide, False)]))
            return Loop("long", i, "0", f"{i} < {self.number(rows)}", f"{i} + 1", Group([inner, *self.jump(i, rows, True)]))
        elif form == "columns":
            wide = rng.randint(1, 5)
            rows = length // wide
            j = self.name()
            inner = Loop(rng.choice(["long", "int"]), j, "0", f"{j} < {self.number(rows)}", f"{j} + 1",
                         Group([self.accesses(array, f"{low} + {j} * {wide} + {i}", writes), *self.jump(j, rows, True)]))
            return Loop("long", i, "0", f"{i} < {self.number(rng.randint(0, wide))}", f"{i} + 1", Group([inner]))
        elif form == "offsets":
            j, width = self.name(), rng.randint(1, 6)
            if length < 6:
                return self.accesses(array, f"{low}", writes)
            inner = Loop("long", j, "0", f"{j} < {rng.choice([str(width), self.number(width)])}", f"{j} + 1",
                         Group([self.accesses(array, f"{low} + {i} + small[{j}]", writes)]))
            return Loop("long", i, "0", f"{i} < {self.number(rng.randint(0, length - 5))}", f"{i} + 1", Group([inner]))
        elif form == "until":
            last = rng.randint(0, min(length, 47))
            body = [self.accesses(array, f"{self.number(low)} + {i}", writes), *self.jump(i, last, True)]
            form = "while" if len(body) == 1 else "for"
            return Loop("long", i, "0", f"idx[{i}] != {self.number(self.idx[last])}", f"{i} + 1", Group(body), form)
        elif form == "together":
            others = [each for each in choice if self.modes.get(each[0]) != "elements"]
            others = [(array, (low, high), writes)] + rng.sample(others, min(len(others), rng.randint(1, 2)))
            least = min(end - begin for _, (begin, end), _ in others)
            body = [self.accesses(a, f"{begin} + {i}", w) for a, (begin, _), w in others]
            return Loop(rng.choice(["long", "int", "unsigned"]), i, "0", f"{i} < {self.number(rng.randint(0, least))}",
                        f"{i} + 1", Group(body))
        elif form == "again":
            inner = self.loop(array, low, high, writes, choice, depth + 1)
            return Loop("long", i, "0", f"{i} < {self.number(rng.randint(0, 3))}", f"{i} + 1", Group([inner]))
        elif form == "triangle":
            j = self.name()
            inner = Loop(rng.choice(["long", "int"]), j, "0", f"{j} < {i}", f"{j} + 1", self.accesses(array, f"{low} + {j}", writes))
            return Loop("long", i, "0", f"{i} <= {self.number(min(n, 8))}", f"{i} + 1", Group([inner]))
        elif form == "unrolled":
            apart = rng.choice([2, 3, 4])
            rounds = length // apart
            kind, parts = self.kind(writes), []
            for k in range(apart):
                parts.append(self.access(array, f"{self.number(low)} + {i} * {apart} + {k}", writes))
                parts[-1].kind = kind
            return Loop("long", i, "0", f"{i} < {self.number(rounds)}", f"{i} + 1", Group(parts, True))
        else:
            index, count = self.number(rng.randint(low, high - 1)), n
            head = ["long", i, "0", f"{i} < {self.number(n)}", f"{i} + 1"]
        return self.around(array, index, writes, head, i, count, choice)

    def around(self, array, index, writes, head, i, count, choice):
        rng = self.rng
        body = [self.accesses(array, index, writes)]
        pick = rng.random()
        if pick < 0.2:  # only sometimes
            body = [If(f"({i} & {rng.choice([1, 2, 3])}) == {rng.randint(0, 1)}", body[0])]
        elif pick < 0.3:
            body.append(self.accesses(array, index, writes))
        elif pick < 0.4:  # something else as well, at one place
            other, (low, high), other_writes = rng.choice(
                [each for each in choice if self.modes.get(each[0]) != "elements"])
            body.append(self.accesses(other, self.number(rng.randint(low, high - 1)), other_writes))
        jump = self.jump(i, count, True)
        form = "for"
        if not any(isinstance(each, If) and each.body.what == "continue" for each in jump):
            form = rng.choice(["for", "for", "while"])
        if rng.random() < 0.5:
            body = jump + body
        else:
            body = body + jump
        return Loop(*head, Group(body), form)

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
