#!/usr/bin/env python3
"""Fails when a page of the repository says what is not so, or cannot be read in a terminal.

    pages.py [--redflag build/bin/redflag]

    width     no line of a page is longer than 120 characters (raw outputs in docs/results*.md may be)
    links     every relative link, picture and #anchor leads somewhere
    mentions  every docs/...md that a source, a message or a script names exists
    words     sentences have a subject that acts: nothing is "told", nobody "learns", nothing "is no such"
    options   every --option of README.md, examples/ and docs/user exists, for the command that it stands behind, and so does
              every key in REDFLAG_OPTIONS; an option of another program stands behind that program's name
    pictures  a picture of a page has at most 120 KB
    rules     docs/user/reading-reports.md explains every rule of core/model/race.h
    generated docs/user/options.md is what 'redflag man --markdown' prints, so that every option is there (with --redflag)

Standard library only; no network: links to other hosts are not followed.
"""
import argparse
import difflib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent.parent
WIDTH = 120
OPTIONS_PAGE = "docs/user/options.md"
RULES_PAGE = "docs/user/reading-reports.md"
MOST_PICTURE_BYTES = 120 * 1024
TEXT_SUFFIXES = {".h", ".cpp", ".c", ".inc", ".cu", ".cuh", ".py", ".cmake", ".in", ".txt", ".yml", ".js", ".html", ".json", ".md", ".ll", ".ptx", ".sh", ""}
SLACK_WORDS = re.compile(r"\b(told|learn|learns|learned|learnt|(is|are|was|were) no such)\b", re.I)
# Commands whose words belong to another program from the first one on that is no option.
PASSES_ON = {"run", "cc", "c++", "fortran", "nvcc", "mpicc", "mpicxx", "mpifort", "oshcc", "detectors compare"}


def files():
    """All files of the repository, as paths from its root; nothing that was built."""
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        if name.parts[0] in (".git", ".cache") or name.parts[0].startswith("build") or "__pycache__" in name.parts:
            continue
        if path.is_file() and not path.is_symlink():
            yield name


class Page:
    """A page as lines, each with its kind: text, code (a block of it) or raw (a fenced block)."""

    def __init__(self, name):
        self.name = str(name)
        self.lines = (ROOT / name).read_text(encoding="utf-8").split("\n")
        self.kinds = []
        fenced = before_code = False
        before = ""
        for line in self.lines:
            if line.lstrip().startswith("```"):
                fenced = not fenced
                kind = "raw"
            elif fenced:
                kind = "raw"
            else:
                indented = line.startswith("    ") and (before_code or not before.strip())
                kind = "code" if indented or (before_code and not line.strip()) else "text"
            self.kinds.append(kind)
            before_code = kind == "code"
            before = line

    def of_kind(self, *kinds):
        return [(number, line) for number, (line, kind) in enumerate(zip(self.lines, self.kinds), 1) if kind in kinds]

    def text(self):
        """The prose with its line numbers kept: blocks of code are blank lines."""
        return "\n".join(line if kind == "text" else "" for line, kind in zip(self.lines, self.kinds))

    def anchors(self):
        """Those that GitHub makes of headings."""
        found = set()
        for _, line in self.of_kind("text"):
            heading = re.match(r"#{1,6}\s+(.*)", line)
            if not heading:
                continue
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            again = 0
            while (slug if not again else f"{slug}-{again}") in found:
                again += 1
            found.add(slug if not again else f"{slug}-{again}")
        return found


def spans(text):
    """Code in backticks, with the place of each; and the text without it."""
    pattern = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
    found = [(match.start(), match.group(2)) for match in pattern.finditer(text)]
    return found, pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def width_faults(page):
    raw_may = re.fullmatch(r"docs/results[\w-]*\.md", page.name) is not None
    for number, line in enumerate(page.lines, 1):
        if len(line) > WIDTH and not (raw_may and page.kinds[number - 1] == "raw"):
            yield f"{page.name}:{number}: {len(line)} characters; the limit is {WIDTH}"


def link_faults(page, pages):
    _, prose = spans(page.text())
    targets = [(match.start(), match.group(1)) for match in re.finditer(r"\]\(([^()\s]+)\)", prose)]
    targets += [(match.start(), match.group(1)) for match in re.finditer(r'<(?:img|a)\s[^>]*(?:src|href)="([^"]+)"', prose)]
    for at, target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        where = f"{page.name}:{prose.count(chr(10), 0, at) + 1}"
        path, _, anchor = unquote(target).partition("#")
        there = (ROOT / page.name).parent / path if path else ROOT / page.name
        try:
            name = str(there.resolve().relative_to(ROOT))
        except ValueError:
            yield f"{where}: the link {target} leads out of the repository"
            continue
        if not there.exists():
            yield f"{where}: the link {target} leads to nothing"
        elif anchor and (name not in pages or anchor not in pages[name].anchors()):
            yield f"{where}: {name} has no heading for #{anchor}"


def mention_faults(name):
    if name.suffix not in TEXT_SUFFIXES:
        return
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if "docs/" not in text:
        return
    # A literal that goes on in the next line is one literal.
    text = re.sub(r'"[ \t]*\n[ \t]*"', "", text)
    for mention in sorted(set(re.findall(r"(?<![\w/])docs/\w[\w/-]*(?:\.\w+)*?\.md\b", text))):
        if not (ROOT / mention).exists():
            yield f"{name}: names {mention}, which does not exist"


