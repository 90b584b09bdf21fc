"""The report page in a real browser: filters, picture, keys, links, hostile names, no requests.

    viewer_test.py WRITE_SAMPLES SOURCE_DIR [--screenshots FOLDER]

Exits 77 when no Chromium is installed.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is

import browser  # noqa: E402

WRITE_SAMPLES, SOURCE_DIR = sys.argv[1:3]
SCREENSHOTS = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--screenshots" else None

VISIBLE = "document.querySelectorAll('#list > li:not([hidden])').length"
PICTURE = "#detail svg.picture "


class ViewerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="redflag-viewer-")
        subprocess.run([WRITE_SAMPLES, cls.folder.name, SOURCE_DIR + "/tests/web/sources"], check=True)
        cls.browser = browser.Browser(timeout=100).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def open(self, name, **options):
        self.browser.open(os.path.join(self.folder.name, name + ".html"), **options)

    def tearDown(self):
        self.assertEqual(self.browser.trouble, [])
        self.assertEqual(self.browser.external_requests(), [])

    def js(self, expression):
        return self.browser.evaluate(expression)

    def count(self, selector):
        return self.js(f"document.querySelectorAll({json.dumps(selector)}).length")

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)}).innerText")

    def report(self, name):
        with open(os.path.join(self.folder.name, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def prints(self):
        """The findings' fingerprints, in the order of the page."""
        return self.js("JSON.parse(document.getElementById('data').textContent)"
                       ".findings.map((finding) => finding.fingerprint)")

    def choose(self, select, value):
        self.js(f"{{const s = document.getElementById('{select}'); s.value = {json.dumps(value)};"
                "s.dispatchEvent(new Event('input', {bubbles: true})); s.value}")

    def test_header_and_list(self):
        self.open("usual")
        self.assertIn("6 races", self.text("#counts"))
        self.assertIn("1 prediction", self.text("#counts"))
        self.assertIn("3 suppressed", self.text("#counts"))
        self.assertIn("fasttrack", self.text("#about"))
        self.assertIn("redflag run -- ./bank 100", self.text("#about"))
        self.assertEqual(self.js(VISIBLE), 7)
        self.assertEqual(self.text("#shown"), "7 findings")

    def test_detail_shows_everything(self):
        self.open("usual")
        detail = self.text("#detail")
        finding = self.report("usual")["findings"][0]
        for expected in ("deposit(long)", "bank.cpp:12:11", "reset()", "accounts", "T1 (teller)",
                         "seen 12 times", "race_top:^deposit(long)$", "balance += amount;",
                         finding["missing_text"], finding["advice"], "no lock held"):
            self.assertIn(expected, detail)
        self.assertEqual(self.count("#detail .pair .card"), 2)
        boxes = self.js("[...document.querySelectorAll('#detail .pair .card')].map((e) => "
                        "{const b = e.getBoundingClientRect(); return [b.top, b.left];})")
        self.assertEqual(boxes[0][0], boxes[1][0], "the two sides stand side by side")
        self.assertLess(boxes[0][1], boxes[1][1])

    def test_each_filter_filters(self):
        self.open("usual")
        findings = self.report("usual")["findings"]

        def files(finding):
            return {frame["file"] for side in ("first", "second") for frame in finding[side]["stack"]}

        expected = {
            ("filter-rule", "=race-write-write"): sum(f["rule"] == "race-write-write" for f in findings),
            ("filter-file", "=cache.cpp"): sum("cache.cpp" in files(f) for f in findings),
            ("filter-thread", "=T0 (main)"): 2,
            ("filter-state", "=new"): sum(f["baseline"] == "new" for f in findings),
            ("filter-state", "=known"): 2,
        }
        for (select, value), count in expected.items():
            self.assertGreater(count, 0)
            self.assertLess(count, len(findings))
            self.choose(select, value)
            self.assertEqual(self.js(VISIBLE), count, (select, value))
            self.assertIn(f"{count} of 7", self.text("#shown"))
            self.choose(select, "")
            self.assertEqual(self.js(VISIBLE), len(findings))

    def test_text_filter_and_clear(self):
        self.open("usual")
        self.choose("filter-text", "shared_ptr T2")
        self.assertEqual(self.js(VISIBLE), 1)
        self.assertIn("race-free", self.text("#detail"))
        self.choose("filter-text", "no such thing")
        self.assertEqual(self.js(VISIBLE), 0)
        self.assertIn("No finding matches", self.text("#detail"))
        self.js("document.getElementById('clear').click()")
        self.assertEqual(self.js("new Promise((r) => setTimeout(() => r(%s), 50))" % VISIBLE), 7)

    def test_filters_combine(self):
        self.open("usual")
        self.choose("filter-file", "=cache.cpp")
        self.choose("filter-state", "=known")
        self.assertEqual(self.js(VISIBLE), 1)

    def test_state_filter_is_hidden_without_a_baseline(self):
        self.open("one")
        self.assertTrue(self.js("document.getElementById('filter-state').hidden"))

    def test_picture(self):
        self.open("one")
        finding = self.report("one")["findings"][0]
        threads = {step["thread"] for step in finding["steps"]}
        self.assertEqual(self.count(PICTURE + ".lane"), len(threads))
        self.assertEqual(self.count(PICTURE + ".mark"), len(finding["steps"]))
        self.assertEqual(self.count(PICTURE + ".mark.racing"), 2)
        self.assertEqual(self.count(PICTURE + ".arrow"), len(finding["arrows"]))
        self.assertEqual(self.count(PICTURE + ".missing-line"), 1)
        style = self.js(f"{{const s = getComputedStyle(document.querySelector('{PICTURE}.missing-line'));"
                        "[s.stroke, s.strokeDasharray]}")
        self.assertEqual(style[0], "rgb(200, 37, 44)")
        self.assertNotEqual(style[1], "none")
        # Trace order is top to bottom, and the dashed line ends at the two accesses.
        ys = self.js(f"[...document.querySelectorAll('{PICTURE}.mark')].map((m) => +m.getAttribute('cy'))")
        self.assertEqual(ys, sorted(ys))
        line = self.js(f"{{const l = document.querySelector('{PICTURE}.missing-line');"
                       "['y1', 'y2'].map((n) => +l.getAttribute(n))}")
        roles = [step["role"] for step in finding["steps"]]
        self.assertEqual(line, [ys[roles.index("first")], ys[roles.index("second")]])
        self.assertEqual(self.count("#detail .legend li"), 4)

    def test_picture_without_steps(self):
        self.open("usual")
        self.choose("filter-text", "T5")
        self.assertEqual(self.count(PICTURE + ".lane"), 2)
        self.assertEqual(self.count(PICTURE + ".missing-line"), 1)

    def test_keys(self):
        self.open("usual")
        prints = self.prints()
        self.browser.key("j")
        self.browser.key("j")
        self.assertEqual(self.js("location.hash"), "#" + prints[2])
        self.browser.key("k")
        self.assertEqual(self.js("location.hash"), "#" + prints[1])
        self.assertEqual(self.count("#list [aria-current]"), 1)
        self.browser.key("/")
        self.assertEqual(self.js("document.activeElement.id"), "filter-text")
        self.browser.key("j")
        self.assertEqual(self.js("document.getElementById('filter-text').value"), "j")
        self.assertEqual(self.js("document.querySelector('#list [aria-current]') !== null"), True)

    def test_deep_link(self):
        last = self.report("large")["findings"][-1]
        self.open("large", fragment="#" + last["fingerprint"])
        self.assertIn(last["memory"]["name"], self.text("#detail h2"))
        self.assertTrue(self.js("{const b = document.querySelector('#list [aria-current]')"
                                ".getBoundingClientRect(); b.top >= 0 && b.bottom <= innerHeight}"))
        first = self.report("large")["findings"][0]
        self.js(f"location.hash = '#{first['fingerprint']}'")
        self.assertIn(first["memory"]["name"], self.js(
            "new Promise((r) => setTimeout(() => r(document.querySelector('#detail h2').innerText), 100))"))

    def test_findings_of_one_cause_stand_under_a_heading(self):
        self.open("usual")
        headings = "[...document.querySelectorAll('#list .item-group:not([hidden])')].map((e) => e.innerText)"
        self.assertEqual(self.js(headings), ["2 findings on 'balance'"])
        first_two = [f["fingerprint"] for f in self.report("usual")["findings"] if f["memory"]["name"] == "balance"]
        self.assertEqual(self.prints()[:2], first_two)
        # The heading goes with what is shown.
        self.choose("filter-rule", "=race-read-write")
        self.assertEqual(self.js(headings), ["2 findings on 'balance'"])
        self.choose("filter-rule", "=race-free")
        self.assertEqual(self.js(headings), [])

    def test_library_frames_open_and_whole_names_are_a_hover_away(self):
        self.open("grouped")
        self.assertIn("1 frame of libstdc++", self.text("#detail"))
        self.assertIn("names.cpp:9:9", self.js(f"document.querySelector('{PICTURE}').textContent"))
        self.assertIn("add_name(std::string)", self.text("#list li"), "the reader's own function")
        names = "[...document.querySelectorAll('#detail .function')].filter((e) => e.offsetParent !== null)"
        self.assertNotIn("_Construct", self.js(names + ".map((e) => e.innerText).join()"))
        self.js("document.querySelector('#detail .folded details').open = true")
        self.assertIn("_Construct", self.js(names + ".map((e) => e.innerText).join()"))
        short = "std::vector<std::string>::push_back(std::string const&)"
        title = self.js(f"[...document.querySelectorAll('#detail .function')].find((e) => e.innerText === "
                        f"{json.dumps(short)}).title")
        self.assertIn("std::allocator<char>", title)
        # What was found below the fold can be searched for.
        self.choose("filter-text", "_Construct")
        self.assertEqual(self.js(VISIBLE), 1)

    def test_what_was_not_looked_at_is_said(self):
        self.open("live")
        self.assertIn("libfoo.so", self.text("#unchecked"))
        self.open("usual")
        self.assertTrue(self.js("document.getElementById('unchecked').hidden"))

    def test_no_suppression_where_nothing_names_the_finding(self):
        self.open("grouped")
        self.assertEqual(self.count("#detail .copy"), 1)
        report = self.report("grouped")["findings"]
        nameless = [f for f in report if f["memory"]["name"] == "" and f["memory"]["size"] == 0]
        for finding in nameless:
            self.js(f"location.hash = '#{finding['fingerprint']}'")
            self.assertEqual(self.js("new Promise((r) => setTimeout(() => r("
                                     "document.querySelectorAll('#detail .copy').length), 100))"), 0)

    def test_click_selects(self):
        self.open("usual")
        self.js("document.querySelectorAll('#list a')[3].click()")
        self.assertIn("race-atomic-plain", self.text("#detail"))

    def test_copy_button(self):
        self.open("one")
        self.browser.call("Browser.grantPermissions",
                          {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.js("document.querySelector('#detail .copy').click()")
        self.assertEqual(self.js("new Promise((r) => setTimeout(() => "
                                 "r(document.querySelector('#detail .copy').textContent), 100))"), "Copied")

    def test_hostile_names(self):
        self.open("hostile")
        report = self.report("hostile")
        self.assertEqual(self.js(VISIBLE), len(report["findings"]))
        for index in range(len(report["findings"])):
            self.js(f"document.querySelectorAll('#list a')[{index}].click()")
            self.assertEqual(self.count("#detail article"), 1)
            self.assertEqual(self.count(PICTURE + ".missing-line"), 1)
        self.assertNotIn("pwned", self.js("document.title").replace("document.title='pwned'", ""))
        self.assertEqual(self.count("script"), 2)
        self.assertEqual(self.count("img"), 0)
        self.assertEqual(self.count("[onerror]"), 0)
        # Names take no room but their own: the page does not scroll sideways.
        self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 1400)
        self.assertLessEqual(self.js("document.getElementById('detail').scrollWidth - "
                                     "document.getElementById('detail').clientWidth"), 0)

    def test_policy_blocks_injected_code(self):
        self.open("one")
        self.js("{const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
                "document.body.append(s); const i = new Image(); i.src = 'https://example.invalid/x';"
                "document.body.append(i); 0}")
        self.assertIsNone(self.js("new Promise((r) => setTimeout(() => r(window.ran ?? null), 100))"))
        self.assertTrue(any("Content Security Policy" in one for one in self.browser.trouble))
        self.browser.trouble = []  # the refusals are what was wanted
        self.browser.requests = [url for url in self.browser.requests if "example.invalid" not in url]

    def test_empty(self):
        self.open("empty")
        self.assertIn("No data races were found", self.text("#detail"))
        self.assertIn("No races", self.text("#counts"))

    def test_broken_encoding(self):
        self.open("broken")
        self.assertEqual(self.js(VISIBLE), 7)

    def test_without_scripts_the_text_form_shows(self):
        self.open("usual", scripts=False)
        self.assertIn("error[race-write-write]", self.js("document.body.innerText"))
        self.assertIn("redflag: 6 races", self.js("document.body.innerText"))

    def test_dark(self):
        self.open("one", scheme="dark")
        self.assertEqual(self.js("getComputedStyle(document.body).backgroundColor"), "rgb(21, 23, 27)")

    def test_narrow(self):
        self.browser.resize(420, 900)
        try:
            self.open("usual")
            self.assertLessEqual(self.js("document.documentElement.scrollWidth"), 420)
        finally:
            self.browser.resize(1400, 1000)

    def test_prints_all_findings(self):
        self.open("usual")
        self.js("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.count("#print article"), 7)
        self.js("dispatchEvent(new Event('afterprint'))")
        self.assertTrue(self.browser.pdf().startswith(b"%PDF"))

    def test_accessible_names(self):
        self.open("usual")
        nameless = self.js(
            "[...document.querySelectorAll('input, select, button, nav, main, section, svg[role=img]')]"
            ".filter((e) => !e.getAttribute('aria-label') && !e.innerText).map((e) => e.outerHTML.slice(0, 80))")
        self.assertEqual(nameless, [])

    @unittest.skipUnless(SCREENSHOTS, "only with --screenshots")
    def test_screenshots(self):
        os.makedirs(SCREENSHOTS, exist_ok=True)
        for name in ("empty", "one", "usual", "large", "hostile", "grouped", "live"):
            for scheme in ("light", "dark"):
                self.open(name, scheme=scheme)
                self.browser.screenshot(os.path.join(SCREENSHOTS, f"{name}-{scheme}.png"))
        self.open("one")
        self.js("document.getElementById('detail').scrollTop = 100000")
        self.browser.screenshot(os.path.join(SCREENSHOTS, "one-bottom.png"))
        self.open("large")
        self.browser.key("j")
        self.browser.screenshot(os.path.join(SCREENSHOTS, "large-long.png"))
        self.js("document.getElementById('detail').scrollTop = 100000")
        self.browser.screenshot(os.path.join(SCREENSHOTS, "large-bottom.png"))
        self.browser.resize(420, 900)
        self.open("one")
        self.browser.screenshot(os.path.join(SCREENSHOTS, "one-narrow.png"))
        self.browser.resize(1400, 1000)
        with open(os.path.join(SCREENSHOTS, "usual.pdf"), "wb") as out:
            self.open("usual")
            out.write(self.browser.pdf())


if __name__ == "__main__":
    if browser.find_chromium() is None:
        print("skipped: no chromium on PATH (Debian package chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
