#!/usr/bin/env python3
"""findings.py on written reports: what a finding's two sides are, and which findings the list of true races covers."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from findings import Finding, of_redflag, of_tsan, read_accepted, sorted_out

TSAN = """==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 4 at 0x7b0400000800 by thread T1:
    #0 store::Table::put(store::Key const&, int) /src/table.cc:12:3 (prog+0xd1)
    #1 work /src/main.cc:5 (prog+0xe2)

  Previous read of size 4 at 0x7b0400000800 by main thread (mutexes: write M0):
    #0 memcpy <null> (prog+0xaa)
    #1 main /src/main.cc:9:7 (prog+0xf3)

  Thread T1 (tid=8, running) created by main thread at:
    #0 pthread_create <null> (prog+0x1)

SUMMARY: ThreadSanitizer: data race /src/table.cc:12:3 in store::Table::put(store::Key const&, int)
==================
"""


def side(*functions):
    return {"thread_name": "T1", "locks": [], "access": {"kind": "write", "size": 4, "address": "0x10"},
            "stack": [{"function": name, "file": "/src/a.c", "line": 3, "column": 1} for name in functions]}


class FindingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def accepted(self, text):
        path = self.folder / "accepted.txt"
        path.write_text(text)
        return read_accepted(path)

    def test_tsan(self):
        (self.folder / "tsan.7").write_text(TSAN)
        (found,) = of_tsan(self.folder)
        self.assertEqual(found.rule, "data race")
        self.assertEqual(found.second, ("store::Table::put", "work"))
        self.assertEqual(found.first, ("main",))  # memcpy has no source

    def test_redflag(self):
        finding = {"rule": "race-write-read", "address": "0x10", "size": 4, "count": 2,
                   "first": side("put(int)", "work"), "second": side("get", "main")}
        (self.folder / "redflag.json").write_text(json.dumps({"findings": [finding]}))
        (found,) = of_redflag(self.folder)
        self.assertEqual((found.first, found.second), (("put", "work"), ("get", "main")))
        self.assertEqual(found.place(), "get / put")

    def test_no_report_is_no_finding(self):
        self.assertEqual(of_redflag(self.folder), [])
        self.assertEqual(of_tsan(self.folder), [])

    def test_list(self):
        accepted = self.accepted("# a comment\n\nstore: put, add / get: a reason\n  that goes on\n")
        self.assertEqual(accepted[0].reason, "a reason that goes on")
        race = Finding("race-write-read", ("put", "work"), ("get", "main"))
        turned = Finding("race-write-read", ("get", "main"), ("add", "work"))
        one_sided = Finding("race-write-write", ("put", "work"), ("put", "main"))
        good, unknown = sorted_out("store", [race, turned, one_sided], accepted)
        self.assertEqual(good, [race, turned])
        self.assertEqual(unknown, [one_sided])
        self.assertEqual(sorted_out("another", [race], accepted), ([], [race]))

    def test_line_without_reason(self):
        with self.assertRaisesRegex(ValueError, "needed: PROGRAM"):
            self.accepted("store: put / get\n")

    def test_the_list_of_the_programs(self):
        for each in read_accepted():
            self.assertGreater(len(each.reason), 20, each)


unittest.main()
