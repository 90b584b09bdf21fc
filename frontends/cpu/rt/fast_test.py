#!/usr/bin/env python3
"""Holds the fast path to its budget (fast.h): reads the instructions of the built library.

Usage: fast_test.py libredflag.so. An entry point must decide the usual cases without saving a register or calling
anything, and stay under the numbers of instructions that fast.h names. Every way from its beginning to a return is
followed; what leaves it by a jump is the second level. And the runtime begins as zeros, which take no room in a
program's file: a single member that does not would put all of its tables there.
"""

import re
import subprocess
import sys

# Instructions where the cell has the access already: a read looks at two entries.
KNOWN = {"write": 16, "read": 24}
DATA = 1 << 20  # bytes of what does not begin as zeros


def functions(library):
    """name -> [(address, instruction)]"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-C", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in re.split(r"\n\n", text):
        match = re.match(r"[0-9a-f]+ <(.*)>:\n", block)
        if match:
            lines = (re.match(r"\s*([0-9a-f]+):\s+(.*)", line) for line in block.splitlines()[1:])
            found[match[1]] = [(int(m[1], 16), m[2].strip()) for m in lines if m]
    return found


def ways(body):
    """Numbers of instructions of all ways to a return, shortest first. The code has no loops."""
    at = {address: i for i, (address, _) in enumerate(body)}
    lengths = set()
    todo = [(0, 0)]
    while todo:
        i, length = todo.pop()
        while i < len(body):
            instruction = body[i][1]
            if not re.match(r"nop|xchg\s+%ax,%ax|data16|cs nop", instruction):
                length += 1
            if instruction.startswith("ret"):
                lengths.add(length)
                break
            jump = re.match(r"(j\w+)\s+([0-9a-f]+)", instruction)
            if jump:
                target = at.get(int(jump[2], 16))
                if jump[1] == "jmp":
                    if target is None:
                        break  # to the second level
                    i = target
                    continue
                if target is not None:
                    todo.append((target, length))
            i += 1
    return sorted(lengths)


def data_bytes(library):
    text = subprocess.run(["size", "-A", library], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(".data"))


def main():
    found = functions(sys.argv[1])
    faults = []
    if data_bytes(sys.argv[1]) > DATA:
        faults.append(f"{data_bytes(sys.argv[1])} bytes of the library's data do not begin as zeros, budget {DATA}")
    for name in (f"__tsan_{kind}{size}" for kind in ("read", "write") for size in (1, 2, 4, 8)):
        body = found.get(name)
        if body is None:
            faults.append(f"{name} is not in {sys.argv[1]}")
            continue
        lengths = ways(body)
        if not lengths:
            faults.append(f"{name}: a way to a return was expected, none found: the test does not know the code any more")
            continue
        most = KNOWN["write" if "write" in name else "read"]
        if lengths[-1] > most:
            faults.append(f"{name}: {lengths[-1]} instructions for a cell that is known, budget {most}")
        faults += [f"{name}: {i}: the usual case saves a register or calls something" for _, i in body if re.match(r"push|pop|call", i)]
    print("\n".join(faults) or "8 functions within their budgets")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
