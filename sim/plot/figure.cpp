#include "sim/plot/figure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

namespace redflag::sim {
namespace {

void add_row(Figure& figure, std::string name, const std::function<double(double)>& to,
             const std::function<double(double)>& back) {
  Figure::Row mean{std::move(name), {}};
  for (std::size_t c = 0; c < figure.columns.size(); ++c) {
    double sum = 0;
    std::size_t n = 0;
    for (const Figure::Row& row : figure.rows) {
      const double value = to(row.values[c]);
      if (!std::isfinite(value)) continue;
      sum += value;
      ++n;
    }
    mean.values.push_back(n == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : back(sum / static_cast<double>(n)));
  }
  figure.rows.push_back(std::move(mean));
}

std::string with_commas(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.0f", value);
  std::string text = digits;
  for (std::size_t at = text.size();
       at > 3 && std::isdigit(static_cast<unsigned char>(text[at - 4]));) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace

void add_geometric_mean(Figure& figure, std::string name) {
  add_row(
      figure, std::move(name), [](double v) { return std::log(v); },
      [](double v) { return std::exp(v); });
}

void add_mean(Figure& figure, std::string name) {
  add_row(figure, std::move(name), [](double v) { return v; }, [](double v) { return v; });
}

std::string text_of(double value, Numbers numbers) {
  if (!std::isfinite(value)) return "-";
  char text[48];
  switch (numbers) {
    case Numbers::kTimes:
      std::snprintf(text, sizeof text, "%.2fx", value);
      break;
    case Numbers::kPercent:
      std::snprintf(text, sizeof text, "%.1f%%", value * 100);
      break;
    case Numbers::kRate:
      std::snprintf(text, sizeof text, "%.3f", value);
      break;
    case Numbers::kCount:
      return with_commas(value);
  }
  return text;
}

std::string table_text(const Figure& figure) {
  std::vector<std::size_t> widths;
  std::size_t first = 0;
  for (const Figure::Row& row : figure.rows) first = std::max(first, row.name.size());
  for (std::size_t c = 0; c < figure.columns.size(); ++c) {
    std::size_t width = figure.columns[c].size();
    for (const Figure::Row& row : figure.rows) {
      width = std::max(width, text_of(row.values[c], figure.numbers).size());
    }
    widths.push_back(width);
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return std::string(width - text.size(), ' ') + text;
  };
  std::string text = figure.id + ": " + figure.title + "\n  " + std::string(first, ' ');
  for (std::size_t c = 0; c < widths.size(); ++c)
    text += "  " + padded(figure.columns[c], widths[c]);
  text += "\n";
  for (const Figure::Row& row : figure.rows) {
    text += "  " + row.name + std::string(first - row.name.size(), ' ');
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += "  " + padded(text_of(row.values[c], figure.numbers), widths[c]);
    }
    text += "\n";
  }
  if (figure.line) {
    text += "  " + figure.line->name + ": " + text_of(figure.line->value, figure.numbers) + "\n";
  }
  return text;
}

}  // namespace redflag::sim
