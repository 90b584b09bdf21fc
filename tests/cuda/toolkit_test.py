"""With the CUDA toolkit: the ABI against its header, every entry point of its library, and programs built by `redflag nvcc`."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import tool  # noqa: E402
from tool import BAD_INPUT, CLEAN, RACES  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(3))
NVCC = shutil.which("nvcc") or next(
    (p for p in ("/usr/local/cuda/bin/nvcc",) if os.access(p, os.X_OK)), None)
if NVCC is None:
    print("skipped: no nvcc here")
    sys.exit(77)
CUDA = os.path.dirname(os.path.dirname(os.path.realpath(NVCC)))


class Toolkit(tool.Case):
    def build(self, source, *flags, output=None):
        output = output or self.path(os.path.splitext(os.path.basename(source))[0])
        # Machine code, which takes nvcc longest, is never run: one program has it, as by default.
        if source != "vector_add.cu" and not any("arch" in flag for flag in flags):
            flags = ("-gencode", "arch=compute_80,code=compute_80", *flags)
        self.run_tool("nvcc", "-O1", *flags, os.path.join(HERE, "toolkit", source), "-o", output, expect=CLEAN)
        return output

    def check(self, source, rules, *flags, status=None, options=()):
        program = self.build(source, *flags)
        done = self.run_tool("run", "--json=report.json", *options, "--", program, expect=status or (RACES if rules else CLEAN))
        found = {f["rule"] for f in json.loads(self.read("report.json"))["findings"]}
        self.assertEqual(found, set(rules), done.err)
        return done

    def test_abi(self):
        include = next((p for p in (CUDA + "/include", "/usr/local/cuda/include") if os.path.exists(p + "/cuda_runtime_api.h")), None)
        if include is None:
            self.skipTest("no cuda_runtime_api.h")
        subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I" + tool.ROOT, "-isystem", include,
                        os.path.join(HERE, "runtime", "abi_check.cpp")], check=True, timeout=120)

    def test_every_entry_point_is_there(self):
        library = next((p for p in (CUDA + "/lib64/libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.13") if os.path.exists(p)), None)
        if library is None:
            self.skipTest("no libcudart.so.13 of NVIDIA's")

        def names(path):
            text = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
            found = {line.split()[-1].split("@")[0] for line in text.splitlines()}
            return {name for name in found if name.startswith(("cuda", "__cuda"))}

        ours = names(os.path.join(BUILD, "lib/redflag/cuda/libcudart.so.13"))
        self.assertEqual(names(library) - ours, set())
        self.assertEqual({name for name in ours if not name.startswith(("cuda", "__cuda"))}, set())

    def test_vector_add(self):
        self.check("vector_add.cu", [])

    def test_rules_of_the_papers_on_a_device(self):
        done = self.check("papers.cu", [], "-std=c++20", "-I" + tool.ROOT)
        self.assertIn("4096 of 4096 decided alike", done.out)
        done = self.check("regions.cu", [], "-std=c++20", "-DCASES=64", "-I" + tool.ROOT)
        self.assertIn("64 of 64 decided alike", done.out)

    def test_reduction(self):
        done = self.check("reduction.cu", ["gpu-intra-block"], "-DRACE")
        self.assertIn("reduction.cu", done.err)
        self.check("reduction.cu", [])

    def test_examples(self):
        folder = os.path.join(tool.ROOT, "examples")
        done = self.check(os.path.join(folder, "last_block_race.cu"), ["gpu-scoped-fence"])
        for line in ("last_block_race.cu:17", "last_block_race.cu:22", "__threadfence()"):
            self.assertIn(line, done.err)
        self.check(os.path.join(folder, "last_block_ok.cu"), [])

    def test_streams(self):
        self.check("streams.cu", ["gpu-host-device"], "-DRACE")
        self.check("streams.cu", [])

    def test_managed(self):
        self.check("managed.cu", ["gpu-host-device"], "-DRACE")
        self.check("managed.cu", [])

    def test_grid_sync(self):
        self.check("grid_sync.cu", ["gpu-inter-block"], "-DRACE")
        self.check("grid_sync.cu", [])

    def test_cuda_atomic(self):
        self.check("atomic.cu", ["gpu-inter-block"], "-DRACE", "-std=c++17")
        self.check("atomic.cu", [], "-std=c++17")

    def test_relocatable_code(self):
        program = self.path("linked")
        sources = [os.path.join(HERE, "toolkit", name) for name in ("linked_main.cu", "linked_part.cu")]
        for flags in (["-gencode", "arch=compute_80,code=compute_80"], ["-arch=sm_80"]):
            self.run_tool("nvcc", "-rdc=true", *flags, *sources, "-o", program, expect=CLEAN)
            self.run_tool("run", "--", program, expect=CLEAN)

    def test_ptx_is_added(self):
        program = self.build("vector_add.cu", "-gencode", "arch=compute_80,code=sm_80")
        self.run_tool("run", "--", program, expect=CLEAN)

    def test_programs_built_otherwise(self):
        source = os.path.join(HERE, "toolkit", "vector_add.cu")
        for flags, said in ((["-cudart", "static"], "-cudart static"), (["-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80"], "sm_80")):
            subprocess.run([NVCC, *flags, source, "-o", self.path("other")], check=True, timeout=120)
            done = self.run_tool("run", "--", self.path("other"), expect=BAD_INPUT)
            self.assertIn(said, done.err)
            self.assertIn("redflag nvcc", done.err)

    def test_plain_flags(self):
        source = os.path.join(HERE, "toolkit", "vector_add.cu")
        subprocess.run([NVCC, "-cudart", "shared", "-lineinfo", source, "-o", self.path("plain")], check=True, timeout=120)
        self.run_tool("run", "--", self.path("plain"), expect=CLEAN)


tool.main()
