"""Counts the checks that a program executes, by functions that stand between its code and Redflag's
library.

The linker's --wrap sends each call of a check to a few instructions of ours that add one to a
counter of that function and go on to the check itself. So the program runs as it always does, with
the real library, and what is counted are the checks that its instrumentation asks for: those of the
compiler's own instrumentation and those of our pass are counted alike. A range, however long, is
one check: that is what the pass saves. A copy by the library (__tsan_memcpy) is two, a fill one.
Atomic operations and function entries are not checks.

The counters are in a file that the program maps, named by REDFLAG_COUNTS: they survive however it
ends.
"""

import array
import subprocess
from pathlib import Path

SIZES = (1, 2, 4, 8, 16)
KINDS = ("read", "write")

# What the compiler's instrumentation calls, and how many checks one call is.
STOCK = {f"__tsan_{each}{size}": 1 for each in KINDS for size in SIZES}
STOCK |= {f"__tsan_unaligned_{each}{size}": 1 for each in KINDS for size in SIZES[1:]}
STOCK |= {f"__tsan_{each}_range": 1 for each in KINDS}
STOCK |= {"__tsan_vptr_read": 1, "__tsan_vptr_update": 1, "__tsan_memcpy": 2, "__tsan_memmove": 2, "__tsan_memset": 1}

# What our pass calls besides (frontends/cpu/abi/abi.h, frontends/cpu/pass/lower.cpp), by prefix.
# Not all that begin so are checks.
OWN_PREFIX = "__redflag_"
OWN_KINDS = ("check_read", "check_write", "read", "write", "poll_read")

ASSEMBLY = """
  .globl __wrap_{name}
  .type __wrap_{name}, @function
__wrap_{name}:
  {unless_none}
  movq redflag_counts(%rip), %r11
  lock incq {offset}(%r11)
1:
  jmp __real_{name}
"""

# A range of nothing is no check: code with checks in line does not even call (lower.cpp,
# skip_none). Where these say how many there are: in the second argument, in the third, in the third
# and fifth.
NUMBERS = {"_range": ("%rsi",), "_strided": ("%rdx",), "_rows": ("%rdx", "%r8")}


def unless_none(name):
    registers = next((some for end, some in NUMBERS.items() if name.endswith(end)), ())
    return "\n  ".join(f"test {register}, {register}\n  jz 1f" for register in registers)


SOURCE = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
unsigned long redflag_no_counts[512];
unsigned long *redflag_counts = redflag_no_counts;  /* until the file is mapped */
__attribute__((constructor, no_sanitize("thread"))) static void map_counts(void) {
  const char *name = getenv("REDFLAG_COUNTS");
  int file = name ? open(name, O_RDWR) : -1;
  if (file < 0) return;
  void *counts = mmap(0, sizeof redflag_no_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts != MAP_FAILED) redflag_counts = counts;
  close(file);
}
"""
BYTES = 512 * 8


def own_checks(library):
    """The checks of our pass that the library defines."""
    listed = subprocess.run(["nm", "--defined-only", "-g", library], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in listed.splitlines() if len(line.split()) == 3}
    return {name: 1 for name in sorted(names) if name.startswith(OWN_PREFIX) and is_check(name)}


def is_check(name):
    rest = name.removeprefix(OWN_PREFIX)
    for kind in OWN_KINDS:
        tail = rest.removeprefix(kind)
        if tail != rest and (tail in ("", "_n", "_range", "_strided", "_rows", "_lane") or tail.isdigit()):
            return True
    return False


class Counters:
    """The object file that counts, made beside the compilers of a variant."""

    def __init__(self, folder, library):
        self.weights = STOCK | own_checks(library)
        self.object, self.list = folder / "counts.o", folder / "wraps"
        text = SOURCE + "".join(
            'asm(".text' + ASSEMBLY.format(name=name, offset=8 * i, unless_none=unless_none(name)).replace("\n", "\\n") + '");\n' for i, name in enumerate(self.weights))
        wraps = "\n".join(f"--wrap={name}" for name in self.weights) + "\n"
        source = folder / "counts.c"
        if not (source.exists() and source.read_text() == text and self.object.exists() and self.list.exists()):
            source.write_text(text)
            self.list.write_text(wraps)
            subprocess.run(["clang-19", "-O2", "-fPIC", "-c", source, "-o", self.object], check=True)

    def link_words(self):
        return [self.object, f"-Wl,@{self.list}"]

    def read(self, path):
        """How many checks of each function were executed."""
        counts = array.array("Q", path.read_bytes())
        return {name: counts[i] * weight for i, (name, weight) in enumerate(self.weights.items()) if counts[i]}
