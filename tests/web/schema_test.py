"""The JSON form against its schema, both ways: what is written is valid, what is mangled is not.

    schema_test.py WRITE_SAMPLES SOURCE_DIR

Exits 77 when python3-jsonschema is not installed.
"""

import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

WRITE_SAMPLES, SOURCE_DIR = sys.argv[1:3]


def table(header, name):
    """The quoted names in a constexpr table of names, or the ids in the table of rules."""
    with open(os.path.join(SOURCE_DIR, header), encoding="utf-8") as file:
        body = re.search(name + r"\b[^{]*{(.*?)}\s*}?;", file.read(), re.S).group(1)
    return re.findall(r'"([^"]*)"', body)


with open(os.path.join(SOURCE_DIR, "docs/schema/report.schema.json"), encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

failures = []
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([WRITE_SAMPLES, folder, SOURCE_DIR + "/tests/web/sources"], check=True)
    reports = {}
    for path in sorted(glob.glob(folder + "/*.json")):
        with open(path, encoding="utf-8") as file:
            reports[os.path.basename(path)] = json.load(file)
for name, report in reports.items():
    for error in validator.iter_errors(report):
        failures.append(f"{name}: {list(error.absolute_path)}: {error.message}")
if len(reports) < 6:
    failures.append(f"expected at least six reports, found {sorted(reports)}")

# A schema that accepts anything proves nothing.
def mangled(change):
    report = copy.deepcopy(reports["usual.json"])
    change(report["findings"][0] if report["findings"] else report)
    return report


for what, change in {
    "unknown key": lambda f: f.update(extra=1),
    "missing key": lambda f: f.pop("advice"),
    "wrong rule": lambda f: f.update(rule="race"),
    "address as a number": lambda f: f.update(address=4096),
    "negative count": lambda f: f.update(count=-1),
    "inexact number": lambda f: f.update(count=2**53),
    "empty thread": lambda f: f["first"].update(thread_name=""),
}.items():
    if validator.is_valid(mangled(change)):
        failures.append(f"the schema accepts: {what}")

# The schema's words are those of the tables in the code.
definitions = schema["$defs"]
for words, header, name in (
    (definitions["finding"]["properties"]["missing"]["enum"], "core/report/words.h", "kMissingNames"),
    (definitions["finding"]["properties"]["baseline"]["enum"], "core/report/words.h", "kBaselineNames"),
    (definitions["memory"]["properties"]["kind"]["enum"], "core/report/words.h", "kRegionKindNames"),
    (definitions["step"]["properties"]["role"]["enum"], "core/report/words.h", "kStepRoleNames"),
    (definitions["access"]["properties"]["order"]["enum"], "core/model/event.h", "kOrderNames"),
    (definitions["gpu"]["properties"]["scope"]["enum"], "core/model/event.h", "kScopeNames"),
):
    if words != table(header, name):
        failures.append(f"the schema has {words}, {header} has {table(header, name)}")

with open(os.path.join(SOURCE_DIR, "core/model/race.h"), encoding="utf-8") as file:
    rules = re.findall(r'{Rule::k\w+,\s*RuleGroup::k\w+,\s*"([^"]+)"', file.read())
if definitions["finding"]["properties"]["rule"]["enum"] != rules:
    failures.append(f"the schema's rules differ from core/model/race.h: {set(rules) ^ set(definitions['finding']['properties']['rule']['enum'])}")
with open(os.path.join(SOURCE_DIR, "docs/user/report-json.md"), encoding="utf-8") as file:
    page = file.read()
failures += [f"docs/user/report-json.md does not name the rule {rule}" for rule in rules if f"`{rule}`" not in page]

# The sample of a GPU run has all that the schema allows there, so that each key is looked at.
gpu_sides = [side for f in reports["gpu.json"]["findings"] for side in (f.get("first"), f["second"]) if side]
gpu_keys = {key for side in gpu_sides for key in side["gpu"]}
if gpu_keys != set(definitions["gpu"]["properties"]):
    failures.append(f"gpu.json lacks {set(definitions['gpu']['properties']) - gpu_keys}")
gpu_rules = {f["rule"] for f in reports["gpu.json"]["findings"]}
if gpu_rules != {rule for rule in rules if rule.startswith("gpu-")}:
    failures.append(f"gpu.json has the rules {sorted(gpu_rules)}")

print("\n".join(failures) or f"{len(reports)} reports are valid")
sys.exit(1 if failures else 0)
