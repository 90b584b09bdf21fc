"""Random C++ programs that synchronise everywhere: locks, atomics, exceptions and jumps in loops, loops in critical sections.

The threads take turns in an order that nobody but they can see: a turn begins when a variable has its number, and the functions that
look at it are not instrumented. So each operation has one place in time, and it is known which accesses are ordered by locks, flags and
fences, and which by nothing. Between two turns everything is left to the compiler and to the pass.

Each array belongs to a lock, to a thread, or to nobody, and then it is only read. In half of the programs all threads keep to that,
and there is no race; in the others they sometimes do not, and it is for the flags and the other locks to order what they do, or not.
"""
import random

from statements import TYPES, Access, Array, Bytes, Group, If, Jump, Loop
from sync_clocks import Clocks
from sync_statements import CallHelper, DoLoop, Flag, Helper, Leap, Locked, Return, Throw, Try

PROLOGUE = """#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))
static int turn_now;
UNSEEN static void begin_turn(int turn) { while (__atomic_load_n(&turn_now, __ATOMIC_ACQUIRE) != turn) sched_yield(); }
UNSEEN static void end_turn(int turn) { __atomic_store_n(&turn_now, turn + 1, __ATOMIC_RELEASE); }
struct Guard {
  explicit Guard(pthread_mutex_t* of) : mutex(of) { pthread_mutex_lock(mutex); }
  ~Guard() { pthread_mutex_unlock(mutex); }
  pthread_mutex_t* mutex;
};
struct ReadGuard {
  explicit ReadGuard(pthread_rwlock_t* of) : lock(of) { pthread_rwlock_rdlock(lock); }
  ~ReadGuard() { pthread_rwlock_unlock(lock); }
  pthread_rwlock_t* lock;
};
struct WriteGuard {
  explicit WriteGuard(pthread_rwlock_t* of) : lock(of) { pthread_rwlock_wrlock(lock); }
  ~WriteGuard() { pthread_rwlock_unlock(lock); }
  pthread_rwlock_t* lock;
};
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int flags[8];
struct Sums { long s; double t; long pad[6]; };
static Sums sums_of[8];
#define SUMS long s = 1; double t = 0; (void)t
#define KEEP(me) (sums_of[me].s += s, sums_of[me].t += t)
__attribute__((noinline)) static void set_flag(int k) { __atomic_store_n(&flags[k], 1, __ATOMIC_RELEASE); }
__attribute__((noinline, noreturn)) static void leap(jmp_buf back) { longjmp(back, 1); }
"""
LOCKS = ["m0", "m1", "rw"]
MOST = 9       # iterations of a loop
LONGEST = 6000  # accesses of a program
LENGTH = 24    # of an array, at least


class Place:
    """Where a statement is made: what is held, what it may do, which variables there are (by their greatest value)."""

    def __init__(self, **what):
        self.__dict__.update(what)

    def but(self, **what):
        return Place(**{**self.__dict__, **what})


class TooLong(Exception):
    pass


def make(seed):
    """The first program of this seed that is not too long."""
    rng = random.Random(seed)
    while True:
        try:
            return SyncProgram(rng)
        except TooLong:
            pass


