"""`redflag run` and `redflag attend`: programs that speak the runtime's protocol by hand, so that every ending of a program and every
fault of a connection can be had at will; real programs are in wrap_test.py and the pairs of tests/e2e."""
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import textwrap
import time
import unittest

import tool
from tool import BAD_INPUT, CLEAN, RACES, Case

# What a runtime does, from frontends/cpu/wire/wire.h. A fake program imports it.
CLIENT = textwrap.dedent('''
    import os, socket, struct, sys
    MAGIC = 0x31574652
    HELLO, RACE, BYE = 1, 2, 3

    def message(kind, body):
        return struct.pack("<IIII", MAGIC, kind, len(body), os.getpid()) + body

    def access(addr, thread, kind, first_word, words):
        return struct.pack("<QQIIBBBBIIIII", addr, 1, 4, thread, kind, 0, 0, 0, 0, 0, 0, first_word, words)

    def race(place, apart=0):
        """A write against a write by two threads; `place` tells races apart. The earlier write is `apart` bytes from the racy ones."""
        words = [0x10000 + 16 * place, 0x20000 + 16 * place]
        body = struct.pack("<IIQBBHIIIIBBHQ", 0, 4, 0x7000 + 8 * place, 1, 0, 0, 2, 0, 0, len(words), 0, 0, 0, 0)
        body += access(0x7000 + 8 * place + apart, 0, 1, 0, 1) + access(0x7000 + 8 * place, 1, 1, 1, 1)
        body += struct.pack("<QQBBBBIIIIIII", 0, 0, 0, 0, 0, 0, 0xffffffff, 0, 0, 0, 0, 0xffffffff, 0)
        for number, parent, name in ((0, 0xffffffff, b"main"), (1, 0, b"worker")):
            body += struct.pack("<IIIBBHII24s", number, parent, 100 + number, 1, 0, 0, 0, 0, name)
        return body + struct.pack("<%dQ" % len(words), *words)

    class Runtime:
        def __init__(self, connection=None):
            if connection is None:
                connection = socket.socket(socket.AF_UNIX)
                name = os.environ["REDFLAG_SOCKET"]
                assert name[0] == "@", name
                connection.connect("\\0" + name[1:])
            self.connection = connection
            self.connection.sendall(message(HELLO, struct.pack("<II", 3, 0)))

        def race(self, place=0, apart=0):
            self.connection.sendall(message(RACE, race(place, apart)))
            reply = b""
            while len(reply) < 16:
                more = self.connection.recv(16 - len(reply))
                assert more, "the reporter went away"
                reply += more
            magic, verdict, findings, _ = struct.unpack("<IIII", reply)
            assert magic == MAGIC
            return verdict, findings

        def bye(self, status=0):
            self.connection.sendall(message(BYE, struct.pack("<IIQQQQQQQ", status, 0, 4096, 8192, 7, 1, 0, 0, 0)))
            self.connection.close()
''')
REPORTED, DUPLICATE, SUPPRESSED = 1, 2, 3


class Fake(Case):
    def setUp(self):
        super().setUp()
        self.write("client.py", CLIENT)

    def program(self, body, name="prog"):
        """An executable script that runs `body` with the client at hand."""
        self.write(name, f"#!{sys.executable}\nimport os, signal, sys, time\nfrom client import *\n" + textwrap.dedent(body))
        os.chmod(self.path(name), 0o755)
        return "./" + name

    def run_fake(self, body, *options, expect, **more):
        return self.run_tool("run", *options, "--", self.program(body), expect=expect, **more)

    def findings(self, name):
        return json.loads(self.read(name))["findings"]


