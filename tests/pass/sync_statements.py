"""Statements that synchronise, or go somewhere else, for the random programs of sync_program.py.

As those of statements.py: emit(out, indent) prints C++, run(env, touch) does what that does. env["clocks"] takes the synchronisation
(sync_clocks.py); Leave and Thrown are what goes up through the statements.
"""
from statements import Leave, value


class Thrown(Exception):
    """throw, or longjmp, while a statement is run here."""


class Locked:
    """A critical section: of a mutex, or of a rwlock for reading or writing; with calls, or with an object that lets go by itself."""

    def __init__(self, name, how, body, by_object):
        self.name, self.how, self.body, self.by_object = name, how, body, by_object

    def emit(self, out, indent):
        take, give = {"mutex": ("pthread_mutex_lock", "pthread_mutex_unlock"),
                      "read": ("pthread_rwlock_rdlock", "pthread_rwlock_unlock"),
                      "write": ("pthread_rwlock_wrlock", "pthread_rwlock_unlock")}[self.how]
        if self.by_object:
            kind = {"mutex": "Guard", "read": "ReadGuard", "write": "WriteGuard"}[self.how]
            out.append(f"{indent}{{ {kind} guard(&{self.name});")
        else:
            out.append(f"{indent}{take}(&{self.name}); {{")
        self.body.emit(out, indent + "  ")
        out.append(f"{indent}}}" if self.by_object else f"{indent}}} {give}(&{self.name});")

    def run(self, env, touch):
        clocks = env["clocks"]
        (clocks.lock_shared if self.how == "read" else clocks.lock)(self.name)
        try:
            self.body.run(env, touch)
        finally:
            (clocks.unlock_shared if self.how == "read" else clocks.unlock)(self.name)


class Flag:
    """An atomic variable: set, looked at, or both."""

    # Not by a store in line: LLVM moves loads up across it, and there they may be ordered.
    TEXTS = {
        "release": "set_flag({});",
        "exchange": "__atomic_exchange_n(&flags[{}], 1, __ATOMIC_RELEASE);",
        "add": "s += __atomic_fetch_add(&flags[{}], 1, __ATOMIC_ACQ_REL);",
        "fence, store": "__atomic_thread_fence(__ATOMIC_SEQ_CST); __atomic_store_n(&flags[{}], 1, __ATOMIC_RELAXED);",
        "relaxed": "s += __atomic_fetch_add(&flags[{}], 1, __ATOMIC_RELAXED);",
        "acquire": "s += __atomic_load_n(&flags[{}], __ATOMIC_ACQUIRE);",
        "load, fence": "s += __atomic_load_n(&flags[{}], __ATOMIC_RELAXED); __atomic_thread_fence(__ATOMIC_SEQ_CST);",
    }

    def __init__(self, number, how):
        self.number, self.how = number, how

    def emit(self, out, indent):
        out.append(indent + self.TEXTS[self.how].format(self.number))

    def run(self, env, touch):
        clocks, name = env["clocks"], f"flag {self.number}"
        if self.how == "release":
            clocks.store(name, True)
        elif self.how in ("exchange", "add", "relaxed"):
            clocks.modify(name, self.how == "add", self.how != "relaxed")
        elif self.how == "fence, store":
            clocks.fence()
            clocks.store(name, False)
        else:
            clocks.load(name, self.how == "acquire")
            if self.how != "acquire":
                clocks.fence()


class Throw:
    def __init__(self, condition):
        self.condition = condition

    def emit(self, out, indent):
        out.append(f"{indent}if ({self.condition}) throw 3;")

    def run(self, env, touch):
        if value(self.condition, env):
            raise Thrown


class Try:
    def __init__(self, body, handler):
        self.body, self.handler = body, handler

    def emit(self, out, indent):
        out.append(indent + "try {")
        self.body.emit(out, indent + "  ")
        out.append(indent + "} catch (int e) { s += e;")
        self.handler.emit(out, indent + "  ")
        out.append(indent + "}")

    def run(self, env, touch):
        try:
            self.body.run(env, touch)
        except Thrown:
            try:
                self.handler.run(env, touch)
            finally:  # an exception may be held by several threads: the runtime orders whoever lets go of one
                env["clocks"].modify("exceptions", True, True)


class Leap:
    """setjmp around two groups, and a longjmp between them if the condition holds."""

    def __init__(self, before, condition, behind, landed):
        self.before, self.condition, self.behind, self.landed = before, condition, behind, landed

    def emit(self, out, indent):
        out.append(indent + "{ jmp_buf back; if (setjmp(back) == 0) {")
        self.before.emit(out, indent + "  ")
        out.append(f"{indent}  if ({self.condition}) leap(back);")
        self.behind.emit(out, indent + "  ")
        out.append(indent + "} else {")
        self.landed.emit(out, indent + "  ")
        out.append(indent + "} }")

    def run(self, env, touch):
        self.before.run(env, touch)
        (self.landed if value(self.condition, env) else self.behind).run(env, touch)


class DoLoop:
    """do body while (++name != count), of a count that is not 0."""

    def __init__(self, name, count, body):
        self.name, self.count, self.body = name, count, body

    def emit(self, out, indent):
        out.append(f"{indent}if ({self.count} > 0) {{ long {self.name} = 0; do {{")
        self.body.emit(out, indent + "  ")
        out.append(f"{indent}}} while (++{self.name} != {self.count}); }}")

    def run(self, env, touch):
        env = dict(env)
        for k in range(value(self.count, env)):
            env[self.name] = k
            try:
                self.body.run(env, touch)
            except Leave as leave:
                if leave.what == "break":
                    return
                if leave.what != "continue":
                    raise


class Return:
    """From the helper, if the condition holds."""

    def __init__(self, condition):
        self.condition = condition

    def emit(self, out, indent):
        out.append(f"{indent}if ({self.condition}) return s + (long)t;")

    def run(self, env, touch):
        if value(self.condition, env):
            raise Leave("return")


class Helper:
    """long name(T* p, long n, long m); `takes` are the locks that it takes, `throws` whether it may throw."""

    def __init__(self, name, ctype, body, attribute, takes, throws):
        self.name, self.ctype, self.body, self.attribute = name, ctype, body, attribute
        self.takes, self.throws = takes, throws

    def emit(self, out):
        out.append(f"{self.attribute} static long {self.name}({self.ctype}* p, long n, long m) {{")
        out.append("  SUMS;")
        self.body.emit(out, "  ")
        out.append("  return s + (long)t;\n}")


class CallHelper:
    def __init__(self, helper, array, numbers):
        self.helper, self.array, self.numbers = helper, array, numbers

    def emit(self, out, indent):
        out.append(f"{indent}s += {self.helper.name}({self.array.name}, {', '.join(self.numbers)});")

    def run(self, env, touch):
        inner = {each: env[each] for each in ("idx", "in_", "clocks")}
        inner["p"] = (self.array, 0)
        inner["n"], inner["m"] = (value(each, env) for each in self.numbers)
        try:
            self.helper.body.run(inner, touch)
        except Leave as leave:
            assert leave.what == "return"
