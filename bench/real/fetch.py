"""Sources: Debian source packages, by `apt-get source` from the registry that this machine installs
from.

The machine's own lists of packages are copied with `deb` changed to `deb-src` into a folder of our
own, so the system's lists stay as they are and no registry is named here. What was fetched once is
kept and used again without a network. `apt-get source` unpacks a package and applies Debian's
patches; nothing else of Debian's rules is used.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redflag" / "real"
SYSTEM = Path("/etc/apt")


class NoSources(Exception):
    """What was needed, what was found, what to do: for people."""


def sources_of_this_machine():
    """The machine's lists in the form of apt's .sources and .list files, for sources: (suffix, text) pairs."""
    files = [SYSTEM / "sources.list", *sorted((SYSTEM / "sources.list.d").glob("*"))]
    texts = []
    for path in files:
        if not path.is_file() or path.suffix not in (".list", ".sources"):
            continue
        text = path.read_text()
        if path.suffix == ".sources":
            texts.append((".sources", re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)))
        else:
            lines = [re.sub(r"^deb(-src)?\s", "deb-src ", line) for line in text.splitlines()]
            texts.append((".list", "\n".join(dict.fromkeys(lines)) + "\n"))
    return texts


class Apt:
    """apt-get with lists of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.is_updated = False
        self.parts = folder / "sources"
        self.log = folder / "apt.log"
        (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (folder / "archives" / "partial").mkdir(parents=True, exist_ok=True)

    def run(self, *arguments, cwd=None):
        options = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": self.parts,
                   "Dir::State::lists": self.folder / "lists", "Dir::Cache": self.folder, "APT::Sandbox::User": "root",
                   "Acquire::Retries": 2, "Acquire::http::Timeout": 20, "APT::Update::Error-Mode": "any"}
        words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        ran = subprocess.run(["apt-get", "-q", *words, *arguments], cwd=cwd, capture_output=True, text=True,
                             env={**os.environ, "LC_ALL": "C"})
        with self.log.open("a") as log:
            log.write(f"$ apt-get {' '.join(arguments)}\n{ran.stdout}{ran.stderr}")
        return ran

    def update(self):
        if self.is_updated:
            return
        shutil.rmtree(self.parts, ignore_errors=True)
        self.parts.mkdir()
        for i, (suffix, text) in enumerate(sources_of_this_machine()):
            (self.parts / f"{i}{suffix}").write_text(text)
        ran = self.run("update")
        if ran.returncode != 0:
            raise NoSources(f"needed: Debian's source packages, by apt-get\nfound: {last_words(ran)}\n"
                            f"to mend it: look at the network and at {SYSTEM}/sources.list.d; the whole log is {self.log}\n"
                            "or else: programs whose sources are kept already: bench/run real --only PROGRAM")
        self.is_updated = True


def last_words(ran):
    lines = [line for line in (ran.stdout + ran.stderr).splitlines() if line.startswith(("E:", "W:", "Err"))]
    return " ".join(lines[-2:]) or f"apt-get ended with status {ran.returncode}"


def fetch(package):
    """The folder with the unpacked sources of a source package."""
    home = CACHE / "source" / package
    done = home / "unpacked"
    if done.exists():
        return home / done.read_text()
    if shutil.which("apt-get") is None or shutil.which("dpkg-source") is None:
        raise NoSources("needed: apt-get and dpkg-source\nfound: a system without them\n"
                        "to mend it: apt-get install dpkg-dev, on Debian 12")
    apt = Apt(CACHE / "apt")
    apt.update()
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    ran = apt.run("source", package, cwd=home)
    folders = [path for path in home.iterdir() if path.is_dir()]
    if ran.returncode != 0 or len(folders) != 1:
        folders = [upstream(apt, package, home)]
    for archive in home.glob("*.tar.*"):
        archive.unlink()
    done.write_text(folders[0].name)
    return folders[0]


def upstream(apt, package, home):
    """Registries that keep only a part of Debian may have a package's archive without Debian's patches: that alone, then."""
    ran = apt.run("source", "--tar-only", package, cwd=home)
    archives = list(home.glob("*.orig.tar.*"))
    if ran.returncode != 0 or len(archives) != 1:
        raise NoSources(f"needed: the source package {package}\nfound: {last_words(ran)}\nto mend it: look at {apt.log}\n"
                        f"or else: unpack its sources into {home}/{package}, and: echo -n {package} > {home}/unpacked")
    folder = home / package
    folder.mkdir()
    subprocess.run(["tar", "-x", "-f", archives[0], "-C", folder, "--strip-components=1"], check=True)
    return folder
