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
        for name in ("bin/redflag", "bin/redflag-cc", "bin/redflag-c++", "share/man/man1/redflag.1", "share/bash-completion/completions/redflag",
                     "share/zsh/site-functions/_redflag", "share/fish/vendor_completions.d/redflag.fish"):
            self.assertIn(name, found)
        for name in found:
            if name.startswith("share/"):
                self.assertGreater(os.path.getsize(os.path.join(to, name)), 100, name)
        # Wherever this system keeps its libraries.
        for name in ("libredflag.a", "libredflag-static.a", "redflag/gcc/static.specs", "libredflag.so", "libredflag.syms", "redflag/gcc/libtsan.so",
                     "cmake/Redflag/RedflagConfig.cmake", "cmake/Redflag/RedflagConfigVersion.cmake"):
            self.assertTrue([one for one in found if one.endswith("/" + name)], name)
        tool.REDFLAG = os.path.join(to, "bin/redflag")
        self.run_tool("replay", "racy.trace", expect=RACES)
        doctor = self.run_tool("doctor", expect=CLEAN).out
        if any(name.endswith("libredflag-mpi.so") for name in found):
            self.assertIn(to, doctor)
        libraries = subprocess.run(["ldd", tool.REDFLAG], capture_output=True, check=True).stdout.decode()
        self.assertNotIn("libmpi", libraries)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(3))
    tool.main()