def word_faults(page):
    _, prose = spans(page.text())
    for number, line in enumerate(prose.split("\n"), 1):
        if found := SLACK_WORDS.search(line):
            yield f"{page.name}:{number}: '{found.group(0)}': say who does what"


def option_table():
    """Of docs/user/options.md: each command with the names of its options."""
    commands = {}
    for line in (ROOT / OPTIONS_PAGE).read_text(encoding="utf-8").split("\n"):
        if heading := re.match(r"## redflag (.*)", line):
            commands[heading.group(1)] = {"help"}
        elif (option := re.match(r"- `--(\[no-\])?([\w-]+)", line)) and commands:
            names = list(commands.values())[-1]
            names.add(option.group(2))
            if option.group(1):
                names.add("no-" + option.group(2))
    return commands


def words_of(line):
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def command_faults(line, commands):
    """Of a line of shell: options of redflag's commands that these do not take."""
    for part in re.split(r"&&|\|\||[|;]|\$\(|`", line):
        words = words_of(part.replace("...", " "))
        for at, word in enumerate(words):
            command = re.fullmatch(r"(?:\S*/)?redflag(?:-([\w+]+))?", word)
            if not command:
                continue
            rest = words[at + 1:]
            name = command.group(1) or " ".join(rest[:2])
            if not command.group(1):
                name = name if name in commands else rest[0] if rest else ""
                rest = rest[len(name.split()):]
            if name not in commands:
                continue
            for next_word in rest:
                if next_word in ("--", "&"):
                    break
                if not next_word.startswith("--"):
                    if name in PASSES_ON:
                        break
                    continue
                option = next_word[2:].split("=")[0].rstrip(")],")
                if option not in commands[name]:
                    yield f"'redflag {name}' has no --{option}"


def option_faults(page, commands):
    every = set().union(*commands.values())
    for number, line in page.of_kind("code", "raw"):
        for fault in command_faults(line, commands):
            yield f"{page.name}:{number}: {fault}"
    text = page.text()
    for at, span in spans(text)[0]:
        where = f"{page.name}:{text.count(chr(10), 0, at) + 1}"
        span = " ".join(span.split())
        if span.startswith("--"):
            for option in re.findall(r"(?:^|\s)--([\w-]+)", span):
                if option not in every:
                    yield f"{where}: --{option} is no option of redflag; one of another program stands behind its name"
        else:
            for fault in command_faults(span, commands):
                yield f"{where}: {fault}"
    for match in re.finditer(r"REDFLAG_OPTIONS=(?:\"([^\"]*)\"|'([^']*)'|(\S+))", "\n".join(page.lines)):
        value = next(group for group in match.groups() if group is not None)
        for key in re.findall(r"(?:^|[\s:])([\w-]+)=", value):
            if key not in every and key != "key":
                yield f"{page.name}: REDFLAG_OPTIONS has no {key}"


def picture_faults(names):
    for name in names:
        if name.parts[0] == "docs" and name.suffix in (".png", ".jpg", ".svg") and (ROOT / name).stat().st_size > MOST_PICTURE_BYTES:
            yield f"{name}: more than {MOST_PICTURE_BYTES} bytes (tools/picture makes smaller ones)"


def rule_faults():
    rules = re.findall(r'{Rule::k\w+,\s*RuleGroup::k\w+,\s*"([^"]+)"', (ROOT / "core/model/race.h").read_text(encoding="utf-8"))
    explained = set(re.findall(r"^\| `([\w-]+)` \|", (ROOT / RULES_PAGE).read_text(encoding="utf-8"), re.M))
    if len(rules) < 40:
        yield f"core/model/race.h: {len(rules)} rules found; the pattern is old"
    for rule in rules:
        if rule not in explained:
            yield f"{RULES_PAGE} has no row for the rule {rule}"


def generated_faults(redflag):
    made = subprocess.run([redflag, "man", "--markdown"], stdout=subprocess.PIPE, check=True, text=True, env={}).stdout
    there = (ROOT / OPTIONS_PAGE).read_text(encoding="utf-8")
    if made == there:
        return
    diff = difflib.unified_diff(there.split("\n"), made.split("\n"), OPTIONS_PAGE, "redflag man --markdown", n=1, lineterm="")
    yield f"{OPTIONS_PAGE} is old; to renew it: build/bin/redflag man --markdown >{OPTIONS_PAGE}\n" + "\n".join(diff)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redflag", help="the built command; without it generated pages are not compared")
    arguments = parser.parse_args()
    names = list(files())
    pages = {str(name): Page(name) for name in names if name.suffix == ".md"}
    faults = []
    for page in pages.values():
        faults += [*width_faults(page), *link_faults(page, pages), *word_faults(page)]
    for name in names:
        faults += mention_faults(name)
    faults += [*picture_faults(names), *rule_faults()]
    commands = option_table()
    for name, page in pages.items():
        if name in ("README.md", "examples/README.md") or name.startswith("docs/user/"):
            faults += option_faults(page, commands)
    if arguments.redflag:
        faults += generated_faults(arguments.redflag)
    print("\n".join(faults))
    options = sum(len(one) for one in commands.values())
    print(f"{len(pages)} pages, {len(commands)} commands with {options} options, {len(faults)} faults")
    # A table that could not be read would let everything pass.
    sys.exit(1 if faults or len(pages) < 20 or len(commands) < 20 or options < 100 else 0)


main()
