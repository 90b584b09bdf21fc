// Figure: one of a paper's figures or tables, as this run gives it.
//
// Values in rows (workloads) and columns (configurations, or parts of a whole). The same values are a table for the
// terminal, a picture (svg.h) and a section of the page (page.h): nobody formats numbers twice. A value that there is
// none of, because a workload was not run so, is NaN, and shown as a dash, never as zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redflag::sim {

enum class Shape : std::uint8_t {
  kTable,    // numbers only
  kBars,     // columns side by side
  kStacked,  // columns are parts of a row's whole
};

enum class Numbers : std::uint8_t {
  kTimes,
  kPercent,
  kCount,
  kRate
};  // 1.53x, 12.5%, 12,345, 0.014

struct Figure {
  std::string id;       // "figure-7": names the file, and what --figures takes
  std::string title;    // a line
  std::string caption;  // what is shown, what the paper has, what to look at
  Shape shape = Shape::kBars;
  Numbers numbers = Numbers::kTimes;
  std::vector<std::string> columns;
  struct Row {
    std::string name;
    std::vector<double> values;  // one for each column
  };
  std::vector<Row> rows;
  struct Line {
    double value;
    std::string name;  // "paper's mean"
  };
  std::optional<Line> line;  // drawn across
};

// A last row of means over the rows before, by column; geometric for ratios, NaN left out.
void add_geometric_mean(Figure& figure, std::string name = "geomean");
void add_mean(Figure& figure, std::string name = "mean");

std::string text_of(double value, Numbers numbers);

// For the terminal; ends with a newline.
std::string table_text(const Figure& figure);

}  // namespace redflag::sim
