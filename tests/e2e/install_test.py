"""`cmake --install` puts everything where a user finds it, and the installed command works by itself."""
import os
import subprocess
import sys

import tool
from tool import CLEAN, RACES, Case

BUILD = ""


class Install(Case):
    def test_install(self):
        to = self.path("usr")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", to], check=True, capture_output=True)
        found = {os.path.relpath(os.path.join(folder, name), to) for folder, _, names in os.walk(to) for name in names}
        for name in ("bin/redflag", "bin/redflag-cc", "bin/redflag-c++", "bin/redflag-nvcc", "share/man/man1/redflag.1", "share/bash-completion/completions/redflag",
                     "share/zsh/site-functions/_redflag", "share/fish/vendor_completions.d/redflag.fish"):
            self.assertIn(name, found)
        for name in found:
            if name.startswith("share/"):
                self.assertGreater(os.path.getsize(os.path.join(to, name)), 100, name)
        # Wherever this system keeps its libraries.
        for name in ("libredflag.a", "libredflag-static.a", "redflag/gcc/static.specs", "libredflag.so", "libredflag.syms", "redflag/gcc/libtsan.so", "redflag/cuda/libcudart.so.13", "redflag/cuda/libredflag-cuda.so",
                     "cmake/Redflag/RedflagConfig.cmake", "cmake/Redflag/RedflagConfigVersion.cmake"):
            self.assertTrue([one for one in found if one.endswith("/" + name)], name)
        tool.REDFLAG = os.path.join(to, "bin/redflag")
        self.run_tool("replay", "racy.trace", expect=RACES)
        doctor = self.run_tool("doctor", expect=CLEAN).out
        if any(name.endswith("libredflag-mpi.so") for name in found):
            self.assertIn(to, doctor)
        libraries = subprocess.run(["ldd", tool.REDFLAG], capture_output=True, check=True).stdout.decode()
        self.assertNotIn("libmpi", libraries)

    def test_cuda(self):
        """The emulated GPU from an installed prefix, also after that was moved. No nvcc: the program's fat binary is made by the assembler."""
        prefix = self.path("first")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
        moved = self.path("second/place")
        os.makedirs(os.path.dirname(moved))
        program = self.path("wrong")
        for to in (prefix, moved):
            if to == moved:
                os.rename(prefix, moved)
            library, = [os.path.join(folder, name) for folder, _, names in os.walk(to) for name in names if name == "libcudart.so.13"]
            folder = os.path.dirname(library)
            if to == prefix:
                runtime = os.path.join(tool.ROOT, "tests/cuda/runtime")
                subprocess.run(["cc", "-g", f'-DKERNELS="{runtime}/kernels.ptx"', '-DPTX_KIND_TEXT="1"', os.path.join(runtime, "wrong.c"), "-o", program,
                                "-L" + folder, "-l:libcudart.so.13", "-Wl,--allow-shlib-undefined"], check=True, capture_output=True, timeout=60)
            tool.REDFLAG = os.path.join(to, "bin/redflag")
            done = self.run_tool("run", "--json=report.json", "--", program, "collide", expect=RACES)
            self.assertIn("gpu-inter-block", done.err)
            self.assertIn("kernels.cu", done.err)
            # What nvcc is told, and the plain flags, name the library where it is now.
            self.write("nvcc", "#!/bin/sh\nfor word; do echo \"$word\"; done\n")
            os.chmod(self.path("nvcc"), 0o755)
            said = self.run_tool("nvcc", "app.cu", "-o", "app", env={"REDFLAG_NVCC": self.path("nvcc")}, expect=CLEAN).out.split("\n")
            self.assertIn("-rpath=" + folder, said)
            self.assertEqual(said[-4:], ["app.cu", "-o", "app", ""])
            self.assertIn(f"-cudart shared -lineinfo -g -Xlinker -rpath={folder}", self.run_tool("flags", "nvcc", expect=CLEAN).out)
            # One word, as build systems want it.
            alone = subprocess.run([os.path.join(to, "bin/redflag-nvcc"), "app.cu"], env={**os.environ, "REDFLAG_NVCC": self.path("nvcc")},
                                   capture_output=True, text=True, timeout=60)
            self.assertIn("-rpath=" + folder, alone.stdout.split("\n"), alone.stderr)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(3))
    tool.main()
