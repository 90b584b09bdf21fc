#!/usr/bin/env python3
"""What the user leaves out of the instrumentation is left out, as the compiler's own pass does: functions, files, accesses, atomics, frames.

    flags_test.py REDFLAG

The same file is compiled with the compiler's own pass and with ours, with every flag, attribute and ignore list that has to do with it; of
each function it is compared which kinds of instrumentation it has.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SOURCE = """
extern "C" {
#define NOT_SANITIZED __attribute__((no_sanitize("thread")))
#define NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
void other(void);
long leaf(long x) { return x * 3 + 1; }
NOT_SANITIZED long not_leaf(long x) { return x * 3 + 1; }
#define EACH(NAME, HOW)                                                                           \\
  HOW void NAME##_access(int* p) { *p = 1; }                                                      \\
  HOW void NAME##_volatile(volatile int* p) { *p = 1; }                                           \\
  HOW void NAME##_copy(char* a, const char* b, long n) { __builtin_memcpy(a, b, n); }             \\
  HOW void NAME##_fill(char* a, long n) { __builtin_memset(a, 0, n); }                            \\
  HOW int NAME##_atomic(int* p) { return __atomic_fetch_add(p, 1, __ATOMIC_ACQ_REL); }            \\
  HOW void NAME##_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }                        \\
  HOW void NAME##_call(void) { other(); other(); }                                                \\
  HOW void NAME##_all(int* p, char* a, char* b, long n) {                                         \\
    *p = __atomic_load_n(p, __ATOMIC_ACQUIRE);                                                    \\
    other();                                                                                      \\
    __builtin_memmove(a, b, n);                                                                   \\
  }
EACH(plain, )
EACH(listed, )
EACH(unsanitized, NOT_SANITIZED)
EACH(untouched, NOT_INSTRUMENTED)
static const int table[4] = {1, 2, 3, 4};
int constant(long i) { return table[i & 3]; }
}
struct Base { virtual void f(); virtual void g(); int x; };
extern "C" void through_table(Base* b) { b->g(); b->g(); }
"""
KINDS = {  # of a function's body: what shows it, with the compiler's own pass and with ours
    "access": (r"@__tsan_(unaligned_|volatile_|vptr_)*(read|write|update)", r"@__redflag_(check_)?(read|write)|@__tsan_(unaligned_|volatile_|vptr_)+(read|write|update)"),
    "copy": (r"@__tsan_mem(cpy|move|set)", r"@__tsan_mem(cpy|move|set)"),
    "atomic": (r"@__tsan_atomic", r"@__tsan_atomic"),
    "frame": (r"@__tsan_func_entry", r"@llvm.returnaddress"),
}
FLAGS = [
    [], ["-O0"], ["-O1", "-fno-sanitize-thread-memory-access"], ["-fno-sanitize-thread-atomics"], ["-fno-sanitize-thread-func-entry-exit"],
    ["-mllvm", "-tsan-instrument-memory-accesses=0"], ["-mllvm", "-tsan-instrument-memintrinsics=0"],
    ["-mllvm", "-tsan-instrument-atomics=0"], ["-mllvm", "-tsan-instrument-func-entry-exit=0"],
    ["-fno-sanitize-thread-atomics", "-fno-sanitize-thread-func-entry-exit"],
    ["-fsanitize-ignorelist={folder}/functions"], ["-fsanitize-ignorelist={folder}/files"],
    ["-fsanitize-ignorelist={folder}/functions", "-fno-sanitize-thread-atomics"],
]


def bodies(text):
    return {name: body for name, body in re.findall(r"^define [^@]*@(\w+)\(.*?\{\n(.*?)^\}", text, re.M | re.S)
            if not name.startswith(("tsan", "__tsan", "_Z"))}


def kinds(redflag, flags, ours, source):
    """Of each function, which kinds it has."""
    words = [redflag, "c++", "--compiler=clang++-19", *([] if ours else ["--no-own-pass"]), "--", "-w", "-O2", *flags, "-S", "-emit-llvm", source,
             "-o", "-"]
    text = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
    return {name: {kind for kind, patterns in KINDS.items() if re.search(patterns[ours], body)} for name, body in bodies(text).items()}


def main():
    redflag = sys.argv[1]
    if shutil.which("clang++-19") is None:
        print("clang++-19 is not here: skipped")
        return SKIPPED
    wrong, seen = [], set()
    with tempfile.TemporaryDirectory(prefix="redflag-flags-") as folder:
        source = os.path.join(folder, "source.cpp")
        for name, content in (("source.cpp", SOURCE), ("functions", "fun:listed_*\n"), ("files", "src:*source.cpp\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        for flags in FLAGS:
            flags = [each.format(folder=folder) for each in flags]
            stock, ours = (kinds(redflag, flags, each, source) for each in (False, True))
            if stock.keys() != ours.keys() or len(stock) < 30:
                wrong.append(f"{flags}: other functions: {sorted(stock)} and {sorted(ours)}")
                continue
            for name in sorted(stock):
                seen.add(frozenset(stock[name]))
                if stock[name] != ours[name]:
                    wrong.append(f"{flags}: {name} has {sorted(stock[name])} with the compiler's own pass, and here {sorted(ours[name])}")
    for each in wrong:
        print("FAILED " + each)
    print(f"{len(FLAGS)} sets of flags, {len(seen)} sets of kinds, {len(wrong)} differences")
    return 1 if wrong or len(seen) < 6 else 0


if __name__ == "__main__":
    sys.exit(main())
