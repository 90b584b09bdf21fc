#!/usr/bin/env python3
"""The passes against each other, against the compiler's own, and against what must come out.

    differential.py REDFLAG [--seed=N] [--count=N] [--seconds=N] [--keep=FOLDER]

Random C programs of a few threads (program.py, whose seed is printed) are built with all passes on, with
all off, with one of them off, and without them; each is run, and the set of bytes that have races is
compared with the set that the generator knows. The bytes come from the runtime's own messages
(frontends/cpu/wire/wire.h), before anything is folded: this script is the reporter of the runs.

A program's accesses are ordered, or are not, whatever the schedule (program.py says how), so the sets are
equal, or something is wrong: a race that is lost, or one that is none. On a failure the program and the
commands that build it are kept, and --seed=N --count=1 makes the same again.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import program

PASSES = ["numbers", "local", "dominated", "merge", "loops", "nests", "repeated", "inline"]
SKIPPED = 77
HEADER = struct.Struct("<IIII")  # magic, kind, size, pid
REPLY = struct.Struct("<IIII")   # magic, verdict, findings, unused
RACE = struct.Struct("<IIQBBHIIIII")  # rule, size, address, ..., threads, locks, helds, words, ...
MAGIC, KIND_RACE, DUPLICATE = 0x31574652, 2, 2
SECOND_STACK = 40 + 48 + 40      # where the second access's stack is: first word, count
RECORDS = 40 + 3 * 48            # the fixed part
MOST_PER_PLACE = 64              # the runtime sends no more of one place (rt/report.cpp)


class Reporter:
    """Takes the races of one run: ranges of bytes, and whether some place was silenced."""

    numbers = itertools.count()

    def __init__(self):
        self.name = f"redflag-differential-{os.getpid()}-{next(self.numbers)}"
        self.races = []
        self.places = {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind("\0" + self.name)
        self.socket.listen(4)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return
        with connection, connection.makefile("rb") as stream:
            while len(header := stream.read(HEADER.size)) == HEADER.size:
                magic, kind, size, _ = HEADER.unpack(header)
                body = stream.read(size)
                if magic != MAGIC or len(body) != size:
                    return
                if kind == KIND_RACE:
                    self.take(body)
                    connection.sendall(REPLY.pack(MAGIC, DUPLICATE, len(self.races), 0))

    def take(self, body):
        _, size, address, _, _, _, threads, locks, helds, _, _ = RACE.unpack_from(body)
        self.races.append((address, size))
        first, count = struct.unpack_from("<II", body, SECOND_STACK)
        words = RECORDS + threads * 48 + locks * 56 + helds * 16
        place = body[words + 8 * first:words + 8 * (first + count)]
        self.places[place] = self.places.get(place, 0) + 1

    def close(self):
        self.socket.close()
        self.thread.join(5)

    @property
    def silenced(self):
        return any(n >= MOST_PER_PLACE for n in self.places.values())


class Variant:
    """One way to build a program."""

    def __init__(self, name, off=(), stock=False):
        self.name, self.off, self.stock = name, off, stock

    def commands(self, redflag, source, binary, flags):
        """Compiles to an object, and links it."""
        words = ["env", "REDFLAG_PASS_OFF=" + ",".join(self.off), redflag, "cc", "--compiler=clang-19"]
        if self.stock:  # it does not see vectors of more than 16 bytes, so there are to be none
            words.append("--no-own-pass")
            flags = flags + ["-fno-vectorize", "-fno-slp-vectorize"]
        return [words + ["--", *flags, "-c", source, "-o", binary + ".o"],
                words + ["--", *flags, binary + ".o", "-o", binary, "-lm", "-lpthread"]]


def variants(rng, stock):
    chosen = [Variant("all on"), Variant("all off", PASSES)]
    for name in rng.sample(PASSES, 1):
        chosen.append(Variant("without " + name, [name]))
    for name in rng.sample(PASSES, 1):
        chosen.append(Variant("only " + name, [each for each in PASSES if each != name]))
    if stock:
        chosen.append(Variant("stock", stock=True))
    return chosen


def racy_bytes(reporter, objects, sizes):
    """As (variable, offset); what is in none is an address."""
    found = set()
    for address, size in reporter.races:
        for byte in range(address, address + size):
            for name, base in objects.items():
                if base <= byte < base + sizes[name]:
                    found.add((name, byte - base))
                    break
            else:
                found.add(("?", byte))
    return found


def as_text(some):
    """a[3..7] b[12]: bytes of each variable, as ranges."""
    parts = []
    for name, of_it in itertools.groupby(sorted(some), key=lambda each: each[0]):
        begin = end = None
        for _, offset in of_it:
            if end == offset:
                end += 1
                continue
            if begin is not None:
                parts.append((name, begin, end))
            begin, end = offset, offset + 1
        parts.append((name, begin, end))
    return " ".join(f"{name}[{begin}..{end})" for name, begin, end in parts)


def races_of(commands, binary, sizes, options=""):
    """What is wrong, or None; the bytes with races, and whether some place was silenced. `options` are the runtime's."""
    for command in commands:
        built = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if built.returncode != 0:
            return "does not build:\n" + built.stderr[-3000:], set(), False
    reporter = Reporter()
    environment = dict(os.environ, REDFLAG_SOCKET="@" + reporter.name, REDFLAG_OPTIONS=options)
    try:
        done = subprocess.run([binary], capture_output=True, text=True, timeout=60, env=environment)
    except subprocess.TimeoutExpired:
        return "does not end", set(), False
    finally:
        reporter.close()
    lines = [line.split() for line in done.stdout.splitlines()]
    if not lines or lines[-1] != ["done"]:
        return f"ended with {done.returncode}:\n{done.stdout[-500:]}{done.stderr[-1000:]}", set(), False
    return None, racy_bytes(reporter, {name: int(at, 16) for name, at in lines[:-1]}, sizes), reporter.silenced


