"""The Debian package: what is in it, what it asks for, and that it works from wherever it lies.

It is made by cpack of the build that is there, unpacked into a folder, and used from there. Nothing is installed, so what
apt makes of its dependencies is not seen here but by deb_test, in a fresh system.
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tool  # noqa: E402
from tool import CLEAN, RACES, Case  # noqa: E402

BUILD = ""
NAMES = ("cc", "c++", "fortran", "nvcc", "mpicc", "mpicxx", "mpifort", "oshcc")


def said_by(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: needed: status 0; found: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Package(Case):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="redflag-deb-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        # Compressed less than the package that is given away: xz takes most of this test's time.
        said_by("cpack", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.made,
                cwd=cls.made)
        cls.deb, = [os.path.join(cls.made, name) for name in os.listdir(cls.made) if name.endswith(".deb")]
        cls.root = os.path.join(cls.made, "root")
        said_by("dpkg-deb", "-x", cls.deb, cls.root)
        cls.fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)$", said_by("dpkg-deb", "-f", cls.deb), flags=re.M))
        cls.names = {os.path.relpath(os.path.join(folder, name), cls.root) for folder, _, names in os.walk(cls.root) for name in names}

    def test_contents(self):
        wanted = ["usr/bin/redflag", "usr/lib/redflag/bin/redflag", "usr/share/man/man1/redflag.1.gz", "usr/share/doc/redflag/copyright", "usr/share/doc/redflag/changelog.gz",
                  "usr/share/bash-completion/completions/redflag", "usr/share/zsh/site-functions/_redflag",
                  "usr/share/fish/vendor_completions.d/redflag.fish"]
        wanted += [f"usr/{folder}/redflag-{name}" for name in NAMES for folder in ("bin", "lib/redflag/bin")]
        wanted += [f"usr/share/man/man1/redflag-{name}.1.gz" for name in NAMES]
        self.assertEqual([name for name in wanted if name not in self.names], [], "not in the package")
        # All libraries that the build has, each in the same place.
        built = os.path.join(BUILD, "lib")
        for folder, _, names in os.walk(built):
            for name in names:
                inner = os.path.relpath(os.path.join(folder, name), built)
                is_ours = inner.startswith("redflag/") or inner.endswith((".so", ".syms")) or inner in ("libredflag.a", "libredflag-static.a")
                if is_ours and not inner.endswith("/libcudart.so"):  # that name is for NVIDIA's
                    self.assertIn("usr/lib/redflag/lib/" + inner, self.names)
        for folder in ("usr/lib", "usr/lib/redflag/lib"):
            self.assertIn(folder + "/cmake/Redflag/RedflagConfig.cmake", self.names)
        for name in self.names:
            self.assertRegex(name, r"^usr/(bin/redflag|lib/redflag/(bin|lib)/|lib/cmake/Redflag/|share/)")
            path = os.path.join(self.root, name)
            if not os.path.islink(path):
                self.assertEqual(os.stat(path).st_mode & 0o7777, 0o755 if name == "usr/lib/redflag/bin/redflag" else 0o644, name)
            if name.endswith((".cmake", ".syms", ".specs")):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                self.assertNotIn(BUILD, text, name)
                self.assertNotIn(tool.ROOT, text, name)

    def test_documents(self):
        with gzip.open(os.path.join(self.root, "usr/share/man/man1/redflag.1.gz"), "rt") as file:
            self.assertIn(".TH REDFLAG 1", file.read().upper())
        with gzip.open(os.path.join(self.root, "usr/share/doc/redflag/changelog.gz"), "rt") as file:
            self.assertIn(f"redflag ({self.fields['Version']})", file.readline())
        with open(os.path.join(self.root, "usr/share/doc/redflag/copyright"), encoding="utf-8") as file:
            self.assertIn("Apache-2.0", file.read())

    def test_dependencies(self):
        depends = self.fields["Depends"]
        for library in ("libc6 (>= ", "libstdc++6 (>= ", "libdw1 (>= ", "libzstd1 (>= "):
            self.assertIn(library, depends)
        # What only some programs need must not come with the command.
        for word in ("mpi", "llvm", "clang", "cuda", "python"):
            self.assertNotIn(word, depends)
        self.assertIn("clang-19", self.fields["Recommends"])
        for word in ("libopenmpi-dev", "openmpi-bin", "libomp-19-dev", "g++"):
            self.assertIn(word, self.fields["Suggests"])
        self.assertEqual(self.fields["Architecture"], said_by("dpkg", "--print-architecture").strip())
        self.assertEqual(self.fields["Package"], "redflag")
        # In KB; the links to the command are no copies of it.
        files = [os.path.join(self.root, name) for name in self.names]
        size = sum(os.path.getsize(path) for path in files if not os.path.islink(path)) // 1024
        self.assertAlmostEqual(int(self.fields["Installed-Size"]), size, delta=200)

    def test_lintian(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is not installed: apt-get install lintian")
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", self.deb], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_threads(self):
        tool.REDFLAG = os.path.join(self.root, "usr/bin/redflag")
        self.run_tool("replay", os.path.join(tool.ROOT, "examples/publish_race.trace"), expect=RACES)
        source = os.path.join(tool.ROOT, "examples/bank_race.cpp")
        for words in ((), ("--shared-runtime",)):
            self.run_tool("c++", *words, "-g", "-O1", source, "-o", "bank", expect=CLEAN)
            done = self.run_tool("run", "--", "./bank", expect=RACES)
            for line in self.marked(source):
                self.assertIn(f"bank_race.cpp:{line}", done.err)

    def test_kernel(self):
        """Without a CUDA toolkit, where the build has headers for that."""
        source = os.path.join(tool.ROOT, "examples/cuda_race.cu")
        if "usr/lib/redflag/lib/redflag/cuda/libdevice.bc" not in self.names or not os.path.exists(source) or shutil.which("clang++-19") is None:
            self.skipTest("this build compiles no kernels without a CUDA toolkit")
        tool.REDFLAG = os.path.join(self.root, "usr/bin/redflag")
        self.run_tool("nvcc", "--compiler=clang++-19", "-O1", source, "-o", "count", expect=CLEAN)
        done = self.run_tool("run", "--emulate", "--", "./count", expect=RACES)
        for line in self.marked(source):
            self.assertIn(f"cuda_race.cu:{line}", done.err)

    def test_cmake(self):
        build = self.path("visits")
        said_by("cmake", "-S", os.path.join(tool.ROOT, "tests/package/project"), "-B", build, "-DCMAKE_PREFIX_PATH=" + os.path.join(self.root, "usr"))
        said_by("cmake", "--build", build)
        done = subprocess.run(["ctest", "--test-dir", build, "--output-on-failure"], capture_output=True, text=True, timeout=60)
        self.assertRegex(done.stdout, r"racy_is_checked \.*\**Failed")
        self.assertRegex(done.stdout, r"locked_is_checked \.* +Passed")
        self.assertIn("counter.cpp:6", done.stdout)
        # Another version than the project asks for is told apart.
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(x CXX)\nfind_package(Redflag 9.0 REQUIRED)\n")
        refused = subprocess.run(["cmake", "-S", self.folder, "-B", self.path("b"), "-DCMAKE_PREFIX_PATH=" + os.path.join(self.root, "usr")],
                                 capture_output=True, text=True, timeout=60)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("RedflagConfig.cmake, version: 0.1.0", refused.stderr)

    def marked(self, source):
        with open(source, encoding="utf-8") as file:
            lines = [number for number, line in enumerate(file, 1) if "RACE" in line]
        self.assertTrue(lines, source)
        return lines


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(3))
    for program, package in (("dpkg-deb", "dpkg"), ("dpkg-shlibdeps", "dpkg-dev"), ("cpack", "cmake")):
        if shutil.which(program) is None:
            print(f"skipped: needed: {program}; found: none in PATH; to mend it: apt-get install {package}, on a Debian system")
            sys.exit(77)
    tool.main()
