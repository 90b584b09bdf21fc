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
        self.assertIn("needed: a definition of 'redflag_enter'", refused.err)
        self.assertIn("cannot read", self.run_tool("ptx", "--rewrite", "--runtime=none.ptx", data("ptx", "sync.sm_75.ptx"), expect=BAD_INPUT).err)

    def test_graph(self):
        file = data("ptx", "sync.sm_75.ptx")
        graph = self.run_tool("ptx", file, "--cfg=_Z7publishPiPj", expect=CLEAN).out
        self.assertIn("B0 [0, ", graph)
        self.assertIn("post-dominator B2", graph)
        self.assertEqual(self.run_tool("ptx", file, "--cfg=publish(int*, unsigned int*)", expect=CLEAN).out, graph)
        self.assertIn("_Z5lanesPiPf", self.run_tool("ptx", file, "--cfg=nothing", expect=BAD_INPUT).err)

    def test_proof(self):
        bfs = os.path.join(tool.ROOT, "bench", "cuda", "bfs.ptx")
        said = self.run_tool("ptx", "--proof", bfs, expect=CLEAN).out
        self.assertRegex(said, r"connect\n  plain: nothing can race")
        self.assertRegex(said, r"level\n  lean: only what may race has hooks")
        self.assertRegex(said, r"1 of 6 accesses may race, for all that is known\n    bfs.cu:31: st.global.u32 \[")
        self.assertRegex(said, r"its address was read from memory, by 'atom.global.add.u32 .*' at .*\(from bfs.cu:\d+\)")
        one = self.run_tool("ptx", "--proof", "--kernel=connect", "--grid=2,1", "--block=64", "--param=2=100", bfs, expect=CLEAN).out
        self.assertNotIn("level", one)
        self.assertIn("asked with --grid=2,1,1 --block=64,1,1; parameters 0: buffer 1, 1: buffer 2, 2: 100\n", one)
        self.assertIn("full: every access has a hook", self.run_tool("ptx", "--proof", "--kernel=connect", "--param=0=same:1", bfs, expect=CLEAN).out)
        # What has no proof says so.
        calls = self.run_tool("ptx", "--proof", data("programs", "device_malloc_ok.ptx"), expect=CLEAN).out
        linked = self.run_tool("ptx", "--proof", data("ptx", "calls.sm_75.ptx"), expect=CLEAN).out
        self.assertIn("since other modules may be linked to it", linked)
        self.assertRegex(calls, r"full: every access has a hook, since 'call.* malloc.*' calls a function")

    def test_proof_of_64_bits(self):
        file = data("ptx", "wide.sm_75.ptx")
        for more in ((), ("--grid=32", "--block=256")):
            said = self.run_tool("ptx", "--proof", *more, file, expect=CLEAN).out
            for kernel in ("guarded", "strided", "last", "turned"):
                self.assertRegex(said, kernel + r"\n  plain: ")
            self.assertRegex(said, r"racy\n  full: ")
        # Many turns, and rows that reach into the next.
        self.assertIn("plain", self.run_tool("ptx", "--proof", "--kernel=strided", "--param=3=1000000000", file, expect=CLEAN).out)
        self.assertIn("0 of 2", self.run_tool("ptx", "--proof", "--kernel=pitched", "--param=3=64", "--param=4=64", file, expect=CLEAN).out)
        self.assertIn("2 of 2", self.run_tool("ptx", "--proof", "--kernel=pitched", "--param=3=65", "--param=4=64", "--param=1=same:0", file, expect=CLEAN).out)

    def test_proof_of_what_is_not_there(self):
        bfs = os.path.join(tool.ROOT, "bench", "cuda", "bfs.ptx")
        for words, said in ((("--proof", "--kernel=nothing"), "no kernel is named 'nothing'; there are:\n    connect"),
                            (("--proof", "--grid=0"), "--grid needs one to three numbers from 1 to 2,147,483,647; found '0'"),
                            (("--proof", "--block=64,64"), "--block=64,64 has 4,096 threads; needed at most 1,024"),
                            (("--proof", "--param=x"), "such as --param=2=4096"),
                            (("--proof", "--param=9=1"), "kernel 'connect' has 3 parameters, counted from 0; found 9"),
                            (("--grid=4",), "--grid is an option of the proof; add --proof")):
            done = self.run_tool("ptx", *words, bfs, expect=BAD_INPUT)
            self.assertIn(said, done.err)
            self.assertEqual(done.out, "")

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