def run_one(commands, binary, expected, sizes):
    """None, or what is wrong."""
    fault, found, silenced = races_of(commands, binary, sizes)
    return fault or difference(found, expected, set() if silenced else expected)


def difference(found, allowed, required):
    """None, or what is wrong."""
    lost = required - found
    wrong = []
    if lost:
        wrong.append("lost: " + as_text(lost))
    if found - allowed:
        wrong.append("not races: " + as_text(found - allowed))
    return "\n".join(wrong) or None


def has_rows(binary):
    """Did `nests` find something?"""
    symbols = subprocess.run(["nm", "-u", binary + ".o"], capture_output=True, text=True, check=False).stdout
    return "__redflag_read_rows" in symbols or "__redflag_write_rows" in symbols


def check_seed(redflag, seed, folder, keep):
    """Builds and runs the program of a seed in every way; (runs, racy bytes, whether it has nests, failures)."""
    rng = random.Random(seed)
    stock = rng.random() < 0.4
    made = program.Program(rng, plain=stock)
    base = os.path.join(folder, f"seed{seed}")
    source = base + ".c"
    with open(source, "w", encoding="utf-8") as file:
        file.write(made.text())
    flags = [rng.choice(["-O0", "-O1", "-O2", "-O2", "-O2", "-O3", "-Os"])]
    flags += rng.choice([[], ["-g"]]) + ([] if stock else rng.choice([["-mavx2"], ["-mavx2"], []]))
    flags += rng.choice([[], ["-ffast-math"], ["-fno-math-errno"], ["-fno-vectorize"]])
    failures = []
    nests = False
    chosen = variants(rng, stock)
    for i, variant in enumerate(chosen):
        binary = f"{base}.{i}"
        commands = variant.commands(redflag, source, binary, flags)
        wrong = run_one(commands, binary, made.racy, made.sizes)
        if wrong:
            built_by = " && ".join(" ".join(each) for each in commands)
            failures.append(f"seed {seed}, {variant.name}: {wrong}\n  built by: {built_by}")
        nests = nests or has_rows(binary)
        for path in (binary, binary + ".o"):
            if os.path.exists(path) and not keep:
                os.remove(path)
    if not failures and not keep:
        os.remove(source)
    return len(chosen), len(made.racy), nests, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("redflag")
    parser.add_argument("--seed", type=int, help="of the first program; otherwise a new one")
    parser.add_argument("--count", type=int, default=1000000, help="programs")
    parser.add_argument("--seconds", type=float, default=50, help="no new program after that")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="the folder for programs; without it only those that fail are kept")
    arguments = parser.parse_args()
    if shutil.which("clang-19") is None:
        print("clang-19 is not here: skipped")
        return SKIPPED
    first = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    folder = arguments.keep or tempfile.mkdtemp(prefix="redflag-differential-")
    os.makedirs(folder, exist_ok=True)
    print(f"seed {first}: programs of seeds {first}, {first + 1}, ... in {folder}", flush=True)
    end = time.monotonic() + arguments.seconds
    runs = racy = programs = nests = 0
    failures = []

    def work(seed):
        if time.monotonic() > end or len(failures) > 10:
            return None
        return check_seed(arguments.redflag, seed, folder, arguments.keep)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seeds = range(first, first + arguments.count)
        for start in range(0, len(seeds), 64):
            for done in pool.map(work, seeds[start:start + 64]):
                if done is None:
                    continue
                programs += 1
                runs += done[0]
                racy += done[1]
                nests += done[2]
                failures += done[3]
                for each in done[3]:
                    print("FAILED " + each, flush=True)
            if time.monotonic() > end or len(failures) > 10:
                break
    print(f"{programs} programs ({nests} with nests), {runs} builds and runs, {racy} bytes with races, "
          f"{len(failures)} failures")
    if programs > 20 and not racy:
        print("no program had a race: the generator is at fault")
        return 1
    if programs > 20 and not nests:
        print("in no program `nests` found anything: it, or the generator, is at fault")
        return 1
    if not failures and not arguments.keep:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
