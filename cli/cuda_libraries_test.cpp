#include "cli/cuda_libraries.h"

#include <gtest/gtest.h>

namespace redflag::cli {
namespace {

TEST(CudaLibraries, AHeaderThatIsNowhereIsNamedWithItsLibrary) {
  const std::string said =
      missing_library("a.o: a.cu \\\n  /usr/include/stdio.h thrust/sort.h \\\n b.h\n");
  EXPECT_NE(said.find("<thrust/sort.h>, of Thrust"), std::string::npos) << said;
  EXPECT_NE(said.find("to mend it: install CUDA 13's toolkit"), std::string::npos);
}

TEST(CudaLibraries, HeadersThatWereFoundAndOthersAreNoReason) {
  EXPECT_EQ(missing_library(""), "");
  EXPECT_EQ(missing_library("a.o: a.cu /opt/thrust/sort.h mine/thrust/sort.h helper.h"), "");
}

TEST(CudaLibraries, EveryLibraryIsFoundByItsPrefix) {
  for (const CudaLibrary& each : cuda_libraries()) {
    const std::string header = std::string(each.prefix) + "x.h";
    EXPECT_NE(missing_library("a.o: " + header).find(each.name), std::string::npos) << header;
  }
}

}  // namespace
}  // namespace redflag::cli