class SyncProgram:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.threads = rng.randint(2, 3)
        self.strays = rng.choice([0, 0, 0.03, 0.1])  # how often an access is of any array
        self.inputs = []
        self.idx = list(range(16))
        rng.shuffle(self.idx)
        self.fresh = 0
        self.helpers = []
        self.arrays, self.owner = [], {}
        owners = [*LOCKS, *LOCKS, "nobody", *(f"thread {t}" for t in range(self.threads))]
        for k, owner in enumerate(owners):
            element = rng.choice(["l", "l", "i", "c", "d", "h", "f"])
            array = Array(f"a{k}", element, rng.choice([LENGTH, LENGTH + 7, 40]), rng.choice(["static", "global", "heap"]))
            self.arrays.append(array)
            self.owner[array] = owner
        for _ in range(rng.randint(1, 4)):
            self.make_helper()
        self.turns = []                               # (thread, body, attribute, counts)
        for _ in range(rng.randint(4, 9)):
            thread = rng.randrange(self.threads)
            place = Place(held={}, thread=thread, throws=False, returns=False, breaks=False, depth=0, vars={}, counts=["n", "m"],
                          parameter=None, free=True)
            body = Group([self.statement(place) for _ in range(rng.randint(1, 4))])
            attribute = rng.choice(["__attribute__((noinline))", "inline", ""])
            self.turns.append((thread, body, attribute, [self.hidden(rng.randint(0, MOST)) for _ in range(2)]))
        self.racy = self.run()
        self.sizes = {each.name: each.stride * each.length for each in self.arrays}

    def run(self):
        clocks = Clocks(self.threads)
        env = {"idx": self.idx, "in_": self.inputs, "clocks": clocks}
        made = 0

        def touch(*access):
            nonlocal made
            made += 1
            if made > LONGEST:
                raise TooLong
            clocks.touch(*access)

        for thread, body, _, counts in self.turns:
            clocks.now = thread
            body.run({**env, "n": eval(counts[0], {}, env), "m": eval(counts[1], {}, env)}, touch)
        return clocks.racy()

    # --- Numbers and names.

    def number(self, n):
        """As a text: plain, or hidden from the compiler."""
        if self.rng.random() < 0.4:
            return str(n)
        return self.hidden(n)

    def hidden(self, n):
        self.inputs.append(n)
        return f"in_[{len(self.inputs) - 1}]"

    def name(self):
        self.fresh += 1
        return f"i{self.fresh}"

    def condition(self, place):
        rng = self.rng
        if place.vars and rng.random() < 0.7:
            name = rng.choice(list(place.vars))
            return rng.choice([f"{name} == {self.number(rng.randint(0, MOST))}", f"({name} & {rng.choice([1, 2, 3])}) == 1"])
        return f"{self.number(rng.randint(0, 3))} < {self.number(rng.randint(0, 3))}"

    # --- Accesses.

    def is_writable(self, array, place):
        return self.owner[array] != "nobody" and place.held.get(self.owner[array]) != "read"

    def choice(self, place):
        """Arrays that may be accessed here."""
        if self.rng.random() < self.strays:
            return self.arrays
        mine = ["nobody", *place.held] + ([] if place.thread is None else [f"thread {place.thread}"])
        return [each for each in self.arrays if self.owner[each] in mine]

    def index(self, place):
        rng = self.rng
        if not place.vars or rng.random() < 0.15:
            return self.number(rng.randint(0, LENGTH - 1))
        name = rng.choice(list(place.vars))
        return rng.choice([name, name, f"{name} + {self.number(rng.randint(0, LENGTH - MOST - 1))}", f"{name} * 2",
                           f"idx[{name}]", f"{MOST} - {name}"])

    def access(self, place, index=None):
        rng = self.rng
        index = index or self.index(place)
        kind = rng.choice(["r", "r", "w", "rw"])
        if place.parameter is not None and rng.random() < 0.6:  # what it is given, it may write
            made = Access("p", index, None, rng.choice(["r", place.writes]), rng.choice(["0", "s"]))
            made.array_element = place.parameter
            return made
        array = rng.choice(self.choice(place))
        if not self.is_writable(array, place) and rng.random() >= self.strays:
            kind = "r"
        how = rng.choice(["plain"] * 14 + ["volatile"] + (["relaxed"] if array.element in "il" else []))
        return Access(array, index, None, kind, rng.choice(["0", "7", "s + 3"]), how)

    def accesses(self, place):
        return Group([self.access(place) for _ in range(self.rng.choice([1, 1, 2, 3]))], self.rng.random() < 0.3)

    def bytes_(self, place):
        arrays = [each for each in self.choice(place) if self.is_writable(each, place)]
        if not arrays:
            return self.accesses(place)
        length = self.rng.randint(0, 12)
        start = self.number(self.rng.randint(0, LENGTH - length))
        return Bytes(self.rng.choice(arrays), start, None, None, self.number(length), "memset")

    # --- Statements.

    def group(self, place, most=3):
        return Group([self.statement(place) for _ in range(self.rng.randint(1, most))])

    def statement(self, place):
        rng = self.rng
        deeper = place.but(depth=place.depth + 1)
        if place.depth >= 4 or len(place.vars) > 2:
            return self.accesses(place)
        made = rng.choice([self.accesses, self.accesses, self.bytes_, self.loop, self.loop, self.loop, self.locked, self.locked,
                           self.locked, self.between, self.between, self.flag, self.condition_, self.try_, self.leap, self.call, self.leave])
        return made(deeper)

    def loop(self, place, count=None):
        rng = self.rng
        i = self.name()
        count = count or rng.choice([*place.counts, *place.counts, self.number(rng.randint(0, MOST))])
        inside = place.but(vars={**place.vars, i: MOST}, breaks=True)
        body = self.accesses(inside) if rng.random() < 0.6 else self.group(inside)
        if rng.random() < 0.4:
            return DoLoop(i, count, body)
        return Loop(rng.choice(["long", "long", "int"]), i, "0", f"{i} < {count}", f"{i} + 1", body)

    def between(self, place):
        """A loop, a synchronisation, and a loop that is as long; each has an element for each turn, and one for all."""
        count = self.rng.choice(place.counts)
        if self.rng.random() < 0.3:
            return Group([self.even_loop(place, count), self.flag(place), self.even_loop(place, count)])
        return Group([self.even_loop(place, count), self.locked(place, count)])

    def even_loop(self, place, count):
        if self.rng.random() < 0.3:
            return self.loop(place, count)
        i = self.name()
        body = [self.access(place, i), self.access(place, self.number(self.rng.randint(0, LENGTH - 1)))]
        self.rng.shuffle(body)
        return DoLoop(i, count, Group(body[:self.rng.randint(1, 2)]))

    def locked(self, place, count=None):
        rng = self.rng
        locks = [each for each in LOCKS if each not in place.held and (place.free or each in place.takes)]
        if not locks:
            return self.accesses(place)
        name = rng.choice(locks)
        how = "mutex" if name != "rw" else rng.choice(["read", "write"])
        by_object = rng.random() < 0.5
        inside = place.but(held={**place.held, name: how})
        if not by_object:  # nothing may leave it
            inside = inside.but(throws=False, returns=False, breaks=False)
        if count is not None:
            body = Group([self.even_loop(inside, count), *([self.accesses(inside)] if rng.random() < 0.5 else [])])
        else:
            body = self.group(inside)
        return Locked(name, how, body, by_object)

    def flag(self, place):
        return Flag(self.rng.randrange(4), self.rng.choice(list(Flag.TEXTS)))

    def condition_(self, place):
        return If(self.condition(place), self.group(place, 2), self.group(place, 2) if self.rng.random() < 0.4 else None)

    def try_(self, place):
        inside = place.but(throws=True)
        body = Group([self.statement(inside), Throw(self.condition(inside)), self.statement(inside)])
        return Try(body, self.group(place, 2))

    def leap(self, place):
        plain = place.but(throws=False, returns=False, breaks=False)
        return Leap(self.group(plain, 2), self.condition(plain), self.group(plain, 2), self.group(plain, 2))

    def leave(self, place):
        if place.breaks and self.rng.random() < 0.5:
            return If(self.condition(place), Jump(self.rng.choice(["break", "continue"])))
        if place.throws:
            return Throw(self.condition(place))
        if place.returns:
            return Return(self.condition(place))
        return self.accesses(place)

    def call(self, place):
        rng = self.rng
        known = [each for each in self.helpers if (place.throws or not each.throws) and not each.takes & set(place.held)]
        choices = [(helper, array) for helper in known for array in self.choice(place)
                   if array.ctype == helper.ctype and (helper.reads_only or self.is_writable(array, place))]
        if not choices or not place.free:
            return self.accesses(place)
        helper, array = rng.choice(choices)
        counts = [*place.counts, self.number(rng.randint(0, MOST))]
        return CallHelper(helper, array, [rng.choice(counts), rng.choice(counts)])

    def make_helper(self):
        rng = self.rng
        element = rng.choice(self.arrays).element
        takes = set(rng.sample(LOCKS, rng.choice([0, 1, 1, 2])))
        throws, reads_only = rng.random() < 0.4, rng.random() < 0.4
        place = Place(held={}, thread=None, throws=throws, returns=True, breaks=False, depth=1, vars={},
                      counts=["n", "m"], parameter=element, free=False, takes=takes, writes="r" if reads_only else rng.choice(["w", "rw"]))
        body = self.group(place)
        attribute = rng.choice(["__attribute__((noinline))", "inline", ""])
        helper = Helper(f"help{len(self.helpers)}", TYPES[element][0], body, attribute, takes, throws)
        helper.reads_only = reads_only
        self.helpers.append(helper)

    # --- The whole.

    def text(self):
        out = [PROLOGUE, *(each.declaration() for each in self.arrays if each.where != "heap")]
        out += [f"{each.ctype}* {each.name} = new {each.ctype}[{each.length}]();" for each in self.arrays if each.where == "heap"]
        out.append(f"long in_[] = {{{', '.join(map(str, self.inputs + [0]))}}};")
        out.append(f"int idx[] = {{{', '.join(map(str, self.idx))}}};")
        for each in self.helpers:
            each.emit(out)
        for k, (thread, body, attribute, _) in enumerate(self.turns):
            out += [f"{attribute} static void turn{k}(long n, long m) {{", "  SUMS; (void)n, (void)m;"]
            body.emit(out, "  ")
            out += [f"  KEEP({thread});", "}"]
        for thread in range(self.threads):
            out.append(f"static void* thread{thread}(void*) {{")
            for k, (of, _, _, counts) in enumerate(self.turns):
                if of == thread:
                    out.append(f"  begin_turn({k}); turn{k}({', '.join(counts)}); end_turn({k});")
            out += ["  return nullptr;", "}"]
        out += ["int main() {"]
        out += [f'  printf("{each.name} %p\\n", (void*){each.name});' for each in self.arrays]
        out.append("  try { throw 3; } catch (int) { }")  # the first of all makes the unwinder ready, in an order of its own
        out.append(f"  pthread_t t[{self.threads}];")
        out += [f"  pthread_create(&t[{thread}], nullptr, thread{thread}, nullptr);" for thread in range(self.threads)]
        out += ["  for (pthread_t each : t) pthread_join(each, nullptr);", '  printf("done\\n");', "}"]
        return "\n".join(out) + "\n"
