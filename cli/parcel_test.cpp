#include "cli/parcel.h"

#include <gtest/gtest.h>

namespace redflag::cli {
namespace {

ScanResult sample() {
  ScanResult result;
  result.events = 7;
  CollectedRace race;
  race.race.addr = Addr{0x1000};
  race.count = 3;
  result.races = {race, race};
  result.dropped = 1;
  result.errors = 2;
  result.problems = {"first", ""};
  result.broken_promise = "promise";
  ScanFigures figures;
  figures.counters = {{"races", 2, ""}, {"reuse", 50, "%"}};
  figures.read_seconds = 0.5;
  figures.peak_bytes = 99;
  result.figures = {figures};
  return result;
}

TEST(Parcel, CarriesAResult) {
  const Result<ScanResult> back = unpack(pack(sample()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->events, 7U);
  ASSERT_EQ(back->races.size(), 2U);
  EXPECT_EQ(back->races[1].race.addr, Addr{0x1000});
  EXPECT_EQ(back->races[1].count, 3U);
  EXPECT_EQ(back->problems, sample().problems);
  EXPECT_EQ(back->broken_promise, "promise");
  ASSERT_EQ(back->figures.size(), 1U);
  EXPECT_EQ(back->figures[0].counters, sample().figures[0].counters);
  EXPECT_EQ(back->figures[0].peak_bytes, 99U);
}

TEST(Parcel, CarriesAnError) {
  const Result<ScanResult> back = unpack(pack(fail("x.rft: no such file")));
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().message, "x.rft: no such file");
}

TEST(Parcel, RefusesWhatIsNotWhole) {
  const std::string whole = pack(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack(whole + "x"));
}

}  // namespace
}  // namespace redflag::cli
