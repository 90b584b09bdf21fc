"""redflag ptx: what it lists, prints and refuses."""
import os

import tool
from tool import BAD_INPUT, CLEAN, Case


def data(*names):
    return os.path.join(tool.ROOT, "tests", "cuda", *names)


class Ptx(Case):
    def test_list(self):
        done = self.run_tool("ptx", data("fatbin", "zstd.fatbin"), expect=CLEAN)
        self.assertIn("kernel    _Z5scalePffi  scale(float*, float, int)", done.out)
        self.assertIn("machine code for sm_80", done.out)
        self.assertIn("compute_90): PTX 9.0 for sm_90", done.out)
        self.assertEqual(done.err, "")

    def test_dump_can_be_read_again(self):
        text = self.run_tool("ptx", "--dump", data("ptx", "calls.sm_75.ptx"), expect=CLEAN).out
        self.write("again.ptx", text)
        self.assertEqual(self.run_tool("ptx", "--dump", "again.ptx", expect=CLEAN).out, text)

    def test_rewritten(self):
        done = self.run_tool("ptx", "--rewrite", data("ptx", "sync.sm_75.ptx"), expect=CLEAN)
        self.assertIn(".extern .func redflag_load(.param .b64", done.out)
        self.assertIn(".param .u64 redflag_launch)", done.out)
        self.assertIn("call.uni redflag_barrier_pass", done.out)
        self.assertRegex(done.err, r"sync.sm_75.ptx: \d+ accesses, \d+ hooks; left out")
        self.write("hooked.ptx", done.out)
        self.assertIn("kernel", self.run_tool("ptx", "hooked.ptx", expect=CLEAN).out)
        self.write("runtime.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n")
        refused = self.run_tool("ptx", "--rewrite", "--runtime=runtime.ptx", data("ptx", "sync.sm_75.ptx"), expect=BAD_INPUT)
        self.assertIn("needs to define 'redflag_enter'", refused.err)
        self.assertIn("cannot read", self.run_tool("ptx", "--rewrite", "--runtime=none.ptx", data("ptx", "sync.sm_75.ptx"), expect=BAD_INPUT).err)

    def test_graph(self):
        file = data("ptx", "sync.sm_75.ptx")
        graph = self.run_tool("ptx", file, "--cfg=_Z7publishPiPj", expect=CLEAN).out
        self.assertIn("B0 [0, ", graph)
        self.assertIn("post-dominator B2", graph)
        self.assertEqual(self.run_tool("ptx", file, "--cfg=publish(int*, unsigned int*)", expect=CLEAN).out, graph)
        self.assertIn("_Z5lanesPiPf", self.run_tool("ptx", file, "--cfg=nothing", expect=BAD_INPUT).err)

    def test_unknown_instructions_are_named(self):
        done = self.run_tool("ptx", data("ptx", "isa.ptx"), expect=CLEAN)
        self.assertRegex(done.err, r"isa.ptx:\d+:2: unknown form of vadd2")
        self.assertIn("1 unknown instructions", done.out)

    def test_bad_input(self):
        with open(data("fatbin", "zstd.fatbin"), "rb") as file:
            self.write("cut.fatbin", file.read()[:-100])
        self.write("bad.ptx", ".version 8.0\n.target sm_80\n.entry k() { mov.b32 %r0, 1; }\n")
        self.write("newer.ptx", ".version 10.4\n.target sm_200\n")
        for name, said in (("cut.fatbin", "cut off or damaged"), ("newer.ptx", "newer.ptx:1:10: PTX version 10.4 is newer than 9.0"), ("bad.ptx", "bad.ptx:3:22: register '%r0' is not declared"),
                           (data("fatbin", "cubin_only.fatbin"), "code=compute_75"), ("racy.trace", "found none of them"),
                           (tool.REDFLAG, "holds no GPU code"), ("absent", "absent")):
            done = self.run_tool("ptx", name, expect=BAD_INPUT)
            self.assertIn(said, done.err)
            self.assertEqual(done.out, "")


if __name__ == "__main__":
    tool.main()
