"""The programs: where their sources are, how each is built, what it is given to do, and what says
that it did it right.

Loads are the same for every variant of a program. `sizes` has three of them: full for figures (a
second or so natively), quick for a look, for hunting false reports and for counting, small for the
oracle, which is quadratic in the accesses of a byte: a few million events. {size} in a command is
that number, {data} a text of so many KiB, {frames} a clip of so many frames, {work} an empty
folder. What a run results in is text: the digest of its output, or lines of what it printed; it
must be the same in every variant.
"""

import dataclasses
import hashlib
import re
from pathlib import Path

from build import Recipe
from servers import Memcached, Redis, Unbound

HERE = Path(__file__).resolve().parent


def zstd(build):
    build.make("-C", "programs", "zstd", f"CC={build.cc}", f"CFLAGS={build.flags}", "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0",
               "ZSTD_LEGACY_SUPPORT=0")


def pbzip2(build):
    bzip2 = build.source("bzip2")
    build.make("libbz2.a", f"CC={build.cc}", f"CFLAGS={build.flags} -D_FILE_OFFSET_BITS=64", cwd=bzip2)
    # It is one command that compiles and links; its makefile adds to CXXFLAGS of the environment.
    build.make("pbzip2", f"CXX={build.cxx}", f"LDLIBS={bzip2}/libbz2.a -lpthread", CXXFLAGS=f"{build.flags} -std=gnu++98 -I{bzip2}")


def pigz(build):
    zlib = build.source("zlib")
    build.configure("--static", cwd=zlib, CC=build.cc, CFLAGS=build.flags)
    build.make("libz.a", cwd=zlib)
    build.make("pigz", f"CC={build.cc}", f"CFLAGS={build.flags} -I{zlib}", f"LDFLAGS=-L{zlib}", "LIBS=-lm -lpthread -lz")


def leveldb(build):
    build.run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={build.cc}", f"-DCMAKE_CXX_COMPILER={build.cxx}",
              f"-DCMAKE_CXX_FLAGS={build.flags} -DNDEBUG", "-DCMAKE_CXX_STANDARD=17", "-DLEVELDB_BUILD_TESTS=OFF",
              "-DHAVE_SNAPPY=OFF", "-DHAVE_CRC32C=OFF", "-DHAVE_TCMALLOC=OFF", "-DHAVE_SQLITE3=OFF", "-DHAVE_KYOTOCABINET=OFF")
    build.make("-C", "build", "db_bench")


def redis(build):
    build.make("-C", "src", "redis-server", "redis-benchmark", f"CC={build.cc}", "MALLOC=libc", "OPTIMIZATION=-O2", "DEBUG=-g1",
               "USE_SYSTEMD=no", "BUILD_TLS=no", "WARN=-w")


def sqlite(build):
    build.configure("--disable-tcl", "--disable-readline", "--disable-shared", CC=build.cc, CFLAGS=build.flags)
    build.make("sqlite3.c")
    build.run(build.cc, *build.flags.split(), "-DSQLITE_THREADSAFE=1", "-DSQLITE_ENABLE_UNLOCK_NOTIFY", "-I.", "sqlite3.c",
              HERE / "sqlite_threads.c", "-o", "sqlite_threads", "-lm", "-ldl", "-lpthread")


def xz(build):
    build.configure("--disable-shared", "--disable-nls", "--disable-doc", "--disable-scripts", "--disable-lzmainfo",
                    CC=build.cc, CFLAGS=build.flags)
    build.make()


def x264(build):
    build.configure("--disable-asm", "--disable-avs", "--disable-swscale", "--disable-lavf", "--disable-ffms", "--disable-gpac",
                    "--disable-lsmash", "--disable-opencl", f"--extra-cflags={build.flags}", CC=build.cc)
    build.make("x264")


def memcached(build):
    build.configure("--disable-docs", "--disable-coverage", CC=build.cc, CFLAGS=build.flags)
    build.make("memcached")


def unbound(build):
    build.configure("--with-pthreads", "--without-libevent", "--disable-flto", "--disable-shared", "--disable-rpath",
                    "--without-pythonmodule", "--without-pyunbound", CC=build.cc, CFLAGS=build.flags)
    # The parser that comes with the sources is as good as a new one, which would need bison and
    # flex.
    build.run("touch", "util/configlexer.c", "util/configparser.c", "util/configparser.h")
    build.make("unbound")


def lbzip2(build):
    # Its copy of gnulib is older than this C library and does not recognise it without Debian's
    # patches.
    build.configure(CC=build.cc, CFLAGS=f"{build.flags} -D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100")
    build.make()


