"""One run of one program: the command with its placeholders filled in, in an empty folder, with the
tools' reports asked for.

CPU time and peak memory are those of the program's own process, as the kernel counts them when it
ends. A server is started, given its load by a client that is built natively, and ended by SIGTERM:
then only the server counts.
"""

import dataclasses
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fetch import CACHE

HERE = Path(__file__).resolve().parent
DATA = CACHE / "data"
RACES_FOUND = 66  # the exit status of both tools
LIMIT = 600  # seconds for one run
SYMBOLIZER = Path("/usr/lib/llvm-19/bin/llvm-symbolizer")  # where Debian has it; TSan looks on PATH for one of another name
KIB = 1 << 10


class WentWrong(Exception):
    """A run that did not end as it must: what was run, what was found."""


@dataclasses.dataclass
class Ran:
    cpu: float  # seconds, user and system
    peak: int  # bytes, resident
    status: int
    out: bytes
    err: bytes
    result: str = ""
    report: Path = None  # the folder with what the tools wrote
    command: str = ""


def text_data(kib):
    """A file of words, as frequent as in a language; always the same."""
    path = DATA / f"text-{kib}"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        rng = random.Random(20)
        words = ["".join(rng.choices("etaoinshrdlucmfwyp", k=rng.randint(2, 9))) for _ in range(20_000)]
        weights = [1 / (i + 3) for i in range(len(words))]
        text = bytearray()
        while len(text) < kib * KIB:
            text += " ".join(rng.choices(words, weights, k=100_000)).encode() + b"\n"
        path.write_bytes(text[:kib * KIB])
    return path


def clip_data(frames):
    """Raw video, 352x288: stripes that move over a still background."""
    path = DATA / f"clip-{frames}"
    if not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        width, height = 352, 288
        rng = random.Random(21)
        still = bytes(rng.choices(range(60, 120), k=width * height))
        stripe = bytes(range(0, 256, 2)) * 4
        video = bytearray()
        for frame in range(frames):
            picture = bytearray(still)
            for row in range(40, 200):
                at = row * width + (frame * 5 + row // 3) % 200
                picture[at:at + 128] = stripe[frame % 64:frame % 64 + 128]
            video += picture + bytes([110 + frame % 20]) * (width * height // 2)
        path.write_bytes(video)
    return path


def filled(words, size, work, **more):
    """The command's words with their placeholders filled in."""
    values = {"size": size, "work": work, **more}
    lazily = {"data": text_data, "frames": clip_data}
    for name, make in lazily.items():
        if any("{" + name + "}" in word for word in words):
            values[name] = make(size)
    return [word.format(**values) for word in words]


def environment(report):
    """Both tools write what they find into the folder `report`."""
    clean = {k: v for k, v in os.environ.items() if k not in ("TSAN_OPTIONS", "REDFLAG_OPTIONS", "REDFLAG_COUNTS")}
    tsan = f"log_path={report}/tsan" + (f":external_symbolizer_path={SYMBOLIZER}" if SYMBOLIZER.exists() else "")
    return {**clean, "LC_ALL": "C", "TSAN_OPTIONS": tsan, "REDFLAG_OPTIONS": f"json={report}/redflag.json"}


def made(name):
    """A program of this folder, compiled natively when its source is newer."""
    source = next(HERE.glob(f"{name}.c*"))
    program = CACHE / "build" / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        compiler = ["clang-19"] if source.suffix == ".c" else ["clang++-19", "-std=c++20"]
        subprocess.run([*compiler, "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", program], check=True)
    return program


class Process:
    """A program that runs, with its output in files, started by launch.c, which says what it used."""

    def __init__(self, command, work, env):
        self.command = [str(word) for word in command]
        self.used = work.report / "used"
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.popen = subprocess.Popen([made("launch"), self.used, *self.command], stdout=self.out, stderr=self.err,
                                      stdin=subprocess.DEVNULL, env=env, cwd=work.run)

    def is_running(self):
        return self.popen.poll() is None

    def ended(self, limit=LIMIT):
        """Waits for its end; a Ran."""
        try:
            self.popen.wait(limit)
        except subprocess.TimeoutExpired as late:
            self.popen.kill()
            self.popen.wait()
            raise WentWrong(f"{' '.join(self.command)}\ndid not end in {limit} s; it said:\n{self.said()}") from late
        if self.popen.returncode != 0:
            raise WentWrong(f"{' '.join(self.command)}\ncannot be started: {self.said()}")
        microseconds, kilobytes, status = map(int, self.used.read_text().split())
        return Ran(microseconds / 1e6, kilobytes * 1024, os.waitstatus_to_exitcode(status), self.read(self.out), self.read(self.err),
                   command=" ".join(self.command))

    @staticmethod
    def read(file):
        file.seek(0)
        return file.read()

    def said(self):
        return (self.read(self.out)[-1000:] + self.read(self.err)[-2000:]).decode(errors="replace")


class Work:
    """An empty folder for one run, and one for the reports; `with`."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="redflag-real-"))
        self.run, self.report = self.folder / "run", self.folder / "report"
        self.run.mkdir()
        self.report.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def run_load(load, prefix, program, size, work, env=None):
    """Runs a load by `prefix program ...`; a Ran with its result."""
    env = env or environment(work.report)
    if hasattr(load, "serve"):
        ran = load.serve(prefix, program, size, work, env)
    else:
        ran = Process([*prefix, program, *filled(load.words_of(size), size, work.run)], work, env).ended()
        ran.result = load.result(ran)
    if ran.status not in (0, RACES_FOUND):
        raise WentWrong(f"{ran.command}\nended with status {ran.status}; it said:\n{(ran.out[-500:] + ran.err[-3000:]).decode(errors='replace')}")
    if not ran.result:
        raise WentWrong(f"{ran.command}\nprinted nothing that could be compared:\n{ran.out[-1000:].decode(errors='replace')}")
    ran.report = work.report
    return ran


def undone(load, program, ran, size):
    """Whether undoing what a compressor made gives the data again."""
    with tempfile.TemporaryFile() as packed:
        packed.write(ran.out)
        packed.seek(0)
        back = subprocess.run([program, *load.undo], stdin=packed, capture_output=True)
    return back.stdout == text_data(size).read_bytes()


def tsan_prefix(compiler="clang-19"):
    """TSan's fixed shadow regions clash with much address randomisation on some systems: then it runs without."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "empty"
        subprocess.run([compiler, "-fsanitize=thread", "-x", "c", "-", "-o", program], input="int main(void) { return 0; }\n", text=True, check=True)
        if all(subprocess.run([program], capture_output=True).returncode == 0 for _ in range(5)):
            return []
        ran = subprocess.run(["setarch", "-R", program], capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"needed: ThreadSanitizer that runs\nfound: an empty program that ends with status {ran.returncode}:\n{ran.stderr[-500:]}")
        return ["setarch", "-R"]
