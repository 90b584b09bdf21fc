# lit's configuration for tests/pass: every .ll file is a test of one pass; its RUN line says which.
#
#   %opt      opt of LLVM 19 with the plugin, which verifies the IR after each pass
#   %sampling the same with the plugin for --sampling
#   %counting the same with the plugin for --count-instructions
#   %check    FileCheck of the file itself
# The tools and the plugin come from lit_test.py, by --param.
import lit.formats

config.name = "pass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll"]
config.test_source_root = lit_config.params["source"]
config.test_exec_root = lit_config.params["scratch"]
for name in ("opt", "sampling", "counting"):
    plugin = lit_config.params["plugin" if name == "opt" else name]
    name = "%" + name
    config.substitutions.append((name, f"{lit_config.params['opt']} -S -verify-each -load-pass-plugin={plugin}"))
config.substitutions.append(("%check", f"{lit_config.params['filecheck']} %s"))
