"""Builds: each program in several variants, each in a folder of its own, by the program's own build
system.

A variant is a pair of compilers: two small scripts, cc and c++, that add what the variant needs. So
every build system takes them as one word, and what differs between two variants is the words in the
scripts. A build is kept as long as its recipe and its variant's files are the same. When only
Redflag's library changed, the programs are linked again; when the command or the pass did,
everything is compiled again.
"""

import dataclasses
import hashlib
import inspect
import os
import shutil
import subprocess
from pathlib import Path

import counting
from fetch import CACHE, NoSources, fetch

FLAGS = ["-O2", "-g1"]
BUILT = CACHE / "build"
COMPILERS = BUILT / ".compilers"
LOGS = CACHE / "log"


class CannotBuild(Exception):
    """What was needed, what was found, what to do: for people."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How one source is built. `steps(build)` runs the program's own build system by build.run()."""

    sources: tuple  # Debian source packages; the first is the program's
    output: str  # the program, as a path below the build's folder
    steps: object
    needs: tuple = ()  # Debian packages that it is built with
    files: tuple = ()  # sources of ours that are part of it


# What the compilers of a variant are: (words before the user's, whether Redflag's pass is in it,
# whether it counts).
@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    words: tuple = ()
    uses_redflag: bool = False
    counts: bool = False
    environment: str = ""


VARIANTS = {v.name: v for v in (
    Variant("native"),
    Variant("tsan", ("-fsanitize=thread",)),
    Variant("redflag", (), True),
    Variant("stock", ("--no-own-pass",), True),
    # Checks as calls, which can be counted; those that the inlined comparison would settle are
    # among them.
    Variant("counted", (), True, True, "REDFLAG_PASS_OFF=inline"),
    Variant("counted-stock", ("--no-own-pass",), True, True),
)}


class Redflag:
    """The build of Redflag that is measured."""

    def __init__(self, build):
        build = Path(build).resolve()
        library = build / "lib"
        self.command = build / "bin" / "redflag"
        self.compiles = [self.command, library / "libredflag-pass.so"]
        self.links = [library / "libredflag.a", library / "libredflag.syms"]
        for path in [*self.compiles, *self.links]:
            if not path.exists():
                raise CannotBuild(f"needed: {path}\nfound: no such file\nto make it: ninja -C {build} product")

    def counters(self):
        folder = COMPILERS / "counting"
        folder.mkdir(parents=True, exist_ok=True)
        return counting.Counters(folder, self.links[0])


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else str(part).encode())
        total.update(b"\0")
    return total.hexdigest()


SCRIPT = """#!/bin/bash
for word in "$@"; do
  case $word in -c|-S|-E|-M|-MM) exec {environment} {compiler} {words} "$@" ;; esac
done
exec {environment} {compiler} {words} "$@" {link}
"""


def write_compilers(folder, variant, redflag):
    """The scripts cc and c++ of a variant."""
    folder.mkdir(parents=True, exist_ok=True)
    link = " ".join(map(str, redflag.counters().link_words())) if variant.counts else ""
    for name, clang in (("cc", "clang-19"), ("c++", "clang++-19")):
        if variant.uses_redflag:
            compiler, words = f"{redflag.command} {name} --compiler={clang}", variant.words
        else:
            compiler, words = clang, variant.words
        environment = f"env {variant.environment}" if variant.environment else ""
        text = SCRIPT.format(environment=environment, compiler=compiler, words=" ".join(words), link=link)
        script = folder / name
        if not script.exists() or script.read_text() != text:
            script.write_text(text)
            script.chmod(0o755)


class Build:
    """One program in one variant."""

    def __init__(self, name, recipe, variant, redflag):
        self.name, self.recipe, self.variant, self.redflag = name, recipe, variant, redflag
        self.folder = BUILT / name / variant.name
        self.output = self.folder / recipe.output
        self.log = LOGS / f"{name}-{variant.name}.log"
        self.compilers = COMPILERS / variant.name
        self.cc, self.cxx = self.compilers / "cc", self.compilers / "c++"
        self.flags = " ".join(FLAGS)

    def source(self, package):
        """A source package's folder in this build."""
        return self.folder / package

    def run(self, *words, cwd=None, **environment):
        """A step; one that fails ends the build."""
        with self.log.open("a") as log:
            log.write(f"\n$ {' '.join(map(str, words))}\n")
            log.flush()
            ended = subprocess.run([str(word) for word in words], cwd=cwd or self.source(self.recipe.sources[0]), stdout=log,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env={**os.environ, "LC_ALL": "C", **{k: str(v) for k, v in environment.items()}})
        if ended.returncode != 0:
            last = "\n  ".join(self.log.read_text(errors="replace").splitlines()[-12:])
            raise CannotBuild(f"needed: {self.name}, built as {self.variant.name}\nfound: a step that ended with "
                              f"status {ended.returncode}:\n  {last}\nthe whole log: {self.log}")

    def configure(self, *words, cwd=None, **environment):
        """The first step, which is not done again to link again: it would have everything compiled."""
        mark = (cwd or self.source(self.recipe.sources[0])) / ".configured"
        if not mark.exists():
            self.run("./configure", *words, cwd=cwd, **environment)
            mark.touch()

    def make(self, *words, cwd=None, **environment):
        self.run("make", f"-j{os.cpu_count()}", *words, cwd=cwd, **environment)

    def ready(self):
        """The program, built if it must be."""
        write_compilers(self.compilers, self.variant, self.redflag)
        is_checked = self.variant.uses_redflag
        compiled = digest(inspect.getsource(self.recipe.steps), self.cc, self.cxx, *FLAGS, *self.recipe.files,
                          *(self.redflag.compiles if is_checked else []))
        counter = [self.redflag.counters().object] if self.variant.counts else []
        linked = digest(*(self.redflag.links if is_checked else []), *counter)
        stamp = self.folder / ".built"
        old = stamp.read_text().split() if stamp.exists() else ["", ""]
        if old == [compiled, linked] and self.output.exists():
            return self.output
        LOGS.mkdir(parents=True, exist_ok=True)
        self.log.write_text("")
        stamp.unlink(missing_ok=True)
        if old[0] == compiled:
            self.output.unlink(missing_ok=True)
        else:
            self.copy_sources()
        self.recipe.steps(self)
        if not self.output.exists():
            raise CannotBuild(f"needed: {self.output}\nfound: a build that ended well without it\nthe log: {self.log}")
        stamp.write_text(f"{compiled} {linked}")
        return self.output

    def copy_sources(self):
        missing = missing_packages(self.recipe.needs)
        if missing:
            raise NoSources(f"needed: {' '.join(self.recipe.needs)}, to build {self.name}\nfound: not installed: "
                            f"{' '.join(missing)}\nto mend it: apt-get install {' '.join(missing)}\n"
                            "or else: bench/run real --only with other programs")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for package in self.recipe.sources:
            shutil.copytree(fetch(package), self.source(package), symlinks=True)


def missing_packages(names):
    if not names:
        return []
    ran = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n", *names], capture_output=True, text=True)
    installed = {line.split()[1] for line in ran.stdout.splitlines() if line.startswith("installed ")}
    return [name for name in names if name not in installed]