RECIPES = {
    "zstd": Recipe(("libzstd",), "libzstd/programs/zstd", zstd),
    "pbzip2": Recipe(("pbzip2", "bzip2"), "pbzip2/pbzip2", pbzip2),
    "pigz": Recipe(("pigz", "zlib"), "pigz/pigz", pigz),
    "leveldb": Recipe(("leveldb",), "leveldb/build/db_bench", leveldb, ("libgtest-dev", "libgmock-dev")),
    "redis": Recipe(("redis",), "redis/src/redis-server", redis),
    "sqlite": Recipe(("sqlite3",), "sqlite3/sqlite_threads", sqlite, ("tcl",), (HERE / "sqlite_threads.c",)),
    "xz": Recipe(("xz-utils",), "xz-utils/src/xz/xz", xz),
    "x264": Recipe(("x264",), "x264/x264", x264),
    "memcached": Recipe(("memcached",), "memcached/memcached", memcached, ("libevent-dev",)),
    "unbound": Recipe(("unbound",), "unbound/unbound", unbound, ("libssl-dev", "libexpat1-dev")),
    "lbzip2": Recipe(("lbzip2",), "lbzip2/src/lbzip2", lbzip2),
}


def output_digest(ran):
    return hashlib.sha256(ran.out).hexdigest()


def printed(pattern):
    """The lines that the pattern finds in what the program printed."""
    def result(ran):
        return "\n".join(re.findall(pattern, (ran.out + ran.err).decode(errors="replace"), re.M))
    return result


@dataclasses.dataclass(frozen=True)
class Sizes:
    full: int
    quick: int
    small: int


@dataclasses.dataclass(frozen=True)
class Command:
    """A load that is one command."""

    words: tuple  # after the program's own name
    sizes: Sizes
    result: object = output_digest
    undo: tuple = ()  # how the program undoes it: natively, what comes out is compared with the data
    small: tuple = ()  # more words for the small load, so that little work is shared out as well

    def words_of(self, size):
        return (*self.small, *self.words) if size == self.sizes.small else self.words


@dataclasses.dataclass(frozen=True)
class Program:
    recipe: str
    load: object


DB_BENCH = ("--db={work}/db", "--threads=4", "--num={size}", "--write_buffer_size=262144",
            "--benchmarks=fillrandom,readrandom,readwhilewriting,compact")

PROGRAMS = {
    "zstd": Program("zstd", Command(("-T2", "-3", "-q", "-c", "{data}"), Sizes(98_304, 16_384, 600), undo=("-d", "-q", "-c"), small=("-B512KiB",))),
    "pbzip2": Program("pbzip2", Command(("-p2", "-k", "-c", "-1", "{data}"), Sizes(16_384, 4_096, 150), undo=("-d", "-c"))),
    "pigz": Program("pigz", Command(("-p", "2", "-n", "-m", "-c", "{data}"), Sizes(24_576, 6_144, 200), undo=("-d", "-c"), small=("-b", "32"))),
    "leveldb": Program("leveldb", Command(DB_BENCH, Sizes(40_000, 6_000, 150), printed(r"^readrandom .*(\(.* found\))"))),
    "redis1": Program("redis", Redis(Sizes(60_000, 10_000, 60), io_threads=1)),
    "redis4": Program("redis", Redis(Sizes(10_000, 1_500, 40), io_threads=4)),
    "sqlite": Program("sqlite", Command(("{work}/db", "4", "{size}"), Sizes(1_500, 300, 6))),
    "xz": Program("xz", Command(("-T2", "-1", "-c", "{data}"), Sizes(16_384, 4_096, 160), undo=("-d", "-c"), small=("--block-size=64KiB",))),
    "x264": Program("x264", Command(("--quiet", "--threads=3", "--preset=veryfast", "--input-res=352x288", "--fps=25", "-o", "/dev/stdout",
                                     "--muxer=raw", "--demuxer=raw", "{frames}"), Sizes(60, 12, 3))),
    "memcached": Program("memcached", Memcached(Sizes(200_000, 30_000, 1_000))),
    "unbound": Program("unbound", Unbound(Sizes(80_000, 15_000, 300))),
    "lbzip2": Program("lbzip2", Command(("-n2", "-k", "-c", "-1", "{data}"), Sizes(16_384, 4_096, 150), undo=("-d", "-c"))),
}
SMALL_PART = ("zstd", "leveldb")  # of `ctest -L real`
