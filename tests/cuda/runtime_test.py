"""CUDA programs under `redflag run`, without nvcc: what is found, how it is told, and what bad input is answered with."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import tool  # noqa: E402
from tool import BAD_INPUT, CLEAN, RACES  # noqa: E402

PROGRAMS = os.path.join(os.path.abspath(sys.argv.pop(3)), "tests")


class Runtime(tool.Case):
    def program(self, name):
        return os.path.join(PROGRAMS, name)

    def wrong(self, what, *options, expect=RACES, env=None):
        """Runs the program with one mistake; gives its findings and the run itself."""
        done = self.run_tool("run", "--json=report.json", *options, "--", self.program("cuda_wrong"), what, expect=expect, env=env)
        report = json.loads(self.read("report.json"))
        return report["findings"], done

    def test_a_right_program_is_clean(self):
        done = self.run_tool("run", "--json=report.json", "--", self.program("cuda_api"), expect=CLEAN)
        self.assertIn("all families of the API work", done.out)
        self.assertEqual(json.loads(self.read("report.json"))["findings"], [])
        self.assertIn("cudaIpcGetMemHandle is not supported", done.err)

    def test_blocks_that_collide(self):
        findings, done = self.wrong("collide")
        rules = {f["rule"] for f in findings}
        self.assertIn("gpu-inter-block", rules)
        frame = findings[0]["second"]["stack"][0]
        self.assertEqual((os.path.basename(frame["file"]), frame["line"]), ("kernels.cu", 20))
        self.assertIn("collide", done.err)

    def test_streams_without_order(self):
        findings, _ = self.wrong("streams")
        self.assertEqual({f["rule"] for f in findings}, {"gpu-host-device"})

    def test_a_copy_in_another_stream(self):
        findings, done = self.wrong("copy")
        self.assertEqual({f["rule"] for f in findings}, {"gpu-host-device"})
        self.assertIn("wrong.c", done.err)  # where the copy was called

    def test_a_copy_from_pageable_memory_does_not_wait_for_the_data(self):
        findings, _ = self.wrong("pageable")
        self.assertEqual({f["rule"] for f in findings}, {"gpu-host-device"})
        for right in ("pageable-ok", "pageable-before"):
            self.wrong(right, expect=CLEAN)

    def test_the_host_reads_managed_memory_too_early(self):
        findings, done = self.wrong("managed")
        self.assertEqual({f["rule"] for f in findings}, {"gpu-host-device"})
        self.assertIn("wrong.c", done.err)
        self.wrong("managed-ok", expect=CLEAN)

    def test_textures_and_surfaces(self):
        program = self.program("cuda_images")
        done = self.run_tool("run", "--", program, expect=CLEAN)
        self.assertIn("arrays, textures and surfaces work", done.out)
        self.assertIn("cudaMallocMipmappedArray is not supported", done.err)
        for what, rule, lines in (("streams", "gpu-host-device", ("kernels.cu:50", "kernels.cu:51")),
                                  ("freed", "gpu-use-after-free", ("kernels.cu:50",))):
            with self.subTest(what):
                done = self.run_tool("run", "--json=report.json", "--", program, what, expect=RACES)
                self.assertEqual({f["rule"] for f in json.loads(self.read("report.json"))["findings"]}, {rule})
                for line in lines:
                    self.assertIn(line, done.err)

    def test_faults(self):
        for what, rule in (("bounds", "gpu-out-of-bounds"), ("misaligned", "gpu-misaligned"), ("freed", "gpu-use-after-free")):
            with self.subTest(what):
                findings, done = self.wrong(what)
                self.assertEqual([f["rule"] for f in findings], [rule])
                self.assertIn("scale", done.err)
                self.assertIn("kernels.cu:12", done.err)

    def test_a_crash_keeps_what_was_found(self):
        findings, done = self.wrong("crash")
        self.assertTrue(findings)
        self.assertIn("signal 6", done.err)

    def test_a_kernel_without_end(self):
        findings, done = self.wrong("forever", "--timeout=1")
        self.assertEqual([f["rule"] for f in findings], ["gpu-stuck"])
        self.assertIn("kernels.cu:40", done.err)

    def test_all_formats(self):
        self.run_tool("run", "--sarif=r.sarif", "--html=r.html", "--junit=r.xml", "--", self.program("cuda_wrong"), "collide", expect=RACES)
        sarif = json.loads(self.read("r.sarif"))
        self.assertTrue(sarif["runs"][0]["results"][0]["ruleId"].startswith("gpu-"))
        self.assertIn("collide", self.read("r.html"))
        self.assertIn("gpu-", self.read("r.xml"))

    def test_schedules_say_their_seeds(self):
        findings, done = self.wrong("collide", "--schedules=3", "--seed=5")
        self.assertIn("schedule 3 of 3, --seed=7", done.err)
        self.assertIn("--seed=5", findings[0]["advice"])

    def test_the_programs_own_status(self):
        done = self.run_tool("run", "--", self.program("cuda_wrong"), "nothing", expect=3)
        self.assertIn("no kernel was launched", done.err.replace("cudaMemset", ""))

    def test_exit_status_and_suppression(self):
        self.run_tool("run", "--exit-status=9", "--", self.program("cuda_wrong"), "collide", expect=9)
        self.write("s.txt", "race:collide\n")
        self.run_tool("run", "--suppressions=s.txt", "--", self.program("cuda_wrong"), "collide", expect=CLEAN)

    def test_without_redflag_run(self):
        import subprocess
        done = subprocess.run([self.program("cuda_wrong"), "collide"], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, RACES)
        self.assertIn(b"gpu-inter-block", done.stderr)

    def test_ptx_with_a_syntax_error(self):
        done = self.run_tool("run", "--", self.program("cuda_syntax"), expect=BAD_INPUT)
        self.assertIn("kernel collide", done.err)
        self.assertIn(":7:", done.err)

    def test_ptx_of_a_newer_version(self):
        done = self.run_tool("run", "--", self.program("cuda_newer"), expect=BAD_INPUT)
        self.assertIn("PTX version 10.4 is newer than 9.0", done.err)
        self.assertIn("to mend it", done.err)

    def test_a_program_that_is_cut_off(self):
        with open(self.program("cuda_wrong"), "rb") as file:
            self.write("cut", file.read()[:-5000])
        os.chmod(os.path.join(self.folder, "cut"), 0o755)
        done = self.run_tool("run", "--", "./cut", expect=BAD_INPUT)
        self.assertIn("cut off", done.err)

    def test_no_ptx(self):
        done = self.run_tool("run", "--", self.program("cuda_no_ptx"), expect=BAD_INPUT)
        self.assertIn("sm_80", done.err)
        self.assertIn("-gencode", done.err)
        done = self.run_tool("run", "--force", "--json=report.json", "--", self.program("cuda_no_ptx"), expect=BAD_INPUT)
        self.assertIn("kernel collide", done.err)
        self.assertIn("not looked at: 1 kernel without PTX (collide)", done.err)
        self.assertEqual(json.loads(self.read("report.json"))["unchecked"], [{"kind": "kernel", "name": "collide", "count": 1}])

    def test_a_recording_gives_the_same_findings(self):
        findings, _ = self.wrong("streams", "--record=run.rft")
        self.assertNotIn("run.rft.kernels", " ".join(self.files()))
        info = self.run_tool("trace", "info", "run.rft", expect=CLEAN)
        self.assertIn("GPU kernels", info.out)
        self.assertIn("scale, grid 1x1x1, block 64x1x1", info.out)
        self.run_tool("replay", "--json=replayed.json", "run.rft", expect=RACES)
        again = json.loads(self.read("replayed.json"))["findings"]

        def what(finding):
            sides = [(f["access"]["kind"], [(x["function"], x["line"]) for x in f["stack"]]) for f in (finding["first"], finding["second"])]
            return finding["rule"], sides, finding["advice"]

        self.assertEqual([what(f) for f in again], [what(f) for f in findings])
        done = self.run_tool("trace", "check", "run.rft", expect=BAD_INPUT)
        self.assertIn("a trace of GPU kernels", done.err)
        # What memory it was: where it was allocated, at replay too.
        self.assertEqual([(f["memory"]["size"], [x["line"] for x in f["memory_stack"]]) for f in again],
                         [(f["memory"]["size"], [x["line"] for x in f["memory_stack"]]) for f in findings])
        self.assertEqual(again[0]["memory"]["size"], 256)

    def test_detectors_of_the_papers(self):
        """The same race by each detector, while the kernel runs and from its trace."""
        self.wrong("collide", "--record=run.rft")
        for name in ("ptx_model", "barracuda", "curd", "scord", "iguard"):
            with self.subTest(name):
                findings, done = self.wrong("collide", f"--detector={name}", "--stats")
                self.assertEqual(json.loads(self.read("report.json"))["detector"], name)
                self.assertIn("gpu-inter-block", {f["rule"] for f in findings})
                self.assertIn(20, {f["second"]["stack"][0]["line"] for f in findings})
                done = self.run_tool("replay", f"--detector={name}", "--stats", "--json=replayed.json", "run.rft", expect=RACES)
                self.assertRegex(done.err + done.out, r"\nmetadata +[0-9]")
                again = json.loads(self.read("replayed.json"))
                self.assertEqual(again["detector"], name)
                self.assertEqual([(f["rule"], f["second"]["stack"][0]["line"]) for f in again["findings"]],
                                 [(f["rule"], f["second"]["stack"][0]["line"]) for f in findings])
                self.assertGreater(next(c["value"] for c in again["stats"] if c["name"] == "metadata"), 0)
        # Their options, and what they do not look at.
        self.wrong("collide", "--detector=iguard", "--accessors=8", "--granularity=16")
        self.wrong("collide", "--detector=scord", "--no-metadata-cache", "--granularity=8")
        self.wrong("collide", "--detector=curd", "--eager")
        self.wrong("streams", "--detector=scord", expect=CLEAN)

    def test_a_detector_of_the_other_kind(self):
        self.wrong("collide", "--record=run.rft")
        done = self.run_tool("replay", "--detector=fasttrack", "run.rft", expect=BAD_INPUT)
        self.assertIn("a trace of GPU kernels", done.err)
        self.assertIn("--detector=ptx_model|barracuda|curd|scord|iguard", done.err)
        self.run_tool("trace", "generate", "--events=1000", "threads.rft", expect=CLEAN)
        done = self.run_tool("replay", "--detector=scord", "threads.rft", expect=BAD_INPUT)
        self.assertIn("no trace of GPU kernels", done.err)
        _, done = self.wrong("collide", "--detector=fasttrack")
        self.assertIn("redflag replay --detector=fasttrack", done.err)

    def test_rule_counters_of_live_runs(self):
        _, done = self.wrong("collide", "--detector=scord", "--stats")
        stats = {c["name"]: c["value"] for c in json.loads(self.read("report.json"))["stats"]}
        self.assertGreater(stats["III(a) initialisation"], 0)
        self.assertGreater(stats["IV(b) missing device fence"], 0)
        self.assertRegex(done.err, r"IV\(b\) missing device fence +[1-9]")
        self.wrong("collide", "--detector=scord")
        self.assertEqual(json.loads(self.read("report.json"))["stats"], [])

    def compared(self, *words, expect=RACES):
        """The comparison as JSON, its rows by lines, and the run."""
        done = self.run_tool("detectors", "compare", "--json=compared.json", *words, expect=expect)
        made = json.loads(self.read("compared.json"))
        return made, {tuple(os.path.basename(line) for line in row["lines"]): row for row in made["rows"]}, done

    def test_all_detectors_on_one_run(self):
        made, rows, done = self.compared("--rules", "--html=compared.html", "--", self.program("cuda_wrong"), "collide")
        names = [d["name"] for d in made["detectors"]]
        self.assertEqual(names[0], "ptx_model")
        self.assertLessEqual({"scord", "iguard"}, set(names))
        row = rows["kernels.cu:20", "kernels.cu:20"]
        self.assertIn("inter-block", row["classes"])
        self.assertEqual({n: row["detectors"][n]["found"] for n in names}, {n: True for n in names})
        for detector in made["detectors"]:
            self.assertGreater(detector["seconds"], 0)
            self.assertGreater(detector["metadata_bytes"], 0)
            self.assertEqual(detector["unexplained"], 0)
        self.assertIn("kernels.cu:20 / kernels.cu:20", done.out)
        self.assertRegex(done.out, r"IV\(b\) missing device fence +[1-9]")
        self.assertIn("R4 inter-block race", self.read("compared.html"))

    def test_a_comparison_names_the_limit(self):
        self.wrong("streams", "--record=run.rft")
        made, rows, done = self.compared("run.rft")
        for row in rows.values():
            self.assertTrue(row["race"])
            self.assertEqual(row["detectors"]["scord"], {"found": False, "causes": ["other launch"]})
            self.assertEqual(row["detectors"]["iguard"]["causes"], ["other launch"])
        self.assertIn("scord missed", done.out)
        self.assertIn("launches, and the host, are not compared with each other", done.out)

    def test_nothing_to_compare(self):
        done = self.run_tool("detectors", "compare", "--", self.program("cuda_wrong"), "nothing", expect=BAD_INPUT)
        self.assertIn("launched none", done.err)
        done = self.run_tool("detectors", "compare", "racy.trace", expect=BAD_INPUT)
        self.assertIn("a trace of threads of the CPU", done.err)
        self.assertIn("redflag replay", done.err)
        self.write("noise.rft", b"\0\1\2 no trace")
        done = self.run_tool("detectors", "compare", "noise.rft", expect=BAD_INPUT)
        self.assertIn("is neither", done.err)
        done = self.run_tool("detectors", "compare", "--", "/bin/ls", expect=BAD_INPUT)
        self.assertIn("loads no runtime library of CUDA", done.err)
        done = self.run_tool("detectors", "compare", "no-such-program", expect=BAD_INPUT)
        self.assertIn("no program 'no-such-program'", done.err)
        done = self.run_tool("detectors", "compare", "no-such.rft", expect=BAD_INPUT)
        self.assertIn("no file 'no-such.rft'", done.err)
        self.assertIn("--record=no-such.rft", done.err)
        self.wrong("collide", "--record=run.rft")
        with open(self.path("run.rft"), "rb") as file:
            self.write("cut.rft", file.read()[:-40])
        self.run_tool("detectors", "compare", "cut.rft", expect=BAD_INPUT)
        done = self.run_tool("detectors", "compare", "run.rft", "run.rft", expect=BAD_INPUT)
        self.assertIn("one trace", done.err)
        done = self.run_tool("detectors", "compare", "--json=no/such/folder.json", "run.rft", expect=BAD_INPUT)
        self.assertIn("no/such", done.err)

    def test_signals_lose_nothing(self):
        """Findings and trace are there after abort() and after kill -9 in the middle of a kernel."""
        for what, line in (("crash", 20), ("killed", 50)):
            with self.subTest(what):
                findings, done = self.wrong(what, "--record=run.rft")
                self.assertEqual({f["second"]["stack"][0]["line"] for f in findings}, {line}, done.err)
                self.assertEqual([name for name in self.files() if name.startswith("run.")], ["run.rft"])
                self.assertIn("collide", self.run_tool("trace", "info", "run.rft", expect=CLEAN).out)
                self.run_tool("replay", "run.rft", expect=RACES)

    def test_managed_variables(self):
        findings, done = self.wrong("variable")
        self.assertEqual({f["rule"] for f in findings}, {"gpu-host-device"})
        self.assertIn("wrong.c", done.err)
        self.wrong("variable-ok", expect=CLEAN)

    def test_no_emulation(self):
        done = self.run_tool("run", "--no-emulate", "--", self.program("cuda_wrong"), "collide", expect=BAD_INPUT)
        self.assertIn("no instrumentation", done.err)


tool.main()
