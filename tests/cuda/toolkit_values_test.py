"""What the CUDA headers of our own compute: each program of tests/cuda/toolkitless, compiled by clang and run on the emulated GPU.

A program compares what its kernels compute with what the host does, and says how many values were wrong.
"""
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import tool  # noqa: E402

CLANG = "clang++-19"
if shutil.which(CLANG) is None:
    print(f"skipped: no {CLANG} here")
    sys.exit(77)
del sys.argv[3:]


class ToolkitValues(tool.Case):
    def test_values(self):
        sources = sorted(glob.glob(os.path.join(HERE, "toolkitless", "*.cu")))
        self.assertTrue(sources)
        for source in sources:
            for level in ("-O0", "-O1", "-O3"):
                with self.subTest(source=os.path.basename(source), level=level):
                    self.run_tool("nvcc", f"--compiler={CLANG}", level, "-arch=sm_80", source, "-o", self.path("values"), expect=tool.CLEAN)
                    done = self.run_tool("run", "--", self.path("values"), expect=tool.CLEAN)
                    self.assertRegex(done.out, r"[1-9]\d* values, 0 wrong")


tool.main()
