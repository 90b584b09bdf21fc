// Small modules for tests, and the files of tests/cuda/ptx.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/parser.h"

namespace redflag::ptx::testing {

inline std::string with_header(const std::string& text) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + text;
}
// A kernel `k` with registers of every width.
inline std::string kernel(const std::string& body) {
  return with_header(
      ".visible .entry k(.param .u64 a, .param .b32 n)\n{\n"
      ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .f32 %f<8>;\n" +
      body + "\n}\n");
}

inline Module parsed(const std::string& text) {
  Result<Module> module = parse("test.ptx", text);
  EXPECT_TRUE(module) << module.error().message << "\n" << text;
  return module ? std::move(*module) : Module{};
}
inline std::string error_of(const std::string& text) {
  const Result<Module> module = parse("test.ptx", text);
  EXPECT_FALSE(module) << text;
  return module ? std::string() : module.error().message;
}

inline std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
inline std::vector<std::filesystem::path> test_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(TEST_FILES)) {
    if (each.path().extension() == ".ptx") files.push_back(each.path());
  }
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 8U);
  return files;
}

}  // namespace redflag::ptx::testing
