"""Who is ordered before whom: vector clocks of threads, locks and atomic flags, as the language defines them.

A program of sync_program.py runs its threads one after the other, in turns; so each operation here happens at one known time, and
the accesses that are unordered are known exactly. All accesses of a byte are kept: nothing is forgotten, and nothing is fast.
"""


def join(a, b):
    return tuple(max(each) for each in zip(a, b))


class Clocks:
    """The present thread is `now`; every method is an operation of it."""

    def __init__(self, threads):
        self.threads = threads
        self.none = (0,) * threads
        self.of = [tuple(int(t == each) for t in range(threads)) for each in range(threads)]
        self.seen = [self.none] * threads      # by relaxed loads: a fence acquires it
        self.fenced = [self.none] * threads    # at the last fence: what relaxed stores release
        self.objects = {}                      # what an acquire of them learns
        self.readers = {}                      # of rwlocks: what only a writer learns
        self.events = {}                       # (array, byte): accesses
        self.now = 0

    def mine(self):
        return self.of[self.now]

    def learn(self, what):
        self.of[self.now] = join(self.mine(), what)

    def advance(self):
        clock = list(self.mine())
        clock[self.now] += 1
        self.of[self.now] = tuple(clock)

    # Locks.
    def lock(self, name):
        self.learn(self.objects.get(name, self.none))
        self.learn(self.readers.get(name, self.none))

    def unlock(self, name):
        self.objects[name] = self.mine()
        self.advance()

    def lock_shared(self, name):
        self.learn(self.objects.get(name, self.none))

    def unlock_shared(self, name):
        self.readers[name] = join(self.readers.get(name, self.none), self.mine())
        self.advance()

    # Flags.
    def load(self, name, acquires):
        known = self.objects.get(name, self.none)
        self.seen[self.now] = join(self.seen[self.now], known)
        if acquires:
            self.learn(known)

    def store(self, name, releases):
        self.objects[name] = self.mine() if releases else self.fenced[self.now]
        self.advance()

    def modify(self, name, acquires, releases):
        """A read-modify-write goes on with the release sequence."""
        self.load(name, acquires)
        released = self.mine() if releases else self.fenced[self.now]
        self.objects[name] = join(self.objects.get(name, self.none), released)
        self.advance()

    def fence(self):
        self.learn(self.seen[self.now])
        self.fenced[self.now] = self.mine()
        self.advance()

    # Accesses.
    def touch(self, array, begin, end, writes, atomic):
        access = (self.now, self.mine(), writes, atomic)
        for byte in range(begin, end):
            self.events.setdefault((array.name, byte), set()).add(access)

    def racy(self):
        return {byte for byte, accesses in self.events.items() if self.has_race(list(accesses))}

    @staticmethod
    def has_race(accesses):
        for i, (thread, clock, writes, atomic) in enumerate(accesses):
            for other, other_clock, other_writes, other_atomic in accesses[:i]:
                if thread == other or not (writes or other_writes) or (atomic and other_atomic):
                    continue
                if other_clock[thread] < clock[thread] and clock[other] < other_clock[other]:
                    return True
        return False
