// The table of tests/cuda/values/cases.tsv: tricky cases whose results a GPU can confirm (confirm.cu there).
// With REDFLAG_WRITE_CASES=FILE in the environment the table is written anew, with the results of today.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Operation;

TEST(Cases, AsConfirmed) {
  std::ifstream file(std::string(TEST_FILES) + "/cases.tsv");
  ASSERT_TRUE(file) << "cannot read " << TEST_FILES << "/cases.tsv";
  const char* write = std::getenv("REDFLAG_WRITE_CASES");
  std::ofstream again(write != nullptr ? write : "/dev/null");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      again << line << "\n";
      continue;
    }
    std::istringstream fields(line);
    std::string text;
    std::string inputs;
    std::string expected;
    std::getline(fields, text, '\t');
    std::getline(fields, inputs, '\t');
    std::getline(fields, expected, '\t');
    std::istringstream numbers(inputs);
    std::vector<std::uint64_t> sources;
    for (std::string number; numbers >> number;)
      sources.push_back(std::stoull(number, nullptr, 16));
    std::ostringstream found;
    found << std::hex << Operation(text)(sources);
    again << text << "\t" << inputs << "\t" << found.str() << "\n";
    ++count;
    if (write == nullptr) {
      EXPECT_EQ(found.str(), expected) << text << " of " << inputs;
    }
  }
  EXPECT_GE(count, 300U);
}

}  // namespace
}  // namespace redflag::cuda
