#include "sim/study/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A model of two parameters.
struct Toy {
  std::uint32_t ways = 8;
  bool buffers = true;
};
std::vector<Parameter> parameters_of(Toy& toy) {
  return {{"ways", &toy.ways, ""}, {"buffers", &toy.buffers, ""}};
}
Result<std::string> toy_parameters(std::span<const Setting> settings) {
  Toy toy;
  const std::vector<Parameter> list = parameters_of(toy);
  const Result<void> done = apply_settings(list, settings);
  if (!done) return Failure(done.error());
  return written(list);
}

Figure slowdown(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"with", "without"};
  for (const Workload& w : workloads) {
    f.rows.push_back({w.name(), {w("standard", "slowdown"), w("no-buffers", "slowdown")}});
  }
  return f;
}
Figure scaling(const std::vector<Workload>& workloads) {
  Figure f;
  f.columns = {"2", "4"};
  for (const Workload& w : workloads) {
    f.rows.push_back(
        {w.name(),
         {w.with_threads(2, "standard", "slowdown"), w.with_threads(4, "standard", "slowdown")}});
  }
  return f;
}

const ModelInfo& toy_model() {
  static const ModelInfo model{
      "toy",
      "a toy",
      toy_parameters,
      nullptr,
      {{"standard", {}}, {"no-buffers", {{"buffers", "off"}}}, {"unused", {{"ways", "1"}}}},
      {{"figure-7", "slowdown", {"standard", "no-buffers"}, slowdown},
       {"figure-8", "scaling", {"standard"}, scaling}},
      {{"slowdown", "slowdown", Numbers::kTimes}, {"races", "races", Numbers::kCount}}};
  return model;
}

TEST(Study, FiguresAreAskedForByNumberOrName) {
  EXPECT_THAT(*figures_asked(toy_model(), ""), SizeIs(2));
  const auto asked = figures_asked(toy_model(), "8,figure-7");
  ASSERT_THAT(*asked, SizeIs(2));
  EXPECT_EQ((*asked)[0]->id, "figure-8");
  EXPECT_THAT(figures_asked(toy_model(), "figure-9").error().message,
              HasSubstr("there are: figure-7, figure-8"));
}

TEST(Study, EachVariantThatAFigureNeedsIsOneJobOfEachTrace) {
  const auto figures = *figures_asked(toy_model(), "");
  const std::vector<std::string> traces{"a/fft.2.rft", "a/fft.4.rft"};
  const std::vector<Setting> settings{{"ways", "4", "--set"}};
  std::vector<std::string> variants;
  const std::vector<Job> jobs = jobs_of(toy_model(), figures, traces, settings, variants);
  EXPECT_THAT(variants, ElementsAre("standard", "no-buffers", "standard", "no-buffers"));
  EXPECT_EQ(jobs[3].workload, "fft");
  EXPECT_EQ(jobs[3].trace, "a/fft.4.rft");
  ASSERT_THAT(jobs[3].settings, SizeIs(2));
  EXPECT_EQ(jobs[3].settings[1].name, "buffers");
}

TEST(Study, ASweepIsEveryCombination) {
  const std::vector<std::string> traces{"fft.rft"};
  std::vector<std::string> variants;
  const auto jobs = sweep_of(toy_model(), std::vector<std::string>{"ways=1,2,4", "buffers=on,off"},
                             traces, {}, variants);
  ASSERT_TRUE(jobs);
  EXPECT_THAT(variants,
              ElementsAre("ways=1 buffers=on", "ways=1 buffers=off", "ways=2 buffers=on",
                          "ways=2 buffers=off", "ways=4 buffers=on", "ways=4 buffers=off"));
}

TEST(Study, ASweepOverWhatThereIsNotIsRefusedBeforeItBegins) {
  const std::vector<std::string> traces{"fft.rft"};
  std::vector<std::string> variants;
  const auto fault = [&](std::vector<std::string> dimensions) {
    return sweep_of(toy_model(), dimensions, traces, {}, variants).error().message;
  };
  EXPECT_THAT(fault({"way=1"}), HasSubstr("did you mean 'ways'?"));
  EXPECT_THAT(fault({"ways=1,two"}), HasSubstr("found 'two'"));
  EXPECT_THAT(fault({"ways"}), HasSubstr("'name=value,value,...' is needed"));
  std::string many = "ways=1";
  for (int k = 2; k < 400; ++k) many += "," + std::to_string(k);
  EXPECT_THAT(fault({many, many}), HasSubstr("more than"));
}

std::vector<Outcome> outcomes() {
  return {{"fft", "fft.2.rft", "standard", {{"slowdown", 1.2}, {"threads", 2}, {"races", 1}}},
          {"fft", "fft.4.rft", "standard", {{"slowdown", 1.4}, {"threads", 4}, {"races", 3}}},
          {"fft", "fft.4.rft", "no-buffers", {{"slowdown", 3}, {"threads", 4}}},
          {"radix", "radix.rft", "standard", {{"slowdown", 2}, {"threads", 4}}},
          {"broken", "b.rft", "standard", {}}};
}

TEST(Study, FiguresAreOfTheRunWithTheMostThreads) {
  const std::vector<Outcome> all = outcomes();
  const Figure f = made(toy_model().figures[0], workloads_of(all));
  EXPECT_EQ(f.id, "figure-7");
  EXPECT_EQ(table_text(f),
            "figure-7: slowdown\n"
            "          with  without\n"
            "  fft    1.40x    3.00x\n"
            "  radix  2.00x        -\n");
  EXPECT_THAT(table_text(made(toy_model().figures[1], workloads_of(all))),
              HasSubstr("fft    1.20x  1.40x"));
}

TEST(Study, SummaryHasATableForEachUnit) {
  const std::vector<Outcome> all = outcomes();
  const std::vector<Figure> tables = summary(toy_model(), all);
  ASSERT_THAT(tables, SizeIs(2));
  EXPECT_THAT(table_text(tables[1]), HasSubstr("fft  standard"));
}

TEST(Study, CsvHasEveryNumberAndQuotesNames) {
  std::vector<Outcome> all = outcomes();
  all[0].variant = "ways=1,\"x\"";
  const std::string text = csv(all);
  EXPECT_THAT(text, HasSubstr("workload,trace,variant,slowdown,threads,races\n"));
  EXPECT_THAT(text, HasSubstr("fft,fft.2.rft,\"ways=1,\"\"x\"\"\",1.2,2,1\n"));
  EXPECT_THAT(text, HasSubstr("radix,radix.rft,standard,2,4,\n"));
}

}  // namespace
}  // namespace redflag::sim
