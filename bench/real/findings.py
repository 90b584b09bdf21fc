"""Findings of both tools as the same kind of value, and the list of those that are true.

A finding is its rule and, for each of its two accesses, the functions on its stack, innermost
first, from the first one with a source file on: that is the program's, and not memset. accepted.txt
lists true races of these programs, with the reason why each is one; a finding that is on the list
counts as accepted, for both tools. Every other one is to be read: it is false until somebody has
shown that it is true.
"""

import dataclasses
import json
import re
from pathlib import Path

ACCEPTED = Path(__file__).resolve().parent / "accepted.txt"
DEPTH = 12  # frames that are looked at


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    first: tuple  # functions, innermost first
    second: tuple
    text: str = ""  # for people

    def place(self):
        """The two innermost functions, in either order."""
        return " / ".join(sorted(stack[0] if stack else "?" for stack in (self.first, self.second)))


def own_part(frames):
    """Of (function, whether it has a source file): the functions, without the library's on top."""
    begin = next((i for i, (_, has_file) in enumerate(frames) if has_file), 0)
    return tuple(plain(name) for name, _ in frames[begin:begin + DEPTH])


def plain(function):
    """leveldb::Version::Unref(): the name alone."""
    return re.sub(r"\(.*", "", function).strip()


def of_redflag(report):
    """What is in the folder of one run."""
    path = report / "redflag.json"
    if not path.exists() or path.stat().st_size == 0:
        return []
    found = []
    for each in json.loads(path.read_text())["findings"]:
        sides = {name: each.get(name, {"stack": []}) for name in ("first", "second")}
        stacks = {name: own_part([(f["function"], f["file"] != "") for f in side["stack"]]) for name, side in sides.items()}
        found.append(Finding(each["rule"], stacks["first"], stacks["second"], redflag_text(each)))
    return found


def redflag_text(each):
    lines = [f"{each['rule']} at {each['address']}, {each['size']} bytes, {each['count']} times"]
    for name in ("first", "second"):
        if name not in each:
            continue
        side = each[name]
        locks = ", ".join(lock["name"] for lock in side["locks"]) or "none"
        access = side["access"]
        lines.append(f"  {name}: {access['kind']} of {access['size']} at {access['address']} by {side['thread_name']}, locks: {locks}")
        lines += [f"    {frame['function']} {Path(frame['file']).name}:{frame['line']}" for frame in side["stack"][:DEPTH]]
    return "\n".join(lines)


def of_tsan(report):
    found = []
    for path in sorted(report.glob("tsan.*")):
        for block in path.read_text(errors="replace").split("WARNING: ThreadSanitizer: ")[1:]:
            rule = block.split(" (pid=")[0]
            parts = re.split(r"\n\s*\n", block)
            frames = [re.findall(r"^    #\d+ (.+?) (\S+:\d+|\S+ \(|<null>)", part, re.M) for part in parts[:2]]
            stacks = [own_part([(name, file[0] != "<") for name, file in each]) for each in frames]
            stacks += [()] * (2 - len(stacks))
            found.append(Finding(rule, stacks[1], stacks[0], block.split("\nSUMMARY")[0]))
    return found


@dataclasses.dataclass(frozen=True)
class Accepted:
    program: str  # the name of its recipe
    sides: tuple  # of two sets of functions
    reason: str

    def covers(self, program, finding):
        """One side was in a function of the first set, the other in one of the second."""
        if program != self.program:
            return False
        one, other = self.sides

        def has(stack, functions):
            return "*" in functions or any(name in functions for name in stack[:1])
        return (has(finding.first, one) and has(finding.second, other)) or (has(finding.first, other) and has(finding.second, one))


def read_accepted(path=ACCEPTED):
    """PROGRAM: FUNCTION,FUNCTION / FUNCTION,FUNCTION: reason, which may go on in lines that begin with a blank."""
    accepted = []
    text = re.sub(r"\n[ \t]+", " ", path.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\w+): (\S.*?) / (\S.*?): (\S.*)", line)
        if match is None:
            raise ValueError(f"{path}: needed: PROGRAM: FUNCTIONS / FUNCTIONS: reason\nfound: {line}")
        program, one, other, reason = match.groups()
        accepted.append(Accepted(program, tuple(frozenset(re.split(r",\s*", side)) for side in (one, other)), reason))
    return accepted


def sorted_out(program, findings, accepted):
    """(those that are on the list, those that are not)"""
    good = [f for f in findings if any(a.covers(program, f) for a in accepted)]
    return good, [f for f in findings if f not in good]
