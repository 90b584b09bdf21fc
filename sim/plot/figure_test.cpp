#include "sim/plot/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/plot/page.h"
#include "sim/plot/svg.h"

namespace redflag::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Figure slowdowns() {
  Figure f;
  f.id = "figure-7";
  f.title = "Slowdown";
  f.caption = "as in <the> paper";
  f.columns = {"parsnip", "radish & co"};
  f.rows = {{"fft", {1.5, 4}}, {"radix", {2, kNone}}, {"water", {kNone, 9}}};
  return f;
}

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Figure, MeansLeaveOutWhatIsNotThere) {
  Figure f = slowdowns();
  add_geometric_mean(f);
  EXPECT_NEAR(f.rows.back().values[0], std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(f.rows.back().values[1], 6, 1e-12);
  f = slowdowns();
  add_mean(f);
  EXPECT_NEAR(f.rows.back().values[1], 6.5, 1e-12);
  f.rows = {{"x", {kNone, kNone}}};
  add_mean(f);
  EXPECT_TRUE(std::isnan(f.rows.back().values[0]));
}

TEST(Figure, NumbersAreWrittenInTheirUnit) {
  EXPECT_EQ(text_of(1.534, Numbers::kTimes), "1.53x");
  EXPECT_EQ(text_of(0.1249, Numbers::kPercent), "12.5%");
  EXPECT_EQ(text_of(1234567, Numbers::kCount), "1,234,567");
  EXPECT_EQ(text_of(-1234, Numbers::kCount), "-1,234");
  EXPECT_EQ(text_of(999, Numbers::kCount), "999");
  EXPECT_EQ(text_of(0.0136, Numbers::kRate), "0.014");
  EXPECT_EQ(text_of(kNone, Numbers::kCount), "-");
}

TEST(Figure, TableHasEveryValueInItsColumn) {
  Figure f = slowdowns();
  f.line = {1.5, "paper's mean"};
  EXPECT_EQ(table_text(f),
            "figure-7: Slowdown\n"
            "         parsnip  radish & co\n"
            "  fft      1.50x        4.00x\n"
            "  radix    2.00x            -\n"
            "  water        -        9.00x\n"
            "  paper's mean: 1.50x\n");
}

TEST(Svg, TicksAreRoundAndCoverAll) {
  EXPECT_THAT(ticks(1.9), ElementsAre(0, 0.5, 1, 1.5, 2));
  EXPECT_THAT(ticks(100), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(powers(2, 9), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(powers(0.3, 1.5), ElementsAre(0.25, 0.5, 1, 2));
  for (const double most : {1e-9, 0.01, 0.999, 1.0, 3.0, 7.77, 12345.0, 0.0}) {
    const std::vector<double> found = ticks(most);
    EXPECT_GE(found.back(), most * 0.999999);
    EXPECT_GE(found.size(), 2U);
    EXPECT_LE(found.size(), 9U) << most;
  }
}

TEST(Svg, HasABarForEachValueAndNoneForTheOthers) {
  const std::string picture = svg(slowdowns());
  EXPECT_EQ(times(picture, "</title></rect>"), 4U);
  EXPECT_THAT(picture, HasSubstr("radix, parsnip: 2.00x"));
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
  EXPECT_THAT(picture, HasSubstr("radish &amp; co"));
}

TEST(Svg, OneValueFarFromTheOthersMakesTheAxisLogarithmic) {
  Figure f = slowdowns();
  f.rows[0].values[1] = 100;
  EXPECT_THAT(svg(f), HasSubstr(">128.00x<"));
  f.shape = Shape::kStacked;  // parts of a whole would lie on such an axis
  EXPECT_THAT(svg(f), Not(HasSubstr(">128.00x<")));
}

TEST(Svg, TablesHaveNoPicture) {
  Figure f = slowdowns();
  f.shape = Shape::kTable;
  EXPECT_EQ(svg(f), "");
}

TEST(Page, HoldsFiguresSettingsAndEscapesAll) {
  Page page;
  page.title = "a < b";
  page.command = "redflag sim parsnip 'x&y.rft'";
  page.figures = {slowdowns()};
  page.settings = {{"cores", "16"}};
  const std::string text = html(page);
  EXPECT_THAT(text, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(text, HasSubstr("x&amp;y.rft"));
  EXPECT_THAT(text, HasSubstr("as in &lt;the&gt; paper"));
  EXPECT_THAT(text, HasSubstr("<td>cores</td><td>16</td>"));
  EXPECT_EQ(times(text, "<svg"), times(text, "</svg>"));
  EXPECT_THAT(text, Not(HasSubstr("http-equiv")));
}

}  // namespace
}  // namespace redflag::sim
