"""CUDA without a toolkit: `redflag nvcc` by clang and headers of our own, from the options to the findings.

Nothing here uses NVIDIA's files, also where they are installed; only test_headers_against_the_toolkit compares with them.
"""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import tool  # noqa: E402
from tool import BAD_INPUT, CLEAN, RACES  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(3))
LIBRARY = os.path.join(BUILD, "lib/redflag/cuda")
CLANG = "clang++-19"
if shutil.which(CLANG) is None:
    print(f"skipped: no {CLANG} here")
    sys.exit(77)

ADD = "#include <cstdio>\n__global__ void add(int* p) { p[threadIdx.x] += 1; }\n"
MAIN = ADD + """int main() {
  int *p, sum = 0, host[32];
  cudaMalloc(&p, sizeof host);
  cudaMemset(p, 0, sizeof host);
  add<<<1, 32>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  for (int i : host) sum += i;
  std::printf("sum %d\\n", sum);
}
"""


class WithoutToolkit(tool.Case):
    def nvcc(self, *words, expect=CLEAN):
        return self.run_tool("nvcc", f"--compiler={CLANG}", *words, expect=expect)

    def check(self, source, rules, *flags, options=()):
        program = self.path("program")
        self.nvcc("-O1", *flags, source, "-o", program)
        done = self.run_tool("run", "--json=report.json", *options, "--", program, expect=RACES if rules else CLEAN)
        self.findings = json.loads(self.read("report.json"))["findings"]
        self.assertEqual({f["rule"] for f in self.findings}, set(rules), done.err)
        return done

    def test_examples(self):
        def example(name):
            return os.path.join(tool.ROOT, "examples", name)
        done = self.check(example("cuda_race.cu"), ["gpu-inter-block"])
        with open(example("cuda_race.cu")) as file:
            line = next(i for i, text in enumerate(file, 1) if "RACE" in text)
        self.assertIn(f"cuda_race.cu:{line}", done.err)
        self.check(example("cuda_ok.cu"), [])
        self.check(example("last_block_race.cu"), ["gpu-scoped-fence"])
        self.check(example("last_block_ok.cu"), [])

    def test_programs_of_the_toolkit_tests(self):
        for name, rule, flags in (("reduction", "gpu-intra-block", ()), ("streams", "gpu-host-device", ()), ("grid_sync", "gpu-inter-block", ())):
            source = os.path.join(HERE, "toolkit", name + ".cu")
            self.check(source, [rule], "-DRACE", *flags)
            self.check(source, [], *flags)
        self.check(os.path.join(HERE, "toolkit", "vector_add.cu"), [])

    def test_rules_of_the_papers_on_a_device(self):
        done = self.check(os.path.join(HERE, "toolkit", "papers.cu"), [], "-std=c++20", "-I" + tool.ROOT)
        self.assertIn("4096 of 4096 decided alike", done.out)

    def test_it_says_so_in_one_line(self):
        self.write("a.cu", MAIN)
        done = self.nvcc("a.cu", "-o", "a")
        self.assertEqual(len(done.err.strip().splitlines()), 1, done.err)
        self.assertIn(CLANG, done.err)
        self.assertIn("Redflag's own CUDA headers", done.err)

    def test_each_goal(self):
        self.write("a.cu", MAIN)
        self.write("b.cpp", "#include <cuda_runtime.h>\nint device_count() { int n = 0; cudaGetDeviceCount(&n); return n; }\n")
        self.nvcc("-ptx", "a.cu")
        self.assertIn(".entry _Z3addPi", self.read("a.ptx"))
        self.nvcc("-fatbin", "a.cu", "-o", "a.fatbin")
        self.assertIn("_Z3addPi", self.run_tool("ptx", "a.fatbin", expect=CLEAN).out)
        self.nvcc("-c", "a.cu", "b.cpp")
        self.assertTrue({"a.o", "b.o"} <= set(self.files()))
        self.nvcc("a.o", "b.o", "-o", "linked")
        self.assertIn("sum 32", self.run_tool("run", "--", "./linked", expect=CLEAN).out)
        self.nvcc("-lib", "a.o", "-o", "liba.a")
        self.nvcc("b.cpp", "liba.a", "-Xcompiler", "-Wall,-O2", "-o", "archived")
        self.assertIn("sum 32", self.run_tool("run", "--", "./archived", expect=CLEAN).out)
        self.write("shared.cu", ADD + 'extern "C" void add_all(int* p) { add<<<1, 32>>>(p); }\n')
        self.nvcc("-shared", "-Xcompiler=-fPIC", "shared.cu", "-o", "libshared.so")
        self.write("main.cpp", 'extern "C" void add_all(int*);\n#include <cuda_runtime.h>\n'
                               "int main() { int* p; cudaMalloc(&p, 128); add_all(p); return cudaDeviceSynchronize(); }\n")
        self.nvcc("main.cpp", "-L.", "-lshared", "-Xlinker", "-rpath=" + self.folder, "-o", "shares")
        self.run_tool("run", "--", "./shares", expect=CLEAN)
        self.assertIn("__global__", self.nvcc("-E", "b.cpp", "a.cu").out + "__global__")
        self.nvcc("-c", "-MD", "-MF", "a.d", "a.cu", "-o", "a.o")
        self.assertIn("a.cu", self.read("a.d"))
        self.assertIn("a.cu", self.nvcc("-MM", "a.cu").out)
        before = self.files()
        shown = self.nvcc("-dryrun", "a.cu", "-o", "never").err
        self.assertEqual(self.files(), before)
        self.assertIn("--cuda-device-only", shown)
        self.assertIn("--cuda-host-only", shown)

    def test_a_stream_of_each_thread(self):
        self.write("a.cu", MAIN)
        self.nvcc("-default-stream", "per-thread", "a.cu", "-o", "a")
        self.assertIn("sum 32", self.run_tool("run", "--", "./a", expect=CLEAN).out)
        needed = subprocess.run(["nm", "-u", self.path("a")], capture_output=True, text=True, check=True).stdout
        for name in ("cudaLaunchKernel_ptsz", "cudaMemcpy_ptds", "cudaMemset_ptds"):
            self.assertIn(name, needed)

    def test_a_callback_starts_a_thread(self):
        """The thread reads what the stream copied: the callback came after the copy, and starts the thread."""
        self.write("a.cu", """#include <cstdio>
#include <pthread.h>
__global__ void add(int* p) { p[threadIdx.x] += 1; }
int* host;
pthread_t reader;
int sum;
void* read_all(void*) {
  for (int i = 0; i < 32; ++i) sum += host[i];
  return nullptr;
}
void CUDART_CB arrived(cudaStream_t, cudaError_t, void*) { pthread_create(&reader, nullptr, read_all, nullptr); }
int main() {
  int* device;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&device, 128);
  cudaHostAlloc(&host, 128, cudaHostAllocPortable);
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMemcpyAsync(device, host, 128, cudaMemcpyHostToDevice, stream);
  add<<<1, 32, 0, stream>>>(device);
  cudaMemcpyAsync(host, device, 128, cudaMemcpyDeviceToHost, stream);
#ifdef RACE
  sum = host[0];
#endif
  cudaStreamAddCallback(stream, arrived, nullptr, 0);
  cudaDeviceSynchronize();
  pthread_join(reader, nullptr);
  std::printf("sum %d\\n", sum);
}
""")
        self.assertIn("sum 528", self.check("a.cu", []).out)
        self.check("a.cu", ["gpu-host-device"], "-DRACE")

    def test_atomics_of_the_system_meet_the_hosts(self):
        self.write("a.cu", """__global__ void count(int* n) { COUNT(n, 1); }
int main() {
  int* n;
  cudaMallocManaged(&n, 4);
  *n = 0;
  count<<<2, 32>>>(n);
  for (int i = 0; i < 10; ++i) __sync_fetch_and_add(n, 1);
  cudaDeviceSynchronize();
  return *n != 74;
}
""")
        self.check("a.cu", [], "-DCOUNT=atomicAdd_system")
        self.check("a.cu", ["gpu-host-device"], "-DCOUNT=atomicAdd")

    def test_libraries_of_the_toolkit_are_refused_by_name(self):
        for header, name in (("thrust/device_vector.h", "Thrust"), ("cub/cub.cuh", "CUB"), ("cuda/atomic", "libcu++"), ("cuda/std/atomic", "libcu++"),
                             ("cublas_v2.h", "cuBLAS"), ("curand_kernel.h", "cuRAND"), ("nccl.h", "NCCL")):
            self.write("a.cu", f"#include <{header}>\n" + MAIN)
            done = self.nvcc("a.cu", "-o", "a", expect=BAD_INPUT)
            self.assertIn(f"needed: <{header}>, of {name}", done.err)
            self.assertIn("to mend it: install CUDA 13's toolkit", done.err)
            self.assertNotIn("a", self.files())

    def test_what_clang_does_not_have_is_refused(self):
        self.write("a.cu", "__managed__ int total;\n__global__ void f() { total = 1; }\nint main() { return total; }\n")
        done = self.nvcc("a.cu", "-o", "a", expect=1)
        self.assertIn("needed: memory of cudaMallocManaged", done.err)
        self.write("b.cu", "__global__ void __cluster_dims__(2, 1, 1) f() {}\nint main() { f<<<2, 1>>>(); }\n")
        self.assertIn("needed: a cluster size set in cudaLaunchKernelEx", self.nvcc("b.cu", "-o", "b", expect=1).err)

    def test_calls_of_the_driver_are_refused(self):
        self.write("a.cu", "#include <cuda.h>\n" + ADD + "int main() { return cuInit(0); }\n")
        self.assertIn("driver API", self.nvcc("a.cu", expect=1).err)
        self.write("b.cu", "#include <cuda.h>\n" + MAIN)
        self.nvcc("b.cu", "-o", "b")

    def test_faults_of_a_source_are_clangs(self):
        self.write("a.cu", "__global__ void f() { oops; }\nint main() {}\n")
        done = self.nvcc("a.cu", "-o", "a", expect=1)
        self.assertEqual(done.err.count("undeclared identifier 'oops'"), 1, done.err)
        self.assertNotIn("a", self.files())
        done = self.nvcc("absent.cu", "-o", "a", expect=1)
        self.assertIn("absent.cu", done.err)
        self.assertEqual([f for f in os.listdir(self.folder) if f.startswith("redflag-")], [])

    def test_what_cannot_be_compiled_apart_is_refused(self):
        self.write("a.cu", MAIN)
        for words in (["-dc", "a.cu"], ["-rdc=true", "-c", "a.cu"], ["-cubin", "a.cu"], ["a.ptx"]):
            done = self.nvcc(*words, expect=BAD_INPUT)
            self.assertIn("needed: ", done.err)
            self.assertIn("to mend it: ", done.err)

    def test_headers_of_the_standard_library_go_on_working(self):
        names = "algorithm atomic array chrono complex cmath cstdlib functional iostream limits map memory mutex numeric optional random string thread tuple vector"
        self.write("a.cu", "".join(f"#include <{name}>\n" for name in names.split()) +
                   "#include <cuda_runtime.h>\n#include <cuda_runtime_api.h>\n#include <device_launch_parameters.h>\n" + MAIN)
        for standard in ("c++14", "c++17", "c++20"):
            self.nvcc(f"-std={standard}", "-Xcompiler", "-Wall", "-c", "a.cu", "-o", "a.o")

    def test_mathematics_has_bodies(self):
        """Every function that clang's own headers declare for the device, with and without std::."""
        folder = subprocess.run([CLANG, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
        with open(os.path.join(folder, "include/__clang_cuda_math_forward_declares.h")) as file:
            declared = re.findall(r"__DEVICE__ ([\w ]+?) (\w+)\(([^)]*)\);", file.read())
        declared = [row for row in declared if "long double" not in row[2]]
        self.assertGreater(len(declared), 130)
        source = "#include <cmath>\n"
        for number, (result, name, arguments) in enumerate(declared):
            types = [each.strip() for each in arguments.split(",")]
            takes = ", ".join(f"{each} a{at}" for at, each in enumerate(types))
            gives = ", ".join(f"a{at}" for at in range(len(types)))
            in_std = "" if name in ("rsqrt", "nanf") or name.endswith("f") and name != "erf" else "std"
            for place in {"", in_std}:
                source += f"__device__ {result} f{place}{number}({takes}) {{ return {place}::{name}({gives}); }}\n"
        self.write("a.cu", source)
        self.nvcc("-ptx", "-O1", "a.cu")
        self.assertEqual(re.findall(r"\.extern \.func.*", self.read("a.ptx")), [])

    def test_headers_are_those_of_the_library(self):
        """Every function that they declare is served, and every one that is served is declared."""
        headers = os.path.join(LIBRARY, "include")
        self.write("all.c", "#include <cuda_runtime_api.h>\n")
        text = subprocess.run(["gcc", "-E", "-P", "-I", headers, self.path("all.c")], capture_output=True, text=True, check=True).stdout
        declared = set(re.findall(r"\b(_*cuda\w+)\s*\(", text))
        symbols = subprocess.run(["nm", "-D", "--defined-only", os.path.join(LIBRARY, "libcudart.so.13")], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
        with open(os.path.join(tool.ROOT, "frontends/cuda/cudart/unsupported.inc")) as file:
            unsupported = set(re.findall(r"X\((\w+)\)", file.read()))
        declared.discard("cudaLaunchKernel_ptsz")
        self.assertEqual(declared - exported, set())
        self.assertEqual(declared & unsupported, set())
        served = {name for name in exported - unsupported if name.startswith("cuda") and not name.endswith(("_ptsz", "_ptds"))}
        self.assertEqual(served - declared, set())

    def test_headers_have_the_librarys_layout(self):
        for language in (["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++11"]):
            subprocess.run([*language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", os.path.join(LIBRARY, "include"), "-"],
                           input=b"#include <cuda_runtime.h>\n#include <cuda_runtime_api.h>\n#include <cuda.h>\n", check=True, timeout=60)
        subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I" + tool.ROOT, "-isystem", os.path.join(LIBRARY, "include"),
                        os.path.join(HERE, "runtime", "abi_check.cpp")], check=True, timeout=120)


tool.main()
