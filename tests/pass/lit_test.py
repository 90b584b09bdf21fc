#!/usr/bin/env python3
"""Runs the tests of the passes, *.ll, by LLVM's own lit and FileCheck.

    lit_test.py PLUGIN LLVM_CONFIG [LIT_WORDS...]

Where a tool is absent, it says which package has it, and the test is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))


def skip(what, package):
    print(f"skipped: {what} is not here (package {package})")
    return SKIPPED


def main():
    plugin, config = (sys.argv[1:3] + ["", ""])[:2]
    if not os.path.exists(plugin) or shutil.which(config) is None:
        return skip("libredflag-pass.so or llvm-config-19", "llvm-19-dev")
    plugin = os.path.abspath(plugin)
    root = subprocess.run([config, "--obj-root"], capture_output=True, text=True, check=True).stdout.strip()
    lit = os.path.join(root, "build", "utils", "lit", "lit.py")
    opt, filecheck = (os.path.join(root, "bin", name) for name in ("opt", "FileCheck"))
    if not os.path.exists(opt):
        return skip("opt", "llvm-19")
    if not os.path.exists(lit) or not os.path.exists(filecheck):
        return skip("lit or FileCheck", "llvm-19-tools")
    with tempfile.TemporaryDirectory(prefix="redflag-lit-") as scratch:
        others = {name: plugin.replace("redflag-pass", "redflag-pass-" + name) for name in ("sampling", "counting")}
        parameters = {"plugin": plugin, **others, "opt": opt, "filecheck": filecheck, "source": HERE, "scratch": scratch}
        words = [f"--param={name}={value}" for name, value in parameters.items()]
        return subprocess.run([sys.executable, lit, "-v", *words, *sys.argv[3:], HERE], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
