// SVG: a figure as a picture.
//
// Bars side by side or stacked, an axis with round steps, a dashed line across where there is something to compare
// with. Where the largest value is far from the others (a baseline at 60x beside 1.5x) the axis is logarithmic. Text
// has the colour of the page around it, so that one picture serves light and dark pages; bars have colours that
// people with colour blindness can tell apart, and each says its value when pointed at.
#pragma once

#include <string>
#include <string_view>

#include "sim/plot/figure.h"

namespace redflag::sim {

// A whole document, also fit for being put into a page. Empty for Shape::kTable.
std::string svg(const Figure& figure);

// Round values from 0 up to the first that covers `most`; at least two.
std::vector<double> ticks(double most);
// The same for a logarithmic axis: powers of two, 1 among them, that cover both; both are above 0.
std::vector<double> powers(double least, double most);

}  // namespace redflag::sim
