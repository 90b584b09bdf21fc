// Page: a run's figures as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/plot/figure.h"

namespace redflag::sim {

struct Page {
  std::string title;
  std::string command;             // that made it
  std::vector<std::string> notes;  // what a reader must know first
  std::vector<Figure> figures;
  std::vector<std::pair<std::string, std::string>> settings;  // name and value of every parameter
};

std::string html(const Page& page);

}  // namespace redflag::sim
