#include "sim/plot/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/markup.h"

namespace redflag::sim {
namespace {

// Okabe and Ito's colours, without the two that are hard to see on white or on black.
// Then three more that differ from them in lightness.
constexpr std::array<std::string_view, 10> kColours{"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                    "#56b4e9", "#cc79a7", "#999999", "#6a3d9a",
                                                    "#8c564b", "#b2df8a"};

constexpr double kLeft = 64;
constexpr double kTop = 56;
constexpr double kPlotHeight = 220;
constexpr double kNameSlope = 4.0;  // height of a turned name, for each letter
constexpr double kRight = 16;
constexpr double kGap = 14;       // between rows
constexpr double kFarApart = 12;  // largest value by the middle one: logarithmic

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

class Picture {
 public:
  explicit Picture(const Figure& figure) : figure_(figure) {
    std::vector<double> values;
    for (const Figure::Row& row : figure.rows) {
      double sum = 0;
      for (const double value : row.values) {
        if (!std::isfinite(value)) continue;
        sum += value;
        if (!stacked()) values.push_back(value);
      }
      if (stacked()) values.push_back(sum);
    }
    if (figure.line) values.push_back(figure.line->value);
    for (const Figure::Row& row : figure.rows) {
      bottom_ = std::max(bottom_, 28 + kNameSlope * static_cast<double>(row.name.size()));
    }
    std::sort(values.begin(), values.end());
    const double most = values.empty() ? 1 : values.back();
    logarithmic_ = !stacked() && !values.empty() && values.front() > 0 &&
                   most > kFarApart * values[(values.size() - 1) / 2];
    ticks_ = logarithmic_ ? powers(values.front(), most) : ticks(most);
    bar_ = stacked()
               ? 26
               : std::max(7.0, 26.0 / static_cast<double>(std::max<std::size_t>(1, columns())));
    row_ = kGap + bar_ * static_cast<double>(stacked() ? 1 : columns());
    const double plot = std::max(220.0, row_ * static_cast<double>(figure.rows.size()) + kGap);
    width_ = kLeft + std::max(plot, legend_width()) + kRight;
  }

  std::string drawn() {
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width_) + " " +
           number(kTop + kPlotHeight + bottom_) + "\" width=\"" + number(width_) +
           "\" font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"currentColor\" "
           "role=\"img\">\n";
    out_ += "<title>" + escaped(figure_.title) + "</title>\n";
    text(kLeft, 18, figure_.title, "font-weight=\"600\" font-size=\"13\"");
    legend();
    axis();
    for (std::size_t r = 0; r < figure_.rows.size(); ++r) row(r);
    line();
    return out_ + "</svg>\n";
  }

 private:
  bool stacked() const { return figure_.shape == Shape::kStacked; }
  std::size_t columns() const { return figure_.columns.size(); }
  double legend_width() const {
    double width = 0;
    for (const std::string& column : figure_.columns)
      width += 26 + 6.3 * static_cast<double>(column.size());
    return width;
  }

  double height_of(double value) const {
    const double most = ticks_.back();
    if (!logarithmic_) return value / most * kPlotHeight;
    return std::max(
        0.0, std::log(value / ticks_.front()) / std::log(most / ticks_.front()) * kPlotHeight);
  }
  double y_of(double value) const { return kTop + kPlotHeight - height_of(value); }

  void text(double x, double y, const std::string& words, const std::string& more = "") {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + more + ">" + escaped(words) +
            "</text>\n";
  }

  void legend() {
    double x = kLeft;
    for (std::size_t c = 0; c < columns(); ++c) {
      out_ += "<rect x=\"" + number(x) + "\" y=\"28\" width=\"10\" height=\"10\" fill=\"" +
              std::string(kColours[c % kColours.size()]) + "\"/>\n";
      text(x + 14, 37, figure_.columns[c]);
      x += 26 + 6.3 * static_cast<double>(figure_.columns[c].size());
    }
  }

  void axis() {
    for (const double tick : ticks_) {
      out_ += "<path d=\"M" + number(kLeft) + " " + number(y_of(tick)) + "H" +
              number(width_ - kRight) + "\" stroke=\"currentColor\" stroke-opacity=\"0.18\"/>\n";
      text(kLeft - 6, y_of(tick) + 4, text_of(tick, figure_.numbers), "text-anchor=\"end\"");
    }
  }

  void bar(double x, double bottom, double height, std::size_t column, const Figure::Row& of) {
    out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(bottom - height) + "\" width=\"" +
            number(bar_ - 1) + "\" height=\"" + number(height) + "\" fill=\"" +
            std::string(kColours[column % kColours.size()]) + "\"><title>" +
            escaped(of.name + ", " + figure_.columns[column] + ": " +
                    text_of(of.values[column], figure_.numbers)) +
            "</title></rect>\n";
  }

  void row(std::size_t r) {
    const Figure::Row& of = figure_.rows[r];
    const double left = kLeft + kGap + row_ * static_cast<double>(r);
    double bottom = kTop + kPlotHeight;
    for (std::size_t c = 0; c < columns(); ++c) {
      if (!std::isfinite(of.values[c])) continue;
      const double height = height_of(of.values[c]);
      bar(left + (stacked() ? 0 : bar_ * static_cast<double>(c)), bottom, height, c, of);
      if (stacked()) bottom -= height;
    }
    const double x = left + (row_ - kGap) / 2;
    const double y = kTop + kPlotHeight + 14;
    text(x, y, of.name,
         "text-anchor=\"end\" transform=\"rotate(-38 " + number(x) + " " + number(y) + ")\"");
  }

  void line() {
    if (!figure_.line) return;
    const double y = y_of(figure_.line->value);
    out_ += "<path d=\"M" + number(kLeft) + " " + number(y) + "H" + number(width_ - kRight) +
            "\" stroke=\"currentColor\" stroke-dasharray=\"5 4\"/>\n";
    text(width_ - kRight, y - 4, figure_.line->name, "text-anchor=\"end\"");
  }

  const Figure& figure_;
  bool logarithmic_ = false;
  std::vector<double> ticks_;
  double bar_ = 0;
  double row_ = 0;
  double width_ = 0;
  double bottom_ = 0;  // below the plot, for the names of rows
  std::string out_;
};

}  // namespace

std::vector<double> powers(double least, double most) {
  std::vector<double> found;
  for (double tick = std::exp2(std::floor(std::log2(std::min(least, 1.0))));; tick *= 2) {
    found.push_back(tick);
    if (tick >= most && found.size() > 1) return found;
  }
}

std::vector<double> ticks(double most) {
  std::vector<double> found;
  if (!(most > 0)) most = 1;
  double step = std::pow(10, std::floor(std::log10(most / 4)));
  for (const double times : {1.0, 2.0, 5.0, 10.0}) {
    if (most / (step * times) <= 6) {
      step *= times;
      break;
    }
  }
  for (int k = 0;; ++k) {
    found.push_back(step * k);
    if (found.back() >= most * (1 - 1e-9) && found.size() > 1) return found;
  }
}

std::string svg(const Figure& figure) {
  if (figure.shape == Shape::kTable || figure.columns.empty() || figure.rows.empty()) return {};
  return Picture(figure).drawn();
}

}  // namespace redflag::sim
