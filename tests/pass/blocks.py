"""Blocks of a random C program: a few statements over the parts of arrays that a thread may touch.

What they are made from is a choice: (array, window, may it write), where a window is [low, high) of its elements. Every
statement stays in its window, whatever is in memory: loops of all sorts (statements.py), walks of pointers, copies,
calls of functions that are inlined or not.
"""
from statements import (STRUCTS, WIDE, Access, Bytes, Call, Chase, Compute, Function, Group, If, Jump, Leave, Loop, Switch,
                        Walk)


class Blocks:
    """The part of a Program that writes code; it has the random numbers, the arrays and the tables."""

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
                           "triangle", "unrolled", "columns", "tile", "tile", "offsets", "until", "together", "again"])
        if array is self.atomics and form in ("nested", "triangle", "tile"):
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
        elif form == "tile":
            return self.tile(array, low, high, writes)
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

    def tile(self, array, low, high, writes):
        """Rows and columns, whose width is loaded again and again: down each column, or along each row."""
        rng = self.rng
        wide = rng.randint(1, 7)
        rows = (high - low) // wide
        self.inputs.append(wide)
        width = f"in_[{len(self.inputs) - 1}]"
        column, row = self.name(), self.name()
        sides = [(column, rng.randint(0, wide)), (row, rng.randint(0, rows))]
        if rng.random() < 0.3:
            sides.reverse()
        (outer, outside), (inner, inside) = sides
        body = [self.accesses(array, f"{low} + {row} * {width} + {column}", writes), *self.jump(inner, inside, True)]
        walk = Loop(rng.choice(["long", "long", "int"]), inner, "0", f"{inner} < {self.number(inside)}",
                    f"{inner} + {rng.choice([1, 1, 1, 2])}", Group(body))
        if rng.random() < 0.3:
            walk = If(rng.choice([f"({outer} & {rng.choice([1, 2])}) == 0", f"{self.number(1)} < {self.number(rng.randint(0, 3))}",
                                  f"{outer} != {self.number(rng.randint(0, 4))}"]), walk)
        made = Loop("long", outer, "0", f"{outer} < {self.number(outside)}", f"{outer} + {rng.choice([1, 1, 1, 2])}",
                    Group([walk, *self.jump(outer, outside, True)]))
        if rng.random() < 0.3:
            again = self.name()
            made = Loop("long", again, "0", f"{again} < {self.number(rng.randint(0, 3))}", f"{again} + 1", Group([made]))
        return made

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
