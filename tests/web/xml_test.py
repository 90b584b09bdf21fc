"""The JUnit form as an XML reader sees it: well-formed, with the counts it claims.

    xml_test.py WRITE_SAMPLES SOURCE_DIR
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

WRITE_SAMPLES, SOURCE_DIR = sys.argv[1:3]
failures = []


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: found {found!r}, expected {expected!r}")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([WRITE_SAMPLES, folder, SOURCE_DIR + "/tests/web/sources"], check=True)
    paths = sorted(glob.glob(folder + "/*.xml"))
    expect("files", len(paths), 10)
    for path in paths:
        name = os.path.basename(path)
        root = xml.etree.ElementTree.parse(path).getroot()
        with open(path[:-3] + "json", encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        known = sum(finding["baseline"] == "known" for finding in findings)
        cases = root.findall("testsuite/testcase")
        suite = root.find("testsuite")
        expect(name + " root", root.tag, "testsuites")
        expect(name + " cases", len(cases), max(1, len(findings)))
        expect(name + " failures", len(root.findall(".//failure")), len(findings) - known)
        expect(name + " skipped", len(root.findall(".//skipped")), known)
        for element in (root, suite):
            expect(name + " tests=", element.get("tests"), str(len(cases)))
            expect(name + " failures=", element.get("failures"), str(len(findings) - known))
            expect(name + " skipped=", element.get("skipped"), str(known))
        for case, finding in zip(cases, findings):
            expect(name + " classname", case.get("classname"), finding["rule"])
            failure = case.find("failure")
            if failure is not None and finding["rule"] not in failure.text:
                failures.append(f"{name}: the failure lacks the text form")

print("\n".join(failures) or f"{len(paths)} files are well-formed")
sys.exit(1 if failures else 0)