class Run(Fake):
    def test_clean(self):
        done = self.run_fake("r = Runtime(); print('hello'); r.bye(3); sys.exit(3)", "--stats", expect=3)
        self.assertEqual(done.out, "hello\n")
        self.assertIn("redflag: no races", done.err)
        self.assertRegex(done.err, r"shadow|memory|slow")
        quiet = self.run_fake("Runtime().bye()", "--quiet", expect=CLEAN)
        self.assertEqual((quiet.out, quiet.err), ("", ""))

    def test_races(self):
        body = """
            r = Runtime()
            assert r.race(0) == (1, 1)
            assert r.race(0) == (2, 1)
            assert r.race(1) == (1, 2)
            sys.stdout.write("output")
            r.bye(0)
            """
        done = self.run_fake(body, "--json=r.json", "--sarif=r.sarif", "--junit=r.xml", "--html=r.html", expect=RACES)
        self.assertEqual(done.out, "output")
        self.assertIn("race-write-write", done.err)
        self.assertIn("worker", done.err)
        self.assertIn("redflag: 2 races, seen 3 times", done.err)
        self.assertIn("wrote HTML: r.html", done.err)
        self.assertEqual([f["count"] for f in self.findings("r.json")], [2, 1])
        for name in ("r.sarif", "r.xml", "r.html"):
            self.assertGreater(os.path.getsize(self.path(name)), 200)
        report = json.loads(self.read("r.json"))
        self.assertEqual(report["input"], "./prog")
        self.run_tool("report", "r.json", expect=RACES)

    def test_however_the_program_ends(self):
        for how in ("os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "os.abort()", "raise SystemExit(9)"):
            with self.subTest(how):
                done = self.run_fake(f"r = Runtime(); r.race(); {how}", "--json=r.json", expect=RACES)
                self.assertEqual(len(self.findings("r.json")), 1)
                self.assertIn("error[race-write-write]", done.err)
                os.remove(self.path("r.json"))

    def test_death_without_findings(self):
        done = self.run_fake("r = Runtime(); os.kill(os.getpid(), signal.SIGSEGV)", expect=128 + signal.SIGSEGV)
        self.assertIn("ended by signal 11", done.err)

    def test_tsan_format(self):
        done = self.run_fake("r = Runtime(); r.race(); r.bye()", "--format=tsan", expect=RACES)
        self.assertIn("WARNING: ThreadSanitizer: data race", done.err)
        self.assertIn("ThreadSanitizer: reported 1 warning", done.err)
        self.assertNotIn("redflag:", done.err.replace("redflag: note:", ""))
        clean = self.run_fake("Runtime().bye()", expect=CLEAN, options="format=tsan:quiet=no")
        self.assertNotIn("no races", clean.err)

    def test_findings_that_contradict_themselves(self):
        """They are no races and do not count; the other finding does."""
        body = "r = Runtime(); assert r.race(0, apart=64) == (3, 0); r.bye(4); sys.exit(4)"
        done = self.run_fake(body, "--json=r.json", expect=4)
        self.assertNotIn("error[", done.err)
        self.assertIn("1 finding contradicts itself", done.err)
        self.assertIn("--keep-faults=DIR", done.err)
        self.assertEqual(self.findings("r.json"), [])
        body = "r = Runtime(); r.race(0, apart=64); assert r.race(1) == (1, 1); r.race(2, apart=-4); r.bye(4); sys.exit(66)"
        done = self.run_fake(body, "--keep-faults=faults/here", expect=RACES)
        self.assertEqual(done.err.count("error[race-write-write]"), 1)
        self.assertIn("2 are kept in faults/here", done.err)
        kept = sorted(os.listdir(self.path("faults/here")))
        self.assertEqual(len(kept), 2)
        self.assertRegex(kept[0], r"^fault-\d+-0-earlier-elsewhere.json$")
        self.assertIn("does not touch", self.read("faults/here/" + kept[0]))
        self.assertEqual(self.findings("faults/here/" + kept[0])[0]["first"]["access"]["size"], 4)
        self.write("file", "")
        done = self.run_fake(body, "--keep-faults=file/folder", expect=BAD_INPUT)
        self.assertIn("needed: a folder for --keep-faults", done.err)

    def test_suppressions(self):
        self.write("s.txt", "race:*\n")
        done = self.run_fake("r = Runtime(); assert r.race() == (3, 0); r.bye(4); sys.exit(4)", "--suppressions=s.txt", expect=4)
        self.assertIn("1 suppressed", done.err)

    def test_baseline(self):
        one = "r = Runtime(); r.race(0); r.bye(5); sys.exit(66)"
        two = "r = Runtime(); r.race(0); r.race(1); r.bye(5); sys.exit(66)"
        self.run_fake(one, "--json=old.json", expect=RACES)
        # The runtime made 66 of the program's 5; nothing is new, so 5 it is.
        self.run_fake(one, "--baseline=old.json", expect=5)
        self.assertIn("(1 new)", self.run_fake(two, "--baseline=old.json", expect=RACES).err)

    def test_exit_status(self):
        self.run_fake("r = Runtime(); r.race(); r.bye()", "--exit-status=7", expect=7)

    def test_max_findings(self):
        done = self.run_fake("r = Runtime(); [r.race(i) for i in range(5)]; r.bye()", "--max-findings=2", "--json=r.json",
                             expect=RACES)
        self.assertEqual(done.err.count("error[race-write-write]"), 2)
        self.assertIn("3 more findings", done.err)
        self.assertEqual(len(self.findings("r.json")), 5)

    def test_what_the_runtime_is_told(self):
        body = "Runtime().bye(); print(os.environ['REDFLAG_OPTIONS']); print(os.environ['REDFLAG_PROGRAM'])"
        done = self.run_fake(body, "--on-race=abort", "--no-lock-misuse", expect=CLEAN, options="history=100")
        words, program = done.out.splitlines()
        for word in ("on-race=abort", "history=100", "lock-misuse=no"):
            self.assertIn(word, words.split())
        self.assertEqual(program, os.path.realpath(tool.REDFLAG))

    def test_limits_are_ours_alone(self):
        body = "import resource; Runtime().bye(); print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
        import resource
        self.assertEqual(int(self.run_fake(body, expect=CLEAN).out), resource.getrlimit(resource.RLIMIT_DATA)[0])

    def test_standard_input_is_the_programs(self):
        done = self.run_fake("Runtime().bye(); print(sys.stdin.read().upper(), end='')", expect=CLEAN, input=b"abc")
        self.assertEqual(done.out, "ABC")


class Processes(Fake):
    def test_children_are_served(self):
        body = """
            r = Runtime()
            for place in range(3):
                pid = os.fork()
                if pid == 0:
                    r = Runtime(); r.race(place); r.bye(); os._exit(0)
                os.waitpid(pid, 0)
            r.bye()
            """
        self.run_fake(body, "--json=r.json", expect=RACES)
        self.assertEqual(len(self.findings("r.json")), 3)

    def test_many_at_once(self):
        body = """
            pids = []
            for place in range(24):
                pid = os.fork()
                if pid == 0:
                    r = Runtime(); [r.race(place) for _ in range(10)]; r.bye(); os._exit(0)
                pids.append(pid)
            for pid in pids: assert os.waitpid(pid, 0)[1] == 0
            """
        self.run_fake(body, "--json=r.json", "--quiet", expect=RACES)
        self.assertEqual(sorted(f["count"] for f in self.findings("r.json")), [10] * 24)

    def test_left_behind(self):
        body = """
            if os.fork() == 0:
                r = Runtime(); time.sleep(1.5); r.race(); r.bye(); os._exit(0)
            r = Runtime(); time.sleep(0.2); r.bye()
            """
        done = self.run_fake(body, expect=RACES)
        self.assertIn("waiting for 1 process", done.err)

    def test_bad_clients_harm_nobody(self):
        body = """
            bad = socket.socket(socket.AF_UNIX); bad.connect("\\0" + os.environ["REDFLAG_SOCKET"][1:])
            bad.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            r = Runtime()
            odd = Runtime()
            odd.connection.sendall(message(RACE, b"\\xff" * 200))
            assert len(odd.connection.recv(16)) == 16
            r.race(); r.bye()
            """
        done = self.run_fake(body, "--json=r.json", expect=RACES)
        self.assertIn("not Redflag's protocol", done.err)
        self.assertEqual(len(self.findings("r.json")), 1)


class Signals(Fake):
    TRAPS = """
        r = Runtime()
        def on(number, frame): r.bye(); print("got", number, flush=True); os._exit(7)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, on)
        print("ready", flush=True)
        time.sleep(30)
        """

    def start(self, body, **more):
        return subprocess.Popen([tool.REDFLAG, "run", "--quiet", "--json=r.json", "--", self.program(body)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def test_forwarded_and_waited_for(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start(self.TRAPS)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            self.assertEqual(out, b"got %d\n" % number, err)
            self.assertEqual(process.returncode, 7)
            self.assertEqual(self.findings("r.json"), [])

    def test_deadly(self):
        process = self.start("r = Runtime(); r.race(); print('ready', flush=True); time.sleep(30)")
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, RACES)
        self.assertEqual(len(self.findings("r.json")), 1)

    def test_control_c(self):
        try:
            pid, terminal = pty.fork()
        except OSError as fault:
            self.skipTest(f"needs a terminal: {fault}")
        prog = self.program(self.TRAPS.replace("r.bye()", "r.race(); r.bye()"))
        if pid == 0:
            os.chdir(self.folder)
            os.execv(tool.REDFLAG, [tool.REDFLAG, "run", "--json=r.json", "--", prog])
        seen = b""

        def read_until(what):
            nonlocal seen
            deadline = time.time() + 20
            while what not in seen and time.time() < deadline:
                try:
                    seen += os.read(terminal, 4096)
                except OSError:
                    break
            self.assertIn(what, seen)

        read_until(b"ready")
        os.write(terminal, b"\x03")
        read_until(b"1 race")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), RACES)
        self.assertEqual(seen.count(b"got 2"), 1, "once, and not also by us")
        os.close(terminal)


class Before(Fake):
    """What is told before anything starts."""

    def test_programs(self):
        for words, said in ((["no-such-program"], "no program 'no-such-program' on PATH"), (["./nothing"], "no program './nothing'"),
                            (["prog"], "redflag run -- ./prog"), (["./client.py"], "chmod +x ./client.py"),
                            (["/bin/true"], "has no instrumentation"), (["--predict", "/bin/true"], "of MPI or OpenSHMEM, for --predict"), (["--record=x.txt", "./prog"], "ends in .rft"),
                            ([], "found nothing")):
            self.program("open('started', 'w')")
            done = self.run_tool("run", *words, expect=BAD_INPUT)
            self.assertIn(said, done.err)
        self.assertNotIn("started", self.files())
        self.assertIn("redflag c++", self.run_tool("run", "/bin/true", expect=BAD_INPUT).err)

    def test_outputs_first(self):
        for option in ("--json=no/such/r.json", "--record=no/such/r.rft", "--suppressions=none", "--baseline=none"):
            self.run_fake("open('started', 'w')", option, expect=BAD_INPUT)
        self.assertNotIn("started", self.files())
        self.assertEqual([f for f in self.files() if "parts" in f], [])

    def test_not_checked(self):
        done = self.run_tool("run", "--force", "/bin/sh", "-c", "exit 4", expect=4)
        self.assertIn("nothing was checked", done.err)
        done = self.run_tool("run", "sh", "-c", "exit 5", expect=5)
        self.assertIn("sh is not instrumented itself", done.err)
        # A shell that starts a checked program is the usual case.
        prog = self.program("r = Runtime(); r.race(); r.bye()")
        done = self.run_tool("run", "sh", "-c", prog, expect=RACES)
        self.assertNotIn("nothing was checked", done.err)

    def test_thread_sanitizer(self):
        self.write("m.c", "int main(void) { return 0; }\n")
        built = subprocess.run(["gcc", "-fsanitize=thread", "m.c", "-o", "m"], cwd=self.folder, capture_output=True)
        if built.returncode != 0:
            self.skipTest("gcc cannot link with ThreadSanitizer here")
        done = self.run_tool("run", "./m", expect=BAD_INPUT)
        self.assertIn("linked with ThreadSanitizer's runtime", done.err)


class Attend(Fake):
    def attend(self, body, options="", expect=CLEAN):
        """Runs `body` against an attending reporter, as libredflag starts it: with one end of a pair."""
        self.write("talk.py", "import os, signal, sys, time\nfrom client import *\nr = Runtime(socket.socket(fileno=int(sys.argv[1])))\n"
                   + textwrap.dedent(body))
        mine, its = socket.socketpair()
        environment = dict(os.environ, REDFLAG_OPTIONS=options)
        reporter = subprocess.Popen([tool.REDFLAG, "attend", f"--fd={its.fileno()}"], cwd=self.folder, env=environment,
                                    pass_fds=[its.fileno()], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        its.close()
        subprocess.run([sys.executable, "talk.py", str(mine.fileno())], cwd=self.folder, pass_fds=[mine.fileno()], timeout=30)
        mine.close()
        out, err = reporter.communicate(timeout=30)
        self.assertEqual(reporter.returncode, expect, err)
        self.assertEqual(out, b"")
        return err.decode()

    def test_reports_and_writes(self):
        said = self.attend("r.race(); r.bye()", "json=r.json", expect=RACES)
        self.assertIn("error[race-write-write]", said)
        self.assertIn("redflag: 1 race", said)
        self.assertEqual(len(self.findings("r.json")), 1)

    def test_options(self):
        said = self.attend("r.race(); r.race(); r.bye()", "format=tsan:json=r.json:exit-status=9", expect=RACES)
        self.assertIn("WARNING: ThreadSanitizer: data race", said)
        self.assertEqual(len(self.findings("r.json")), 1)
        self.write("s.txt", "race:*\n")
        self.attend("assert r.race() == (3, 0); r.bye()", "suppressions=s.txt", expect=CLEAN)

    def test_findings_that_contradict_themselves(self):
        said = self.attend("assert r.race(0, apart=64) == (3, 0); r.bye()", "keep-faults=faults", expect=CLEAN)
        self.assertNotIn("error[", said)
        self.assertIn("1 is kept in faults", said)

    def test_killed_program(self):
        self.attend("r.race(); os.kill(os.getpid(), signal.SIGKILL)", "json=r.json", expect=RACES)
        self.assertEqual(len(self.findings("r.json")), 1)

    def test_closes_when_done(self):
        # The program waits for its end of the connection to close: by then the files are there.
        body = """
            r.race()
            r.connection.sendall(message(BYE, struct.pack("<IIQQQQ", 0, 0, 0, 0, 0, 0)))
            r.connection.shutdown(socket.SHUT_WR)
            assert r.connection.recv(1) == b""
            open("order", "w").write(str(os.path.exists("r.json")))
            """
        self.attend(body, "json=r.json", expect=RACES)
        self.assertEqual(self.read("order"), "True")

    def test_wrong_use(self):
        self.assertIn("redflag run", self.run_tool("attend", expect=BAD_INPUT).err)
        self.assertIn("connected Unix socket", self.run_tool("attend", "--fd=0", expect=BAD_INPUT).err)


class Record(Fake):
    WRITE = """
        CHUNK = 1 << 20
        def chunk(entries, kind=1, thread=0, count=None):
            bytes_ = struct.pack("<IIII", 0x31524652, kind, len(entries) if count is None else count, thread) + b"".join(entries)
            return bytes_.ljust(CHUNK, b"\\0")
        def event(sequence, kind, thread, object_, size=0, source=0):
            return struct.pack("<QBBBBIQII", sequence, kind, 0, 0, 0, thread, object_, size, source)
        READ, WRITE, FORK, JOIN = 0, 1, 10, 11
        def record(*chunks):
            with open("%s.%d" % (os.environ["REDFLAG_RECORD"], os.getpid()), "wb") as file: file.write(b"".join(chunks))
        racy = [chunk([event(0, FORK, 0, 1), event(2, WRITE, 0, 0x1000, 4), event(4, JOIN, 0, 1)]),
                chunk([event(1, WRITE, 1, 0x1000, 4), event(3, WRITE, 1, 0x2000, 4)], thread=1)]
        """

    def record(self, body, expect=CLEAN):
        return self.run_fake(textwrap.dedent(self.WRITE) + textwrap.dedent(body), "--record=out.rft", expect=expect)

    def test_trace(self):
        done = self.record("record(*racy); Runtime().bye()")
        self.assertIn("wrote trace: out.rft, 5 events", done.err)
        self.assertEqual([f for f in self.files() if "out" in f], ["out.rft"])
        self.run_tool("trace", "check", "out.rft", expect=CLEAN)
        self.run_tool("trace", "convert", "out.rft", "out.txt", expect=CLEAN)
        events = [line for line in self.read("out.txt").splitlines() if line.startswith("T")]
        self.assertEqual([line.split()[:2] for line in events],
                         [["T0", "fork"], ["T1", "write"], ["T0", "write"], ["T1", "write"], ["T0", "join"]])
        for detector in ("oracle", "slimfast", "fasttrack"):
            self.run_tool("replay", "--detector=" + detector, "out.rft", expect=RACES)

    def test_several_processes(self):
        body = """
            if os.fork() == 0:
                record(chunk([event(0, WRITE, 0, 0x1000, 4)])); Runtime().bye(); os._exit(0)
            os.wait()
            record(*racy); Runtime().bye()
            """
        done = self.record(body)
        other = [f for f in self.files() if f.startswith("out.") and f != "out.rft"]
        self.assertEqual(len(other), 1)
        self.assertRegex(other[0], r"^out\.\d+\.rft$")
        self.assertIn(other[0], done.err)
        self.assertRegex(self.run_tool("trace", "info", "out.rft").out, r"events +5")
        self.assertRegex(self.run_tool("trace", "info", other[0]).out, r"events +1")

    def test_damage(self):
        done = self.record("record(*racy, b'x' * CHUNK, chunk([event(9, 99, 0, 0)])); os.kill(os.getpid(), signal.SIGKILL)",
                           expect=128 + signal.SIGKILL)
        self.assertIn("not whole: 1 unreadable blocks, 1 impossible events left out", done.err)
        self.run_tool("replay", "out.rft", expect=RACES)

    def test_nothing(self):
        done = self.record("Runtime().bye()", expect=BAD_INPUT)
        self.assertIn("nothing was recorded", done.err)
        self.assertEqual([f for f in self.files() if f.startswith("out")], [])


if __name__ == "__main__":
    tool.main()
