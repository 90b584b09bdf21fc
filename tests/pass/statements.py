"""Statements of a random C program: each can be printed as C, and can be run here.

emit(out, indent) appends its lines; run(env, touch) does what the C code does, as far as addresses go: env has the
loops' variables and the tables, and touch(array, begin, end, writes, atomic) is called for all bytes that are
accessed. Numbers are texts that mean the same in C and in Python.
"""

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
