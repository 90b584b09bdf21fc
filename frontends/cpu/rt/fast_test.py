#!/usr/bin/env python3
"""Holds the fast path to its budget (fast.h): reads the instructions of the built library.

Usage: fast_test.py libredflag.so. An entry point must decide the usual case without saving a register or calling
anything before its first return, and stay under the number of instructions that fast.h names.
"""

import re
import subprocess
import sys

ENTRY = 22  # a cell compared with the thread's handles
NEXT = 40  # an access that goes on with a run


def functions(library):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-C", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in re.split(r"\n\n", text):
        match = re.match(r"[0-9a-f]+ <(.*)>:\n", block)
        if match:
            found[match[1]] = [line.split("\t", 1)[1].strip() for line in block.splitlines()[1:] if "\t" in line]
    return found


def to_first_return(body):
    for i, instruction in enumerate(body):
        if instruction.startswith("ret"):
            return body[: i + 1]
    return body


def main():
    found = functions(sys.argv[1])
    budgets = {f"__tsan_{kind}{size}": ENTRY for kind in ("read", "write") for size in (1, 2, 4, 8)}
    for name in found:
        if re.match(r"void redflag::rt::next_access<[1248]u, (true|false)>", name):
            budgets[name] = NEXT
    faults = []
    if len(budgets) != 16:
        faults.append(f"16 functions were expected, {len(budgets)} are there: the test does not know the code any more")
    for name, most in budgets.items():
        path = to_first_return(found.get(name, []))
        if not path:
            faults.append(f"{name} is not in {sys.argv[1]}")
        elif len(path) > most:
            faults.append(f"{name}: {len(path)} instructions to its first return, budget {most}")
        for instruction in path:
            if re.match(r"push|pop|call", instruction):
                faults.append(f"{name}: {instruction}: the usual case saves a register or calls something")
    print("\n".join(faults) or f"{len(budgets)} functions within their budgets")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
